/**
 * The key by which archives sort a URL: `com,example)/path?a=1&b=2`. The same text as the Python package `surt` (0.3.1)
 * makes with its default rules, because pywb, cdxj-indexer and OpenWayback look captures up by it.
 *
 * The rules drop scheme, user, fragment, `www.`, `www2.` …, the default port and known session ids; unescape everything
 * until nothing changes and escape it once; lower-case path and query; resolve dots and double slashes in the path and
 * drop a last slash; sort the parameters.
 *
 * Text is handled as bytes (one character per byte of UTF-8), since escapes may make bytes that are not text.
 */
import { hexValue } from './escapes.ts'

const MANY_SCHEMES = /^(?:https?:\/\/)+(?=https?:\/\/)/
const HAS_SCHEME = /^[a-zA-Z][a-zA-Z0-9+.-]*:/
const PARTS = /^([a-zA-Z][a-zA-Z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/
const DEFAULT_PORT: Record<string, string> = { http: '80', https: '443' }

/** A text that is not a URL is its own key, as for the indexers. */
export function surt(url: string): string {
  if (url === '') return '-'
  if (url.startsWith('filedesc')) return url
  const trimmed = bytewise(url)
    .replace(/^[ \t\n\r\v\f]+|[ \t\n\r\v\f]+$/g, '')
    .replace(/[\t\n\r]/g, '')
  const absolute = (HAS_SCHEME.test(trimmed) ? trimmed : 'http://' + trimmed).replace(MANY_SCHEMES, '')
  const parts = PARTS.exec(absolute)
  if (parts === null) return url
  const scheme = parts[1]
  let authority = parts[2] ?? ''
  let path = parts[3]
  if (authority === '' && scheme.startsWith('http')) {
    // `http:////host/path`: the host is the first thing after the slashes.
    const [host, ...rest] = path.replace(/^\/+/, '').split('/')
    authority = host
    path = '/' + rest.join('/')
  }
  const query = parts[4] ? queryKey(parts[4]) : ''
  const host = authority === '' ? '' : hostKey(authority, scheme)
  const place = host === '' ? `${scheme}:${lower(escaped(unescaped(path)))}` : `${host})${pathKey(path)}`
  return query === '' ? place : `${place}?${query}`
}

function hostKey(authority: string, scheme: string): string {
  const place = authority.slice(authority.lastIndexOf('@') + 1)
  const bracketed = /^\[([^\]]*)\](?::(\d*))?$/.exec(place)
  const colon = place.indexOf(':')
  const rawHost = bracketed !== null ? bracketed[1] : colon < 0 ? place : place.slice(0, colon)
  const rawPort = bracketed !== null ? bracketed[2] : colon < 0 ? '' : place.slice(colon + 1)
  const plain = ascii(unescaped(lower(rawHost)))
    .replaceAll('..', '.')
    .replace(/^\.+|\.+$/g, '')
  const host = (ipv4(plain) ?? lower(escaped(plain))).replace(/^www\d*\./, '')
  const port = rawPort ? String(Number(rawPort)) : ''
  const shownPort = port === '' || port === '0' || port === DEFAULT_PORT[lower(scheme)] ? '' : ':' + port
  return host.split('.').reverse().join(',') + shownPort
}

/** Names with letters beyond ASCII, in the form in which they are requested. */
function ascii(host: string): string {
  if (!/[\x80-\xff]/.test(host)) return host
  const text = Buffer.from(host, 'latin1').toString('utf8')
  return URL.canParse(`http://${text}/`) ? new URL(`http://${text}/`).hostname : host
}

/** Addresses in other spellings: one number, octal digits, fewer than four parts. */
function ipv4(host: string): string | undefined {
  if (/^\d+$/.test(host)) {
    const number = Number(BigInt(host) & 0xffffffffn)
    return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.')
  }
  if (!/^\d+(?:\.\d+){1,3}$/.test(host)) return undefined
  return URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).hostname : undefined
}

const ASPX_SESSIONS = [
  /^(.*\/)\((?:[a-z]\([0-9a-z]{24}\))+\)\/([^?]+\.aspx.*)$/,
  /^(.*\/)\([0-9a-z]{24}\)\/([^?]+\.aspx.*)$/,
]

function pathKey(path: string): string {
  let key = lower(escaped(resolved(unescaped(path))))
  for (const session of ASPX_SESSIONS) key = key.replace(session, '$1$2')
  return key.length > 1 && key.endsWith('/') ? key.slice(0, -1) : key
}

/** Without `.`, `..` and empty segments; a `..` that has nothing above it stays. */
function resolved(path: string): string {
  if (path === '') return '/'
  const kept: string[] = []
  for (const part of path.split('/').slice(1)) {
    if (part === '.') continue
    if (part === '..' && kept.length > 0) kept.pop()
    else kept.push(part)
  }
  const last = kept.pop() ?? ''
  return '/' + kept.map((part) => (part === '' ? '' : part + '/')).join('') + last
}

const QUERY_SESSIONS = [
  /^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$/i,
  /^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$/i,
  /^(.*)sid=[0-9a-z]{32}(?:&(.*))?$/i,
  /^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$/i,
  /^(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?$/i,
]

function queryKey(query: string): string {
  let key = escaped(unescaped(query))
  for (const session of QUERY_SESSIONS) key = key.replace(session, (_, before, after) => before + (after ?? ''))
  key = lower(key)
  if (key.length <= 1 || !key.includes('&')) return key
  return key.split('&').sort(byNameThenValue).join('&')
}

/** A parameter without a value comes before those of its name that have one. No parameter has a zero: it would be escaped. */
function byNameThenValue(a: string, b: string): number {
  const [one, other] = [a.replace('=', '\0'), b.replace('=', '\0')]
  return one < other ? -1 : one > other ? 1 : 0
}

/** One character per byte of UTF-8. */
function bytewise(text: string): string {
  return /[^\x00-\x7f]/.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text
}

/** Letters of ASCII only: the characters above are bytes, not letters. */
function lower(text: string): string {
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text
}

/** Unescapes everything in one pass: what a byte completes is decoded at once. (Repeated passes are quadratic.) */
function unescaped(text: string): string {
  if (!text.includes('%')) return text
  const out = Buffer.allocUnsafe(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    out[length++] = text.charCodeAt(at)
    while (length >= 3 && out[length - 3] === 0x25) {
      const high = hexValue(out[length - 2])
      const low = hexValue(out[length - 1])
      if (high < 0 || low < 0) break
      length -= 2
      out[length - 1] = high * 16 + low
    }
  }
  return out.toString('latin1', 0, length)
}

function escaped(text: string): string {
  if (!/[^!"$&-~]/.test(text)) return text
  return text.replace(/[^!"$&-~]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0'))
}
