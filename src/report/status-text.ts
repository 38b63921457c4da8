/** The texts for statuses, failures, refusals and marks, in tables and in `explain`. */
import { STATUS_CODES } from 'node:http'

/** Heritrix's for URLs without an answer (`contracts/outcome.ts`), and of HTTP where its own text is not this. */
const STATUS: Readonly<Record<string, string>> = {
  '-1': 'no address found',
  '-2': 'no connection',
  '-3': 'no whole answer',
  '-4': 'no answer in time',
  '-5': 'page could not be parsed',
  '-61': 'robots.txt unreachable',
  '-4000': 'held back by a limit or a hazard',
  '-4001': 'too deep',
  '-5000': 'out of scope',
  '-5001': 'address or type not permitted',
  '-9998': 'forbidden by robots.txt or the page',
  200: 'OK',
  302: 'moved temporarily',
}

const FAILURE: Readonly<Record<string, string>> = {
  dns: 'DNS lookup failed',
  'no-such-name': 'server not found',
  'address-refused': 'private or blacklisted address, or that of a wildcard domain',
  connect: 'connection refused',
  'connect-timeout': 'connection timed out',
  tls: 'TLS failed',
  'first-byte-timeout': 'no response in time',
  'idle-timeout': 'response stalled',
  'exchange-timeout': 'response not finished in time',
  'too-slow': 'response too slow',
  reset: 'connection closed too early',
  protocol: 'response is not HTTP',
  'head-too-large': 'response headers too large',
  'robots-unreachable': 'robots.txt unreachable',
  reading: 'page could not be parsed',
}

/** `404 (not found)` */
export function statusText(code: string): string {
  // Codes may come with reports: no other key of these tables is one.
  const text = /^-?\d+$/.test(code) ? (STATUS[code] ?? STATUS_CODES[code]?.toLowerCase()) : undefined
  return text === undefined ? code : `${code} (${text})`
}

/** A failure other than an HTTP status; undefined for `status-…` kinds, which the statuses count already. */
export function failureText(kind: string): string | undefined {
  if (kind.startsWith('status-')) return undefined
  return FAILURE[kind] ?? kind
}

const MARK: Readonly<Record<string, string>> = {
  'certificate:expired': 'the certificate had expired',
  'certificate:not-yet-valid': 'the certificate was not valid yet',
  'certificate:self-signed': 'the certificate was self-signed',
  'certificate:wrong-name': 'the certificate was for another host name',
  'certificate:untrusted': 'the certificate was signed by an unknown authority',
  'certificate:invalid': 'the certificate was not valid',
  'coding:not-sent': 'a content coding was announced but not used',
  'coding:early': 'the compressed body ends too early',
  'coding:damaged': 'the compressed body is damaged, or its checksum is wrong',
  'coding:unknown': 'the content coding is unknown; the body was read only if it was text',
  'coding:too-many': 'too many content codings; the body was read only if it was text',
}

/** Undefined for annotations that do not mark a document. */
export function markText(annotation: string): string | undefined {
  return Object.hasOwn(MARK, annotation) ? MARK[annotation] : undefined
}

/** Why a URL was refused, from the kind of rule and the rule itself. */
export function refusalText(by: string, rule: string): string {
  switch (by) {
    case 'robots':
      return `forbidden by robots.txt (${rule})`
    case 'operator':
      return `barred by an operator${rule === '' ? '' : ` (${rule})`}`
    case 'scope':
      return `out of scope (${rule})`
    case 'directive':
      return `the page forbids it (${rule})`
    case 'unwanted': {
      const type = /^media type ([^\s,]+)/.exec(rule)?.[1]
      return type === undefined ? rule : `${type} is not in --media-types`
    }
    default:
      return rule === '' ? by : `${by} (${rule})`
  }
}

/** By the kind of rule. */
export const REFUSED: Readonly<Record<string, string>> = {
  robots: 'forbidden by robots.txt',
  scope: 'out of scope',
  hazard: 'hazard',
  directive: 'forbidden by the page (noindex, nofollow)',
  classifier: 'refused by a classifier',
  unwanted: 'unwanted media type',
}
