/** What statuses, failures and marks are called in tables and by `explain`. */

const STATUS: Readonly<Record<string, string>> = {
  200: 'OK',
  201: 'created',
  203: 'non-authoritative information',
  204: 'no content',
  206: 'partial content',
  300: 'multiple choices',
  301: 'moved permanently',
  302: 'moved temporarily',
  303: 'see other',
  304: 'not modified',
  307: 'temporary redirect',
  308: 'permanent redirect',
  400: 'bad request',
  401: 'unauthorised',
  402: 'payment required',
  403: 'forbidden',
  404: 'not found',
  405: 'method not allowed',
  406: 'not acceptable',
  408: 'request timeout',
  410: 'gone',
  414: 'URI too long',
  415: 'unsupported media type',
  418: "I'm a teapot",
  421: 'misdirected request',
  429: 'too many requests',
  451: 'unavailable for legal reasons',
  500: 'internal server error',
  501: 'not implemented',
  502: 'bad gateway',
  503: 'service unavailable',
  504: 'gateway timeout',
}

const FAILURE: Readonly<Record<string, string>> = {
  dns: 'Name could not be resolved',
  'no-such-name': 'Server not found',
  'address-refused': 'Address private, or on a black list',
  connect: 'Connection refused',
  'connect-timeout': 'No connection in time',
  tls: 'TLS failed',
  'first-byte-timeout': 'No answer in time',
  'idle-timeout': 'Answer stalled',
  'exchange-timeout': 'Answer not over in time',
  'too-slow': 'Answer too slow',
  reset: 'Connection closed too early',
  protocol: 'Answer is not HTTP',
  'head-too-large': 'Head too large',
  'robots-unreachable': 'robots.txt unreachable',
  reading: 'Page could not be read',
}

/** `404 (not found)` */
export function statusWords(code: string): string {
  const words = STATUS[code]
  return words === undefined ? code : `${code} (${words})`
}

/** A failure that is no HTTP status; undefined for `status-…` kinds, which the statuses count already. */
export function failureWords(kind: string): string | undefined {
  if (kind.startsWith('status-')) return undefined
  return FAILURE[kind] ?? kind
}

const MARK: Readonly<Record<string, string>> = {
  'certificate:expired': 'the certificate had expired',
  'certificate:not-yet-valid': 'the certificate was not valid yet',
  'certificate:self-signed': 'the certificate was self-signed',
  'certificate:wrong-name': 'the certificate was for another name',
  'certificate:untrusted': 'the certificate was signed by nobody we trust',
  'certificate:invalid': 'the certificate was not valid',
  'coding:not-sent': 'a content coding was announced and not used',
  'coding:early': 'the compressed body ends too early',
  'coding:damaged': 'the compressed body is damaged, or its checksum is wrong',
  'coding:unknown': 'the content coding is not known, so the body was not read',
  'coding:too-many': 'too many content codings, so the body was not read',
}

/** Of an annotation that marks a document; undefined for the others. */
export function markWords(annotation: string): string | undefined {
  return Object.hasOwn(MARK, annotation) ? MARK[annotation] : undefined
}
