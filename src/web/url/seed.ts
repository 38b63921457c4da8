/** Seeds as people write them: the scheme may be missing, mistakes are named with what was probably meant. */
import { LONGEST_URL, parseUrl, resolver, type WebUrl } from './web-url.ts'

export type Seed = { kind: 'seed'; url: WebUrl } | { kind: 'bad'; why: string }

export interface SeedFile {
  seeds: { url: WebUrl; line: number }[]
  /** `text` is the line, cut to what fits a message. */
  problems: { file: string; line: number; text: string; why: string }[]
}

const bad = (why: string): Seed => ({ kind: 'bad', why })

export function parseSeed(text: string): Seed {
  const seed = text.trim()
  if (seed === '') return bad('it is empty')
  if (seed.length > LONGEST_URL) return bad(`it is longer than ${LONGEST_URL} characters`)
  if (/\s\S*:\/\//.test(seed)) return bad('there are two URLs in it; write one a line')
  const absolute = withScheme(seed)
  if (typeof absolute !== 'string') return absolute
  if (/^https?:[/\\]*[^/\\?#]*@/i.test(absolute)) {
    return bad('user names and passwords are never sent; leave out what stands before the @')
  }
  const url = parseUrl(absolute)
  return url === undefined ? bad(faultOf(absolute)) : judgeHost(url, seed)
}

/** With the scheme it has, or http:// when it has none. */
function withScheme(seed: string): string | Seed {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(seed)?.[1]
  const isHostAndPort = /^[^/?#:@]+:\d+([/?#]|$)/.test(seed)
  if (scheme === undefined || isHostAndPort) {
    if (seed.startsWith('//')) return `http:${seed}`
    if (/^[./\\?#:]/.test(seed)) {
      return bad(/^[0-9a-f]*:[0-9a-f:.]+$/i.test(seed) ? IN_BRACKETS : 'it is no URL: a host name is missing')
    }
    if (/^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*$/i.test(seed)) return bad(IN_BRACKETS)
    if (/^[^/?#@\s]+@[^/?#@\s]+$/.test(seed)) return bad('it looks like an e-mail address')
    return `http://${seed}`
  }
  if (/^https?$/i.test(scheme)) {
    return /^https?:\/\//i.test(seed) ? seed : bad(`after "${scheme}:" two slashes are missing`)
  }
  if (/^[0-9a-f]+:[0-9a-f:.]+$/i.test(seed)) return bad(IN_BRACKETS)
  const meant = nearestScheme(scheme)
  if (meant !== undefined) return bad(`"${clip(scheme)}:" is no scheme; did you mean ${meant}://?`)
  if (scheme.includes('.')) return bad('after the host a port is expected, a number')
  return bad(`"${clip(scheme)}:" cannot be crawled, only http: and https:`)
}

const IN_BRACKETS = 'an IPv6 address is written in brackets, as in http://[2001:db8::1]/'

/** `htp`, `htttps`, `hhtp`, `ttp` …: only letters of https, and nearly all of them. */
function nearestScheme(scheme: string): string | undefined {
  const lower = scheme.toLowerCase()
  if (!/^[htps]{2,8}$/.test(lower) || !lower.includes('t') || !lower.includes('p')) return undefined
  return lower.endsWith('s') ? 'https' : 'http'
}

function faultOf(absolute: string): string {
  const read = resolver('http://localhost/')(absolute)
  if (read.kind === 'malformed' && read.why !== 'unreadable') return `it cannot be read: ${read.why}`
  return 'it is not a valid URL'
}

function judgeHost(url: WebUrl, seed: string): Seed {
  const { host } = url
  if (host.startsWith('[')) return { kind: 'seed', url }
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host) && !seed.includes(host)) return bad(`its host reads as the address ${host}`)
  if (host !== 'localhost' && !host.includes('.')) {
    if (/^https?$/.test(host)) {
      return bad(/^https?:/i.test(seed) ? 'the scheme stands there twice' : `after "${host}" a colon is missing`)
    }
    // A machine of one's own network: whoever writes the scheme means it, a bare word is more likely a slip.
    if (/^https?:\/\//i.test(seed)) return { kind: 'seed', url }
    return bad(`"${clip(host)}" is no full host name; write http://${clip(host)}/ if it is one of your network`)
  }
  if (/^[^/:?#]+\.(txt|csv|json|ya?ml|html?|lst|list|xml|gz|warc|cdxj?)$/i.test(seed)) {
    return bad('it looks like the name of a file; seeds in a file are given with --seeds')
  }
  return { kind: 'seed', url }
}

/** One seed a line; `#` begins a comment at the start of a line or after white space (fragments are not lost). */
export function parseSeedFile(text: string, name: string): SeedFile {
  const file: SeedFile = { seeds: [], problems: [] }
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i].replace(/(^|\s)#.*$/, '').trim()
    if (line === '') continue
    const seed = parseSeed(line)
    if (seed.kind === 'seed') file.seeds.push({ url: seed.url, line: i + 1 })
    else file.problems.push({ file: name, line: i + 1, text: clip(line), why: seed.why })
  }
  return file
}

/** For a message: one line, no control characters. */
function clip(text: string): string {
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '�')
  return plain.length <= 100 ? plain : `${plain.slice(0, 99)}…`
}
