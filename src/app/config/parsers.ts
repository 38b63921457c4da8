/** Parsers of setting values. Each refuses a wrong value with a sentence that says what to write instead. */
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { reasonOf } from '../../base/errors.ts'
import { formatDuration, formatSize, parseDuration, parseSize } from '../../base/units.ts'
import { parseRetention, type RetentionRule } from '../../collection/retention/rule.ts'
import { DISTRIBUTION_FORM, type Distribution, parseDistribution } from '../../refresh/make-scenario.ts'
import { isTakenName } from '../../web/http/user-agent.ts'
import { isRuleSwitch, RULE_NAMES } from '../../web/url/rules.ts'
import { didYouMean } from './nearest.ts'
import { type Parse, parser, Unfit } from './setting.ts'

export interface Range {
  min?: number
  max?: number
  /** The reason for the bound, shown in the error. */
  because?: string
}

/** A kind of number. `read` returns undefined for what is not one. */
function ranged(form: string, what: string, read: (text: string) => number | undefined, format: (n: number) => string) {
  return (range: Range = {}): Parse<number> =>
    parser(form, (text) => {
      const value = read(text)
      if (value === undefined) throw new Unfit(`'${text}' is not a ${what}`)
      const because = range.because === undefined ? '' : `; ${range.because}`
      if (range.min !== undefined && value < range.min)
        throw new Unfit(`'${text}' is too small, the minimum is ${format(range.min)}${because}`)
      if (range.max !== undefined && value > range.max)
        throw new Unfit(`'${text}' is too large, the maximum is ${format(range.max)}${because}`)
      return value
    })
}

/** A text of a certain form. `wrong` completes the sentence "'x' is …". */
function matching(form: string, pattern: RegExp, wrong: string): Parse<string> {
  return parser(form, (text) => {
    if (!pattern.test(text)) throw new Unfit(`'${text}' is ${wrong}`)
    return text
  })
}

const integer = (text: string) => {
  const plain = text.replaceAll('_', '')
  const value = /^\d{1,15}$|^\d(\.\d+)?e\d{1,2}$/i.test(plain) ? Number(plain) : Number.NaN
  return Number.isSafeInteger(value) ? value : undefined
}
const decimal = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined)

/** Milliseconds. */
export const duration = ranged('DURATION', 'duration; write 500ms, 2s, 10m, 1h30m or 2d', parseDuration, formatDuration)
/** Bytes. */
export const size = ranged('SIZE', 'size; write 500kB, 2MB, 1GB or 64KiB', parseSize, formatSize)
export const count = ranged('N', 'whole number; write 1000 or 1e3, for example', integer, (n) => n.toLocaleString('en'))
export const number = ranged('N', 'number; write 1.5, for example', decimal, String)

/** `spare`: one fewer than the machine's cores, at least 1. */
export const workers = parser('N', (text) =>
  text === 'spare' ? Math.min(64, Math.max(1, availableParallelism() - 1)) : count({ min: 1, max: 64 })(text),
)

/** `uniform:0.01:1/hour`, `zipf:1`, `10/s`. `perSeconds` is the unit of a bare number: 3600 for one per hour. */
export function distribution(perSeconds: number): Parse<Distribution> {
  return parser('DISTRIBUTION', (text) => {
    const found = parseDistribution(text, 1 / perSeconds)
    if (found === undefined) throw new Unfit(`'${text}' is not a distribution; write ${DISTRIBUTION_FORM}`)
    return found
  })
}

export function oneOf<const T extends string>(...choices: readonly T[]): Parse<T> {
  return parser(choices.join('|'), (text) => {
    const found = choices.find((choice) => choice === text)
    if (found === undefined) throw new Unfit(`'${text}' is not one of ${choices.join(', ')}`)
    return found
  })
}

export const path = parser('FILE', (text) => {
  if (text === '' || text.includes('\0')) throw new Unfit('the file name is missing')
  return text
})

/** A pattern stays text, because settings travel between threads as plain data. */
export const regex = parser('REGEX', (text) => {
  try {
    new RegExp(text)
    return text
  } catch (error) {
    throw new Unfit(`'${text}' is not a regular expression (${reasonOf(error)})`)
  }
})

/** RFC 9309 lets robots.txt name crawlers by letters, `_` and `-` only; a token with anything else could never be matched. */
export const productToken = parser('NAME', (text) => {
  if (!/^[A-Za-z_-]{1,60}$/.test(text))
    throw new Unfit(`'${text}' is not a valid crawler name; use only letters, '-' and '_', for example MyCrawler`)
  if (isTakenName(text))
    throw new Unfit(`'${text}' is the name of another crawler or of a browser; choose your own, for example MyCrawler`)
  return text
})

/** A URL rule to switch: `usual`, `none`, `index-files`, `-index-files`, `+session-shape`. */
export const urlRule = parser('RULE[,RULE…]', (text) => {
  if (isRuleSwitch(text)) return text
  const [, sign, word] = /^([+-]?)(.*)$/s.exec(text) ?? ['', '', text]
  const show = (name: string) => `'${isRuleSwitch(sign + name) ? sign : ''}${name}'`
  const hint = didYouMean(word, [...RULE_NAMES, 'usual', 'none'], show)
  throw new Unfit(`'${text.slice(0, 80)}' is not a URL rule${hint} (docs/reference/url-rules.md lists them)`)
})

/** Where webmasters learn who is crawling: a web page or an e-mail address (V17). */
export const contact = parser('URL|EMAIL', (text) => {
  // It goes into a header, inside parentheses (`web/http/user-agent.ts`).
  if (text.length > 200 || !/^[!-~]*$/.test(text) || text.includes('\\'))
    throw new Unfit(
      `'${text.slice(0, 80)}' must have at most 200 characters, all of them ASCII (write international hosts as xn--…)`,
    )
  if (/^(mailto:)?[^\s@<>()]+@[^\s@<>()]+\.[^\s@<>().]+$/.test(text)) return text
  if (/^https?:\/\/[^\s<>()]+$/i.test(text) && URL.canParse(text)) return text
  throw new Unfit(
    `'${text}' is neither a web address nor an e-mail address; write https://example.org/crawler or crawler@example.org`,
  )
})

/** `text/html`, `text/*`, or every type: two asterisks around the slash. */
export const mediaType = parser('TYPE[,TYPE…]', (text) => {
  const lower = text.toLowerCase()
  if (!/^(\*\/\*|[a-z0-9!#$&^_.+-]+\/([a-z0-9!#$&^_.+-]+\*?|\*))$/.test(lower))
    throw new Unfit(`'${text}' is not a media type; write text/html, text/* or */*`)
  return lower
})

export interface TypeLimit {
  type: string
  bytes: number
}

/** `text/html=2MB` */
export const typeLimit: Parse<TypeLimit> = parser('TYPE=SIZE', (text) => {
  const [type, bytes] = pair(text, 'TYPE=SIZE, for example application/pdf=20MB')
  return { type: mediaType(type), bytes: size({ min: 1000, max: 4e9 })(bytes) }
})

/** `9.9.9.9`, `9.9.9.9:5353`, `2620:fe::fe`, `[2620:fe::fe]:53`: what Node's resolver takes. */
export const dnsServer = parser('IP[:PORT][,…]', (text) => {
  if (addressAndPort(text) === undefined)
    throw new Unfit(`'${text}' is not a name server's address; write 9.9.9.9 or 127.0.0.1:5353`)
  return text
})

/** `9.9.9.9`, `9.9.9.9:53`, `2620:fe::fe`, `[2620:fe::fe]:53`; undefined: it is something else. */
export function addressAndPort(text: string): { ip: string; port?: number } | undefined {
  const [, ip = text, port] = /^\[(.+)\](?::(\d{1,5}))?$/.exec(text) ?? /^([\d.]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  if (isIP(ip) === 0) return undefined
  if (port === undefined) return { ip }
  return Number(port) >= 1 && Number(port) <= 65_535 ? { ip, port: Number(port) } : undefined
}

/** The two sides of the last `=`. Neither hosts nor values contain one. */
export function pair(text: string, form: string): [string, string] {
  const at = text.lastIndexOf('=')
  if (at < 1 || at === text.length - 1) throw new Unfit(`'${text}' must have the form ${form}`)
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

const SCOPES = 'page, prefix, host, domain, tld:br (several: tld:br,pt) or surt:org,example,www)/path'

/** `tld:рф`, as people write it; `crawl/scope/` converts it to ASCII. */
const TLDS = /^tld:\.?[\p{L}\p{M}\d-]+(\.[\p{L}\p{M}\d-]+)*(,\.?[\p{L}\p{M}\d-]+(\.[\p{L}\p{M}\d-]+)*)*$/iu

/** Checks the form only; `crawl/scope/` knows the meaning. */
export const scope = parser('SCOPE', (text) => {
  if (/^(page|prefix|host|domain)$/.test(text)) return text
  if (TLDS.test(text)) return text.toLowerCase()
  if (/^surt:\S+$/i.test(text)) return text
  throw new Unfit(`'${text}' is not a scope; write ${SCOPES}`)
})

/** `0.1%` or `0.001`. */
export const share = parser('SHARE', (text) => {
  const match = /^(\d{1,3}(?:\.\d{1,9})?)(%?)$/.exec(text)
  const value = match === null ? Number.NaN : Number(match[1]) / (match[2] === '%' ? 100 : 1)
  if (!(value >= 0 && value <= 1)) throw new Unfit(`'${text}' is not a share; write 0.1%, 0.001 or 0`)
  return value
})

/** A share, or `first`. */
export const newShare: Parse<number | 'first'> = parser('SHARE|first', (text) =>
  text === 'first' ? text : share(text),
)

/** Milliseconds since 1970. A date alone is the end of that day: "what was current on May 1st". */
export const instant = parser('TIME', (text) => {
  const digits = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d))?$/.exec(text)
  const [, year, month, day, hour = '23', minute = '59', second = '59'] = digits ?? []
  const dateOnly = /^\d{4}-\d\d-\d\d$/.test(text)
  const iso =
    digits !== null ? `${year}-${month}-${day}T${hour}:${minute}:${second}Z` : dateOnly ? `${text}T23:59:59Z` : text
  const at = /^\d{4}-\d\d-\d\dT/.test(iso) ? Date.parse(iso) : Number.NaN
  if (Number.isNaN(at))
    throw new Unfit(`'${text}' is not a time; write 2026-05-01, 2026-05-01T12:00:00Z or 20260501120000`)
  return at
})

/** Where `watch` begins: a time, a position that it printed, or now. A day begins at midnight. */
export const since: Parse<{ at: number } | { cursor: string } | 'now'> = parser('TIME|CURSOR|now', (text) => {
  if (text === 'now') return 'now'
  if (/^(s\d{1,16}|p[\w-]{300,4000})$/.test(text)) return { cursor: text }
  try {
    return {
      at: instant(/^(\d{4}-\d\d-\d\d)$/.test(text) ? `${text}T00:00:00Z` : text.replace(/^\d{8}$/, '$&000000')),
    }
  } catch {
    throw new Unfit(`'${text}' is neither a time nor a cursor; write 2026-05-01, now, or the cursor of a change`)
  }
})

export const retention: Parse<RetentionRule> = parser('RULE', (text) => {
  const rule = parseRetention(text)
  if ('wrong' in rule) throw new Unfit(rule.wrong)
  return rule
})

function urlIn(text: string, ...protocols: readonly string[]): URL | undefined {
  const url = URL.parse(text)
  return url !== null && protocols.includes(url.protocol) ? url : undefined
}

/** The text may contain a password, so no message repeats it. */
export const database = parser('postgres://…|@FILE', (text) => {
  const url = urlIn(text, 'postgres:', 'postgresql:')
  if (url === undefined) throw new Unfit('this is not a database URL; write postgres://USER:PASSWORD@HOST:PORT/NAME')
  if (url.pathname.length < 2) throw new Unfit('the database name is missing; write postgres://HOST/NAME')
  return text
})

export const listenHost = parser('ADDRESS', (text) => {
  if (isIP(text) === 0 && text !== 'localhost')
    throw new Unfit(`'${text}' is not an address of this machine; write 127.0.0.1, 0.0.0.0 or ::`)
  return text
})

const DASHBOARD = { host: '127.0.0.1', port: 8723 }

/** Where the dashboard of a crawl listens; `no`: nowhere. */
export const dashboard: Parse<{ host: string; port: number } | undefined> = parser('[HOST:PORT]', (text) => {
  if (/^(no|false|off)$/i.test(text)) return undefined
  if (/^(yes|true|on)$/i.test(text)) return DASHBOARD
  const [, host = '', port] = /^(?:(.*):)?(\d{1,5})$/.exec(text) ?? []
  if (port === undefined || Number(port) > 65_535)
    throw new Unfit(`'${text}' is not an address and port of this machine; write 127.0.0.1:8723, or only 8723`)
  return { host: host === '' ? DASHBOARD.host : listenHost(host.replace(/^\[(.*)\]$/, '$1')), port: Number(port) }
})

/** `/crawl`: without a slash at its end; `/` is no path. */
export const basePath = parser('PATH', (text) => {
  if (!/^(\/[A-Za-z0-9._~-]+)*\/?$/.test(text) || /\/\.{1,2}(\/|$)/.test(text) || /^\/api(\/|$)/.test(text))
    throw new Unfit(`'${text.slice(0, 100)}' is not a path below which pages can be; write /crawl, for example`)
  return text.replace(/\/$/, '')
})

/** Without a slash at its end. */
export const serverUrl = parser('URL', (text) => {
  const url = urlIn(text, 'http:', 'https:')
  if (url === undefined || url.search !== '' || url.hash !== '')
    throw new Unfit(`'${text}' is not a server URL; write http://HOST:PORT or https://HOST`)
  return url.href.replace(/\/+$/, '')
})

/** The text may contain a password, so no message repeats it. */
export const smtpUrl = parser('smtp://…|@FILE', (text) => {
  if ((urlIn(text, 'smtp:', 'smtps:')?.hostname ?? '') === '')
    throw new Unfit(
      'this is not the URL of a mail server; write smtp://HOST, or smtps://USER:PASSWORD@HOST with %40 for @ in a name',
    )
  return text
})

/** `ops@example.org` or `Crawl <crawl@example.org>`. */
export const mailAddress = matching(
  'EMAIL',
  /^(?:[^<>@\x00-\x1f,;]{0,100}<[^\s@<>,;]{1,100}@[^\s@<>,;]{1,200}>|[^\s@<>,;]{1,100}@[^\s@<>,;]{1,200})$/,
  'not a mail address; write ops@example.org',
)

const MIN_SECRET = 16

const MAX_REASON = 1000

export const reason = parser('TEXT', (text) => {
  if (text.trim() === '' || text.length > MAX_REASON)
    throw new Unfit(`give a sentence of at most ${MAX_REASON} characters`)
  return text.trim()
})

export const secret = parser('TEXT|@FILE', (text) => {
  if (text.length < MIN_SECRET) throw new Unfit(`the secret is too short; it needs at least ${MIN_SECRET} characters`)
  return text
})

export const workerName = matching(
  'NAME',
  /^[A-Za-z0-9._-]{1,40}$/,
  'not a valid name; write up to 40 letters, digits, dots or hyphens',
)

/** Where volumes go. */
export const volumeTarget = parser('upload|keep|dir:PATH|s3://BUCKET/PREFIX', (text) => {
  if (text === 'upload' || text === 'keep') return text
  if (/^dir:[^\x00-\x1f]{1,1000}$/.test(text)) return text
  if (/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[A-Za-z0-9!_.*'()/-]{0,500})?$/.test(text))
    return text.replace(/\/+$/, '')
  throw new Unfit(`'${text}' is not a target for volumes; write upload, keep, dir:/PATH or s3://BUCKET/PREFIX`)
})

export const s3Region = matching('NAME', /^[A-Za-z0-9-]{1,64}$/, 'not a region name; write eu-west-1, for example')
