/** A URL as the crawler holds it: what is requested, its key, its site. Only http(s) URLs become one. */
import { hash64 } from '../../base/digest.ts'
import { queryEncoder } from './escapes.ts'
import { endsInIndex, exactSpelling, isOfConcern, type Normaliser, normaliser } from './normalise.ts'
import { looked, lookPlain, plainHostEnd } from './plain.ts'
import { RULE_NAMES, type RuleName, USUAL_RULES } from './rules.ts'

export interface WebUrl {
  /** What is requested: the site's own spelling as WHATWG serialises it, without fragment and userinfo. */
  readonly href: string
  /** The 64 bits of `normalised`. They include the scheme: an http page that moves to https is another URL. */
  readonly key: bigint
  readonly normalised: string
  /** A lossy rule has changed it: another spelling of the key may be another page. */
  readonly lossy: boolean
  readonly scheme: 'http' | 'https'
  /** ASCII, lower case; an IPv6 address in its brackets. */
  readonly host: string
  readonly port: number
  /** The host, or host:port when the port is neither 80 nor 443: http and https of a host are one site. */
  readonly site: string
  /** Path and query as sent on the request line. */
  readonly path: string
}

export type Resolved =
  | { kind: 'url'; url: WebUrl }
  /** Another scheme; the label is one of a bounded list. */
  | { kind: 'unwanted'; scheme: string }
  | { kind: 'malformed'; why: string }
  /** Nothing, or only a fragment: the page itself. */
  | { kind: 'empty' }

/** Scopes have their own, smaller limit; longer texts are not even parsed. */
export const LONGEST_URL = 8192
const LONGEST_HOST = 253
const LONGEST_LABEL = 63

const KNOWN_SCHEMES = new Set(
  (
    'about blob callto chrome cid data dns ed2k facetime feed file fax ftp ftps geo git gopher imap intent ipfs irc ircs ' +
    'itms itms-apps javascript jar ldap magnet mailto market maps mid mms moz-extension ms-settings news nntp rtmp rtsp ' +
    'sftp sip sips skype sms smsto ssh steam svn tel telnet tg urn vbscript view-source viber webcal whatsapp ws wss xmpp'
  ).split(' '),
)

interface Origin {
  /** `https://example.org:8080`, as WHATWG serialises it. */
  readonly text: string
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly port: number
  readonly site: string
}

/** Parses URLs; the keys are those of one set of rules. */
export interface UrlReader {
  /** By name, in the order of `RULES`. */
  readonly rules: readonly RuleName[]
  /** Absolute http(s) only; surrounding white space is ignored. */
  parse(text: string): WebUrl | undefined
  /**
   * Resolves the references of one page. The base may come from the page itself: if it is not an http(s) URL, only
   * absolute references lead anywhere. Most references are plain paths, which take a shortcut that is four times as
   * fast as the URL parser, with the same result. A cache would be slower than parsing again, with hundreds of sites at
   * a time. `charset` is the page's encoding, if it matters (`escapes.ts`).
   */
  resolver(base: string, charset?: string): (href: string) => Resolved
  /** Takes and returns a URL as in `WebUrl.href`: the text that its key is made of. */
  normalise(href: string): string
  /** The separate key of a folder, or of a name that stands for it (`/a/index.html`). */
  keyApart(href: string): bigint | undefined
  /** Whether two URLs of one key name their folder's index differently: `/a/` and `/a/index.html`. */
  areTwoIndexes(one: string, other: string): boolean
  /**
   * Whether URLs of one key may be more than one page: with two different index names, or `default.*` or `Index.html`
   * beside the folder, since most servers answer for the folder with its index.html.
   */
  mayBeSeveral(hrefs: readonly string[]): boolean
}

export function urlReader(rules: readonly RuleName[]): UrlReader {
  const names = RULE_NAMES.filter((name) => rules.includes(name))
  const norm = normaliser(names)
  const parse = (text: string) => parsed(text, norm)
  const unfolded = normaliser(names.filter((name) => name !== 'index-files' && name !== 'index-scripts'))
  const folds = names.includes('index-files') || names.includes('index-scripts')
  const nameOf = (href: string) => (folds ? indexName(href, names, unfolded) : '')
  return {
    rules: names,
    parse,
    resolver(base, charset) {
      const home = parse(base)
      const encode = queryEncoder(charset) ?? asItIs
      if (home === undefined) {
        const foreign = URL.canParse(base) ? base : undefined
        return (href) => resolveSlowly(encode(href), foreign, norm)
      }
      const page = pageOf(home)
      return (href) => {
        const url = plainReference(href, page, norm) ?? plainAbsolute(href, norm)
        return url === undefined ? resolveSlowly(encode(href), home.href, norm) : { kind: 'url', url }
      }
    },
    normalise(href) {
      const at = href.indexOf('/', href.indexOf('://') + 3)
      return at < 0 ? href : href.slice(0, at) + norm.loose(norm.exact(href.slice(at)))
    },
    keyApart(href) {
      if (!folds) return undefined
      // No URL has a fragment, so nothing else has the key of a folder.
      if (lastName(href, unfolded) === '') return hash64(`${parsed(href, unfolded)?.normalised}#`)
      return nameOf(href) === '' ? undefined : parsed(href, unfolded)?.key
    },
    areTwoIndexes: (one, other) => one !== other && nameOf(one) !== nameOf(other),
    mayBeSeveral(hrefs) {
      const names = new Set(hrefs.map(nameOf))
      const isFolderKnown = names.delete('')
      return names.size > 1 || (isFolderKnown && [...names].some(isSeldomFolder))
    },
  }
}

/** Servers that answer for a folder with such a name are rare: most look for `index.html`, in lower case. */
const isSeldomFolder = (name: string) => name.startsWith('default.') || name !== name.toLowerCase()

/** `index.html`, as it is written, where the rules take it for its folder; otherwise ''. */
function indexName(href: string, names: readonly RuleName[], unfolded: Normaliser): string {
  const name = lastName(href, unfolded)
  return endsInIndex(name, names.includes('index-files'), names.includes('index-scripts')) ? name : ''
}

/** Without session ids: '' of `/a/`, and of `/a/;jsessionid=1`. */
function lastName(href: string, unfolded: Normaliser): string {
  const question = href.indexOf('?')
  const path = unfolded.loose(unfolded.exact(question < 0 ? href : href.slice(0, question)))
  return path.slice(path.lastIndexOf('/') + 1)
}

export function isFolder(href: string): boolean {
  const question = href.indexOf('?')
  return href.endsWith('/', question < 0 ? href.length : question)
}

/** It ends in a name that some rule takes for the folder's. */
export function namesIndex(href: string): boolean {
  const question = href.indexOf('?')
  return endsInIndex(question < 0 ? href : href.slice(0, question), true, true)
}

const asItIs = (href: string) => href

/** The reader of the usual rules. */
export const usualUrls: UrlReader = urlReader(USUAL_RULES)

/** Parses with the usual rules: for callers that do not use the key, or have no collection whose rules count. */
export function parseUrl(text: string): WebUrl | undefined {
  return usualUrls.parse(text)
}

export function resolver(base: string, charset?: string): (href: string) => Resolved {
  return usualUrls.resolver(base, charset)
}

function parsed(text: string, norm: Normaliser): WebUrl | undefined {
  const plain = plainAbsolute(text, norm)
  if (plain !== undefined) return plain
  if (text.length > LONGEST_URL) return undefined
  const read = URL.parse(text.trim())
  if (read === null || (read.protocol !== 'http:' && read.protocol !== 'https:')) return undefined
  const url = fromRead(read, norm)
  return typeof url === 'string' ? undefined : url
}

export function homeOf(url: WebUrl): WebUrl {
  return url.path === '/' ? url : webUrl(originOf(url), '/', HOME)
}

/** No rule changes it. */
const HOME = normaliser([])

/** Path and query of the key's spelling. */
export function normalPath(url: WebUrl): string {
  return url.normalised === url.href ? url.path : url.normalised.slice(url.href.length - url.path.length)
}

/**
 * Path and query with every escape in one spelling and nothing removed: to judge what is requested (a blacklist's
 * entry `/index.html` must not become `/` and forbid the whole site).
 */
export function exactPath(url: WebUrl): string {
  return exactSpelling(url.path)
}

/** Two spellings that RFC 3986 treats as one: a server that distinguishes them is wrong. */
export function isSameText(a: string, b: string): boolean {
  return a === b || exactSpelling(a) === exactSpelling(b)
}

/** A site's name without its port. */
export function hostOfSite(site: string): string {
  return site.replace(/:\d+$/, '')
}

export function siteKey(site: string): bigint {
  return hash64(site)
}

const DOT = 0x2e
const SLASH = 0x2f
const QUESTION = 0x3f

/** What a page's references are resolved against. */
interface PageBase {
  readonly origin: Origin
  /** Without its query. */
  readonly path: string
  readonly folder: string
  /** A rule may concern the folder already. */
  readonly ofConcern: boolean
}

function pageOf(home: WebUrl): PageBase {
  const origin = originOf(home)
  const query = home.path.indexOf('?')
  const path = query < 0 ? home.path : home.path.slice(0, query)
  return { origin, path, folder: path.slice(0, path.lastIndexOf('/') + 1), ofConcern: isOfConcern(path) }
}

/** `/a/b`, `b.html`, `../b`, `?q`, or the page's own origin in full; undefined when the parser must look at it. */
function plainReference(href: string, page: PageBase, norm: Normaliser): WebUrl | undefined {
  const { origin } = page
  if (href.length === 0 || href.length > LONGEST_URL) return undefined
  const first = href.charCodeAt(0)
  let before = ''
  let from = 0
  if (first === SLASH) {
    if (href.length > 1 && href.charCodeAt(1) === SLASH) return undefined
  } else if (href.startsWith(origin.text)) {
    from = origin.text.length
    if (!href.startsWith('/', from)) return undefined
  } else if (href.includes(':')) {
    return undefined
  } else if (first === QUESTION) {
    before = page.path
  } else {
    before = page.folder
    if (first === DOT) {
      for (let step = stepAt(href, 0); step > 0; step = stepAt(href, from)) {
        from += step
        if (step === UP) before = before.slice(0, before.lastIndexOf('/', before.length - 2) + 1)
      }
    }
  }
  if (!lookPlain(href, from)) return undefined
  const { end, ofConcern, nameAt } = looked
  if (end === 0 || origin.text.length + before.length + end - from > LONGEST_URL) return undefined
  const rest = href.slice(from, end)
  if (ofConcern || (page.ofConcern && before !== '')) return webUrl(origin, before + rest, norm)
  return plainUrl(origin, origin.text + before + rest, origin.text.length + before.length + nameAt - from, norm)
}

const UP = '../'.length
const STAY = './'.length

/** The length of a `./` or `../` there; 0 when there is none. */
function stepAt(href: string, at: number): number {
  return href.startsWith('../', at) ? UP : href.startsWith('./', at) ? STAY : 0
}

/** `http://www.example.org/a/b` in which the parser would change no letter. */
function plainAbsolute(href: string, norm: Normaliser): WebUrl | undefined {
  if (href.length > LONGEST_URL) return undefined
  const scheme = href.startsWith('http://') ? 'http' : href.startsWith('https://') ? 'https' : undefined
  if (scheme === undefined) return undefined
  const from = scheme.length + 3
  const hostEnd = plainHostEnd(href, from)
  if (hostEnd < 0) return undefined
  if (!lookPlain(href, hostEnd)) return undefined
  const { end, ofConcern, nameAt } = looked
  const host = href.slice(from, hostEnd)
  const origin = { text: href.slice(0, hostEnd), scheme, host, port: scheme === 'http' ? 80 : 443, site: host } as const
  if (ofConcern) return webUrl(origin, href.slice(hostEnd, end), norm)
  // A string of its own: a slice would keep the whole page in memory.
  return plainUrl(origin, origin.text + href.slice(hostEnd, end), nameAt, norm)
}

function resolveSlowly(text: string, base: string | undefined, norm: Normaliser): Resolved {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.startsWith('#')) return { kind: 'empty' }
  const scheme = schemeOf(trimmed)
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') return unwanted(scheme)
  const hash = trimmed.length > LONGEST_URL ? trimmed.indexOf('#') : -1
  const href = hash < 0 ? trimmed : trimmed.slice(0, hash)
  if (href.length > LONGEST_URL) return { kind: 'malformed', why: 'too long' }
  const read = URL.parse(href, base) ?? URL.parse(withoutSpacesAroundHost(href), base)
  if (read === null) return { kind: 'malformed', why: base === undefined ? 'relative, and no base' : 'unreadable' }
  if (read.protocol !== 'http:' && read.protocol !== 'https:') return unwanted(read.protocol.slice(0, -1))
  const url = fromRead(read, norm)
  return typeof url === 'string' ? { kind: 'malformed', why: url } : { kind: 'url', url }
}

/** Typos: `http:// www.example.org /a` (V29). Inside a path the parser writes spaces as %20. */
function withoutSpacesAroundHost(href: string): string {
  return href.replace(/^(https?:\/\/)\s*([^\s/?#]+)\s*(?=[/?#]|$)/i, '$1$2')
}

/** The parser removes tabs and line ends anywhere, so `java\nscript:` has a scheme too. */
function schemeOf(text: string): string | undefined {
  const start = text.slice(0, 64)
  const colon = start.indexOf(':')
  if (colon < 1) return undefined
  const scheme = start.slice(0, colon).replace(/[\t\n\r]/g, '')
  return /^[a-z][a-z0-9+.-]*$/i.test(scheme) ? scheme.toLowerCase() : undefined
}

function unwanted(scheme: string): Resolved {
  return { kind: 'unwanted', scheme: KNOWN_SCHEMES.has(scheme) ? scheme : 'other-scheme' }
}

/** Text instead of a URL: the text says what is wrong. */
function fromRead(read: URL, norm: Normaliser): WebUrl | string {
  const scheme = read.protocol === 'https:' ? 'https' : 'http'
  // `example.org.` is `example.org`; certificates and virtual hosts know the name without the dot, so requests omit it.
  const host = read.hostname.endsWith('.') ? read.hostname.slice(0, -1) : read.hostname
  const fault = hostFault(host)
  if (fault !== undefined) return fault
  const port = read.port === '' ? (scheme === 'https' ? 443 : 80) : Number(read.port)
  if (port === 0) return 'port 0'
  const text = read.port === '' ? `${scheme}://${host}` : `${scheme}://${host}:${read.port}`
  const href = read.href
  const pathAt = href.indexOf('/', scheme.length + 3)
  const hash = href.indexOf('#', pathAt)
  const path = hash < 0 ? href.slice(pathAt) : href.slice(pathAt, hash)
  if (text.length + path.length > LONGEST_URL) return 'too long'
  return webUrl({ text, scheme, host, port, site: siteName(host, port) }, path, norm)
}

/** Names that no resolver can find are not worth queueing. IP addresses pass: the parser has checked them. */
function hostFault(host: string): string | undefined {
  if (host === '') return 'no host'
  if (host.startsWith('[')) return undefined
  if (host.length > LONGEST_HOST) return 'host too long'
  if (!/^[a-z0-9._-]+$/.test(host)) return 'host with characters that no name has'
  for (const label of host.split('.')) {
    if (label === '') return 'host with an empty label'
    if (label.length > LONGEST_LABEL) return 'host with a label too long'
  }
  return undefined
}

function siteName(host: string, port: number): string {
  return port === 80 || port === 443 ? host : `${host}:${port}`
}

function originOf(url: WebUrl): Origin {
  const { scheme, host, port, site } = url
  return { text: url.href.slice(0, url.href.length - url.path.length), scheme, host, port, site }
}

function webUrl(origin: Origin, path: string, norm: Normaliser): WebUrl {
  const href = origin.text + path
  const exact = norm.exact(path)
  const loose = norm.loose(exact)
  const normalised = loose === path ? href : origin.text + loose
  const { scheme, host, port, site } = origin
  return { href, key: hash64(normalised), normalised, lossy: loose !== exact, scheme, host, port, site, path }
}

/** The same for a text that only index-file rules can concern. */
function plainUrl(origin: Origin, href: string, nameAt: number, norm: Normaliser): WebUrl {
  const normalised = norm.plain(href, nameAt)
  const key = hash64(normalised)
  const { scheme, host, port, site } = origin
  const path = href.slice(origin.text.length)
  return { href, key, normalised, lossy: normalised !== href, scheme, host, port, site, path }
}
