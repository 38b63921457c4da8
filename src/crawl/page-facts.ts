/** What an answer says before it is read: small pure questions that `ask-for.ts` and `visit-page.ts` ask. */

import type { Exchange, Head, Headers, Want } from '../contracts/exchange.ts'
import type { Outcome } from '../contracts/outcome.ts'
import type { Capture, PageReport } from '../contracts/report.ts'
import type { AgendaItem, PageMemory } from '../contracts/visit.ts'
import type { Reading } from '../page/reading.ts'
import { headerOf, headersOf, parseMediaType } from '../web/http/headers.ts'
import { type Directives, parseDirectives } from '../web/robots/directives.ts'
import { resolver, type UrlReader, type WebUrl } from '../web/url/web-url.ts'
import type { Scope } from './scope/scope.ts'

/** Bodies of errors and redirects: enough to keep the connection and the record, no more. */
const ERROR_BYTES = 16 * 1024
/** Of a `data:` URL, say, as much as tells what it is. */
const LONGEST_LOCATION = 200

/** The decision to download, on status and headers (V5). */
export function wantPage(status: number, headers: Headers, scope: Scope): Want {
  if (status < 200 || status > 299 || status === 206) return { download: true, limitBytes: ERROR_BYTES }
  const declared = headerOf(headers, 'content-type')
  const { type } = parseMediaType(declared)
  // Nothing declared: it may be a page, and only its bytes can say.
  if (declared !== undefined && !scope.wantsMedia(type))
    return { download: false, kind: type, rule: `media type ${type}` }
  const limitBytes = scope.limitFor(type)
  return { download: true, limitBytes }
}

export function blankPage(item: AgendaItem, at: number, outcome: Outcome): PageReport {
  return {
    url: item.url,
    key: item.key,
    depth: item.depth,
    via: item.via,
    path: item.path,
    at,
    status: 0,
    mediaType: '',
    // What most pages have is named here, so that all reports are made alike: that halves the cost of filling one in.
    sniffed: undefined,
    language: undefined,
    bytes: 0,
    tookMs: 0,
    tries: item.tries,
    outcome,
    title: '',
    links: NO_LINKS,
    capture: undefined,
    memory: undefined,
    annotations: [],
    ownRequest: false,
  }
}

const NO_LINKS = new Uint8Array(0)

/** What an answer says of itself. What becomes of the page is filled in by those who find out, the outcome last. */
export function reportOf(exchange: Exchange, item: AgendaItem): PageReport {
  const { answer } = exchange
  const head = 'head' in answer ? answer.head : undefined
  const annotations: string[] = []
  if (item.tries > 0) annotations.push(`${item.tries + 1}t`)
  if (answer.kind === 'cut') annotations.push(TRUNCATED[answer.why])
  if (answer.kind === 'failed') annotations.push(answer.failure.detail)
  if (exchange.certificate !== undefined) annotations.push(`certificate:${exchange.certificate}`)
  const location = head && locationOf(head)
  // To another scheme, or to nothing that can be read: no link tells of it.
  if (location !== undefined && resolver(item.url)(location).kind !== 'url')
    annotations.push(`location:${location.slice(0, LONGEST_LOCATION)}`)
  const page = blankPage(item, exchange.sentAt, UNDECIDED)
  page.status = head?.status ?? 0
  page.mediaType = parseMediaType(head && headerOf(head.headers, 'content-type')).type
  page.bytes = 'payload' in answer ? answer.payload.length : 0
  page.tookMs = exchange.tookMs
  page.tries = item.tries + 1
  page.annotations = annotations
  return page
}

/** Until its answer has been looked at, a page would have to be asked for again. */
const UNDECIDED: Outcome = { kind: 'later', why: 'reading', notBefore: 0 }

/** Heritrix's annotations for bodies that were cut. */
const TRUNCATED = { length: 'lenTrunc', time: 'timeTrunc', disconnect: 'connTrunc' } as const

export function redirectTarget(head: Head, from: string, urls: UrlReader): WebUrl | undefined {
  const location = locationOf(head)
  const resolved = location === undefined ? undefined : urls.resolver(from)(location)
  return resolved?.kind === 'url' ? resolved.url : undefined
}

/** Where a redirect leads, as written. */
function locationOf({ status, headers }: Head): string | undefined {
  if (status < 300 || status > 399 || status === 304) return undefined
  const location = headerOf(headers, 'location')
  return location === undefined ? undefined : asUtf8(location)
}

/** Headers are read as Latin-1; a Location with raw UTF-8 in it means those letters, as browsers and curl take it. */
function asUtf8(location: string): string {
  if (!/[\x80-\xff]/.test(location)) return location
  const text = new TextDecoder().decode(Buffer.from(location, 'latin1'))
  return text.includes('\ufffd') ? location : text
}

export function directivesOf(headers: Headers, reading: Reading | undefined, token: string): Directives {
  const values = headersOf(headers, 'x-robots-tag')
  if (reading !== undefined) {
    for (const { name, content } of reading.robots) {
      const named = name.toLowerCase()
      if (named === 'robots') values.push(content)
      else if (named === token.toLowerCase()) values.push(`${token}: ${content}`)
    }
  }
  return parseDirectives(values, token)
}

export function baseOf(reading: Reading, url: string): string {
  if (reading.base === undefined) return url
  const resolved = resolver(url)(reading.base)
  return resolved.kind === 'url' ? resolved.url.href : url
}

export function memoryOf(capture: Capture, reading: Reading | undefined, headers: Headers): PageMemory {
  return {
    digest: capture.digest,
    textDigest: reading?.signature.textDigest ?? 0n,
    simhash: reading?.signature.simhash ?? 0n,
    etag: headerOf(headers, 'etag')?.slice(0, 200),
    lastModified: headerOf(headers, 'last-modified')?.slice(0, 100),
  }
}

/** A twin of a moment ago is not durable yet, so the payload is stored once more; a duplicate it is all the same. */
export function isDuplicate({ capture, bytes }: PageReport, contents: Set<string>): boolean {
  if (capture === undefined || bytes === 0) return false
  const here = contents.has(capture.digest)
  contents.add(capture.digest)
  return here || capture.kind === 'revisit'
}
