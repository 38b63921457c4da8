/** Seeds as people write them: the scheme may be missing; errors name what was probably meant. */
import { LONGEST_URL, parseUrl, resolver, type WebUrl } from './web-url.ts'

export type Seed = { kind: 'seed'; url: WebUrl } | { kind: 'bad'; why: string }

const bad = (why: string): Seed => ({ kind: 'bad', why })

export function parseSeed(text: string): Seed {
  const seed = text.trim()
  if (seed === '') return bad('it is empty')
  if (seed.length > LONGEST_URL) return bad(`it is longer than ${LONGEST_URL} characters`)
  if (/\s\S*:\/\//.test(seed)) return bad('it contains two URLs; write one per line')
  const absolute = withScheme(seed)
  if (typeof absolute !== 'string') return absolute
  if (/^https?:[/\\]*[^/\\?#]*@/i.test(absolute)) {
    return bad('user names and passwords are never sent; remove everything before the @')
  }
  const url = parseUrl(absolute)
  return url === undefined ? bad(faultOf(absolute)) : judgeHost(url, seed)
}

/** With its own scheme, or http:// when it has none. */
function withScheme(seed: string): string | Seed {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(seed)?.[1]
  const isHostAndPort = /^[^/?#:@]+:\d+([/?#]|$)/.test(seed)
  if (scheme === undefined || isHostAndPort) {
    if (seed.startsWith('//')) return `http:${seed}`
    if (/^[./\\?#:]/.test(seed)) {
      return bad(/^[0-9a-f]*:[0-9a-f:.]+$/i.test(seed) ? IN_BRACKETS : 'it has no host name')
    }
    if (/^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*$/i.test(seed)) return bad(IN_BRACKETS)
    if (/^[^/?#@\s]+@[^/?#@\s]+$/.test(seed)) return bad('it looks like an e-mail address')
    return `http://${seed}`
  }
  if (/^https?$/i.test(scheme)) {
    return /^https?:\/\//i.test(seed) ? seed : bad(`"//" is missing after "${scheme}:"`)
  }
  if (/^[0-9a-f]+:[0-9a-f:.]+$/i.test(seed)) return bad(IN_BRACKETS)
  const meant = nearestScheme(scheme)
  if (meant !== undefined) return bad(`"${clip(scheme)}:" is not a scheme; did you mean ${meant}://?`)
  if (scheme.includes('.')) return bad('the port after the host must be a number')
  return bad(`"${clip(scheme)}:" cannot be crawled; only http: and https: can`)
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
  if (read.kind === 'malformed' && read.why !== 'unreadable') return `it is not a valid URL: ${read.why}`
  return 'it is not a valid URL'
}

function judgeHost(url: WebUrl, seed: string): Seed {
  const { host } = url
  if (host.startsWith('[')) return { kind: 'seed', url }
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host) && !seed.includes(host)) return bad(`its host would be the IP address ${host}`)
  if (host !== 'localhost' && !host.includes('.')) {
    if (/^https?$/.test(host)) {
      return bad(/^https?:/i.test(seed) ? 'it has two schemes' : `a colon is missing after "${host}"`)
    }
    // A host of the local network: with a scheme it is intended, a bare word is more likely a typo.
    if (/^https?:\/\//i.test(seed)) return { kind: 'seed', url }
    return bad(`"${clip(host)}" is not a full host name; write http://${clip(host)}/ if it is on your network`)
  }
  if (/^[^/:?#]+\.(txt|csv|json|ya?ml|html?|lst|list|xml|gz|warc|cdxj?)$/i.test(seed)) {
    return bad('it looks like a file name; use --seeds FILE for a file of seeds')
  }
  return { kind: 'seed', url }
}

/** For a message: one line, no control characters. */
function clip(text: string): string {
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '�')
  return plain.length <= 100 ? plain : `${plain.slice(0, 99)}…`
}

/**
 * Seeds that strangers submit. `parseSeed` names a typo and leaves it to the operator; here no one can be asked, so
 * obvious typos are corrected, and doubtful ones are refused with the reason.
 */

export type SubmittedSeed = { kind: 'seed'; url: WebUrl; isCorrected: boolean } | { kind: 'bad'; why: string }

/** Applied in this order, until it parses. */
const CORRECTIONS: readonly ((text: string) => string)[] = [
  (text) => text.replaceAll('\\', '/'),
  withoutSpaces,
  withRepairedScheme,
  withDots,
]

export function submittedSeed(text: string): SubmittedSeed {
  // Nothing that long can be corrected, and it need not be scanned five times.
  if (text.length > 2 * LONGEST_URL) return { kind: 'bad', why: `it is longer than ${LONGEST_URL} characters` }
  const written = text.trim()
  let now = unwrapped(withoutInvisible(written))
  const asWritten = parseSeed(now)
  if (asWritten.kind === 'seed') return { ...asWritten, isCorrected: now !== written }
  // Joined, they would be a third URL that no one meant.
  if (/[,;|]\s*https?:\/\//i.test(now)) return { kind: 'bad', why: 'it contains two URLs; write one per line' }
  for (const correct of CORRECTIONS) {
    const before = now
    now = correct(before)
    const seed = now === before ? asWritten : parseSeed(now)
    if (seed.kind === 'seed') return { ...seed, isCorrected: true }
  }
  return asWritten
}

function withoutInvisible(text: string): string {
  return text.replace(/[\u00ad\u200b-\u200f\u2028-\u202e\u2060\ufeff\u0000-\u0008\u000e-\u001f\u007f]/g, '').trim()
}

/** What people put around a URL. */
const OPENING = /^(?:url:|["'<([{«»„“”‚‘’`*]|\s)+/i
const CLOSING = /["'>,;«»“”‘’`*\s]/
const BRACKETS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

function unwrapped(text: string): string {
  // An IPv6 address begins with a bracket of its own.
  const bare = /^\[[0-9a-f:.]+\]/i.test(text) ? text : text.replace(OPENING, '')
  return bare.slice(0, endOf(bare))
}

/** From the end, letter by letter. A closing bracket belongs to the URL as long as one was opened for each. */
function endOf(text: string): number {
  const surplus = new Map(
    Object.entries(BRACKETS).map(([close, open]) => [close, count(text, close) - count(text, open)]),
  )
  let end = text.length
  for (; end > 0; end--) {
    const last = text[end - 1]
    const left = surplus.get(last)
    if (left === undefined ? !CLOSING.test(last) : left <= 0) break
    if (left !== undefined) surplus.set(last, left - 1)
  }
  return end
}

function count(text: string, letter: string): number {
  return text.split(letter).length - 1
}

/** Beside dots, colons and slashes, before the path has begun. A space between two letters may separate two words. */
function withoutSpaces(text: string): string {
  const [, scheme, host, rest] = /^([^/?#]*\/\/)?\s*([^/?#]*)(.*)$/s.exec(text) ?? ['', '', '', text]
  const tight = (part: string) => part.replace(/\s+/g, ' ').replace(/ ?([.,:;/]) ?/g, '$1')
  const words = /^www(?:\s+[\w-]+){2,3}\s*$/i.test(host) ? host.trim().replace(/\s+/g, '.') : tight(host).trim()
  return tight(scheme ?? '').trim() + words + rest.trimStart()
}

/** `htp:`, `hhtp:`, `http;//`, `http//`, `http:/`, `http:////`, `://`; of several in a row, the last one counts. */
const SCHEMES = /^(?:(?:[htps]{2,8}(?:[:;]\/*(?!\d)|[.,]?\/{2,})|:\/+))+/i

function withRepairedScheme(text: string): string {
  const found = SCHEMES.exec(text)?.[0]
  if (found === undefined || found.length > 100) return text
  const last = /([htps]*)[^htps]*$/i.exec(found)?.[1].toLowerCase() ?? ''
  if (last !== '' && !(last.includes('t') && last.includes('p'))) return text
  return `${last.endsWith('s') ? 'https' : 'http'}://${text.slice(found.length)}`
}

/** Commas and doubled dots in the host name. */
function withDots(text: string): string {
  const [, scheme, host, rest] = /^((?:https?:)?\/\/)?([^/?#:@]*)(.*)$/is.exec(text) ?? ['', '', '', text]
  return (scheme ?? '') + host.replace(/[.,;]+/g, '.').replace(/^\./, '') + rest
}
