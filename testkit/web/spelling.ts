/** The one spelling of a URL by which the synthetic web knows it. Written for this room alone: the oracle shares no code with what it judges. */

export interface SplitUrl {
  readonly scheme: 'http' | 'https'
  /** In small letters, without the scheme's own port. */
  readonly host: string
  /** Path and query; escapes in capitals, none for letters and digits that need none. */
  readonly path: string
}

const NEEDLESS = /%(?:2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/g

let last: { url: string; split: SplitUrl } | undefined

/** Whoever answers a request asks several times for the same URL in a row. */
export function splitUrl(url: string): SplitUrl {
  if (last?.url !== url) last = { url, split: split(url) }
  return last.split
}

function split(url: string): SplitUrl {
  const scheme = url[4] === 's' || url[4] === 'S' ? 'https' : 'http'
  const start = scheme.length + 3
  let end = url.length
  for (let i = start; i < url.length; i++) {
    const letter = url.charCodeAt(i)
    if (letter === 0x2f || letter === 0x3f || letter === 0x23) {
      end = i
      break
    }
  }
  const port = scheme === 'http' ? ':80' : ':443'
  let host = url.slice(start, end).toLowerCase()
  if (host.endsWith(port)) host = host.slice(0, -port.length)
  const hash = url.indexOf('#', end)
  const path = url.slice(end, hash < 0 ? url.length : hash) || '/'
  return { scheme, host, path: path.includes('%') ? plainEscapes(path) : path }
}

function plainEscapes(path: string): string {
  return path
    .replace(/%[0-9a-fA-F]{2}/g, (code) => code.toUpperCase())
    .replace(NEEDLESS, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
}

/** The same URL whatever harmless variant was asked for: use it on both sides when sets of URLs are compared. */
export function canonicalUrl(url: string): string {
  const { scheme, host, path } = splitUrl(url)
  const same = url.length === scheme.length + 3 + host.length + path.length && url.startsWith(scheme)
  return same && url.endsWith(path) && url.startsWith(host, scheme.length + 3) ? url : `${scheme}://${host}${path}`
}
