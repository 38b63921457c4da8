/** Media types by what a reader makes of them: two types of one kind do not contradict each other. */

export type MediaKind =
  | 'html'
  | 'xml' // feeds and sitemaps too
  | 'text' // all that is read as lines of text: style sheets, scripts, JSON
  | 'image'
  | 'sound' // and moving pictures: their containers are the same
  | 'document' // PDF, PostScript, RTF, Office: old Office is an OLE store, new Office is a zip
  | 'archive'
  | 'generic' // nothing is said: application/octet-stream, or no type at all
  | 'other'

const GENERIC = new Set([
  '',
  '*/*',
  'unknown/unknown',
  'application/unknown',
  'application/octet-stream',
  'binary/octet-stream',
])
const TEXTS =
  /^application\/(?:[a-z0-9.-]+\+)?(?:json|javascript|x-javascript|ecmascript|x-httpd-php|x-sh|yaml|x-yaml|toml|sql|x-tex)$/
const DOCUMENTS =
  /^application\/(?:pdf|postscript|rtf|msword|x-ole-storage|epub\+zip|vnd\.(?:ms-|openxmlformats-|oasis\.opendocument)[a-z0-9.-]*)$/
const ARCHIVES =
  /^application\/(?:zip|gzip|x-gzip|x-tar|x-xz|x-bzip2?|zstd|java-archive|x-(?:7z|rar|zip)-compressed|vnd\.rar)$/

/** `essence`: without parameters, in lower case. */
export function mediaKind(essence: string): MediaKind {
  if (essence === 'text/html' || essence === 'application/xhtml+xml') return 'html'
  if (GENERIC.has(essence)) return 'generic'
  if (essence === 'image/svg+xml' || essence === 'text/xml' || essence === 'application/xml') return 'xml'
  if (essence.endsWith('+xml')) return 'xml'
  if (essence === 'text/rtf' || DOCUMENTS.test(essence)) return 'document'
  if (essence.startsWith('text/') || TEXTS.test(essence)) return 'text'
  if (essence.startsWith('image/')) return 'image'
  if (essence.startsWith('audio/') || essence.startsWith('video/') || essence === 'application/ogg') return 'sound'
  if (ARCHIVES.test(essence)) return 'archive'
  return 'other'
}

/** Can bytes that look like `seenType` be what was declared? Told is only what cannot. */
export function agree(declared: MediaKind, seen: MediaKind, seenType: string): boolean {
  if (declared === seen) return true
  // Bytes that say nothing belie only what is made of letters.
  if (seen === 'generic') return declared !== 'html' && declared !== 'xml' && declared !== 'text'
  // XML need not begin with a declaration that it is.
  if (declared === 'xml') return seen === 'text'
  if (seenType === 'application/zip' || seenType === 'application/x-ole-storage') {
    return declared === 'document' || declared === 'archive' || declared === 'other'
  }
  // A type that nobody knows may be of any kind, but not a page.
  return declared === 'other' && seen !== 'html'
}

export function essenceOf(mediaType: string): string {
  return mediaType.split(';', 1)[0].trim().toLowerCase()
}
