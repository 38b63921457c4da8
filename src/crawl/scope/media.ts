/** Which media types are wanted, how much of each is kept, and what a file's name says of it before it is fetched. */

/** `text/html`, `text/*`, `application/vnd.oasis.*`, and `*` or two asterisks around the slash for every type. */
export type MediaPattern = string

export interface SizeLimit {
  type: MediaPattern
  /** Decoded bytes that are kept. */
  bytes: number
}

/** When no limit names the type. */
const BYTES_OTHERWISE = 10_000_000

const HTML = 'text/html'
const XHTML = 'application/xhtml+xml'

/** HTML includes XHTML. An undeclared type is wanted, because only the bytes show what it is. */
export function wantsMediaOf(patterns: readonly MediaPattern[]): (mediaType: string) => boolean {
  const all = patterns.some((pattern) => pattern === '*' || pattern === '*/*')
  if (all) return () => true
  const lower = patterns.map((pattern) => pattern.toLowerCase())
  if (lower.includes(HTML)) lower.push(XHTML)
  return (mediaType) => {
    const type = bareType(mediaType)
    return type === '' || lower.some((pattern) => fits(pattern, type))
  }
}

/** The limit that names the type most exactly. */
export function limitOf(limits: readonly SizeLimit[]): (mediaType: string) => number {
  const sorted = limits
    .map(({ type, bytes }) => ({ type: type === '*' ? '*/*' : type.toLowerCase(), bytes }))
    .sort((a, b) => exactness(b.type) - exactness(a.type))
  return (mediaType) => {
    const type = bareType(mediaType)
    return sorted.find((limit) => fits(limit.type, type))?.bytes ?? BYTES_OTHERWISE
  }
}

function exactness(pattern: MediaPattern): number {
  return pattern === '*/*' ? 0 : pattern.endsWith('*') ? pattern.length : 1000 + pattern.length
}

function fits(pattern: MediaPattern, type: string): boolean {
  if (pattern === '*/*') return true
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern
}

function bareType(mediaType: string): string {
  const semicolon = mediaType.indexOf(';')
  return (semicolon < 0 ? mediaType : mediaType.slice(0, semicolon)).trim().toLowerCase()
}

/** Any of its media types selects the kind. */
type Kind = readonly [types: string, extensions: string]

/** Extensions whose meaning is certain enough to save the request; those of pages (html, php, asp …) are never here. */
const KINDS: Readonly<Record<string, Kind>> = {
  image: ['image/*', 'jpg jpeg jpe jfif png gif bmp ico webp avif svg svgz tif tiff heic psd xcf cr2 nef'],
  video: [
    'video/* application/vnd.apple.mpegurl',
    'mp4 m4v mpg mpeg mpe avi mov qt wmv flv webm mkv 3gp ogv m2ts vob asf m3u8',
  ],
  audio: ['audio/* application/ogg', 'mp3 wav wave ogg oga opus flac aac m4a wma mid midi ra ram aif aiff m3u'],
  style: ['text/css', 'css less scss'],
  script: ['text/javascript application/javascript application/x-javascript application/wasm', 'js mjs jsx wasm'],
  flash: ['application/x-shockwave-flash', 'swf'],
  font: ['font/* application/font-* application/vnd.ms-fontobject', 'woff woff2 ttf otf eot'],
  archive: [
    'application/zip application/gzip application/x-* application/octet-stream',
    'zip gz tgz bz2 tbz xz txz 7z rar tar lz lzma zst cab arj jar war ear',
  ],
  executable: [
    'application/octet-stream application/x-* application/vnd.*',
    'exe msi dmg pkg deb rpm apk ipa bin iso img dll so appimage msu vhd vmdk',
  ],
  pdf: ['application/pdf application/x-pdf', 'pdf'],
  postscript: ['application/postscript', 'ps eps ai'],
  office: [
    'application/msword application/rtf text/rtf application/vnd.*',
    'doc docx docm dot dotx xls xlsx xlsm xlt ppt pptx pptm pps ppsx odt ods odp odg rtf pages numbers key vsd',
  ],
  book: ['application/epub+zip application/x-mobipocket-ebook image/vnd.djvu', 'epub mobi azw azw3 djvu'],
  data: ['application/json text/csv text/tab-separated-values application/sql', 'json csv tsv sql sqlite parquet'],
}

const KIND_BY_EXTENSION = new Map<string, string>()
for (const [kind, [, extensions]] of Object.entries(KINDS))
  for (const extension of extensions.split(' ')) KIND_BY_EXTENSION.set(extension, kind)

const LONGEST_EXTENSION = 8
const DOT = 0x2e
const SLASH = 0x2f

/** The kinds that no wanted type can be. A pattern that matches one type of a kind admits the whole kind. */
export function unwantedKindsOf(patterns: readonly MediaPattern[]): ReadonlySet<string> {
  const wanted = patterns.map((pattern) => (pattern === '*' ? '*/*' : pattern.toLowerCase()))
  const isWanted = ([types]: Kind) => types.split(' ').some((type) => wanted.some((pattern) => touches(pattern, type)))
  return new Set(Object.keys(KINDS).filter((kind) => !isWanted(KINDS[kind])))
}

function touches(pattern: MediaPattern, type: MediaPattern): boolean {
  return fits(pattern, type) || (type.endsWith('*') && pattern.startsWith(type.slice(0, -1)))
}

/** By the extension of the last segment; undefined for pages, unknown extensions, and names without one. */
export function kindByName(path: string): string | undefined {
  const query = path.indexOf('?')
  const end = query < 0 ? path.length : query
  const first = Math.max(0, end - 1 - LONGEST_EXTENSION)
  for (let at = end - 1; at >= first; at--) {
    const code = path.charCodeAt(at)
    if (code === SLASH) return undefined
    if (code === DOT) return KIND_BY_EXTENSION.get(path.slice(at + 1, end).toLowerCase())
  }
  return undefined
}
