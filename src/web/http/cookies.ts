/**
 * The cookies of one visit (RFC 6265): kept in memory while it lasts, bounded, and sent to the host that set them only. A visit asks
 * one host, so `Domain` only says which cookies that host may not set.
 */
import type { Instant } from '../../base/clock.ts'
import { trimmed } from './head.ts'
import { type HeaderLines, headersOf } from './headers.ts'

interface Cookie {
  name: string
  value: string
  host: string
  /** As the server named it; '' when it did not. */
  domain: string
  path: string
  secure: boolean
  expiresAt: Instant
  /** Order of creation: earlier ones are sent first, and dropped first. */
  order: number
}

interface Place {
  host: string
  path: string
  secure: boolean
}

const MAX_COOKIES = 50
/** Of a name and its value together. */
const MAX_BYTES = 4096
/** Per `Cookie` header: what does not fit is left out, so that no server refuses our head. */
const MAX_HEADER_BYTES = 8192
/** Maximum number of Set-Cookie lines that are read. */
const MAX_LINES = 50
const LONGEST_LINE = 8192
const LONGEST_ATTRIBUTE = 1024

export class CookieJar {
  readonly #cookies = new Map<string, Cookie>()
  #order = 0
  #changes = 0

  /** Grows with every new or other value. */
  get changes(): number {
    return this.#changes
  }

  get size(): number {
    return this.#cookies.size
  }

  /** Takes the `Set-Cookie` lines of an answer. */
  take(url: string, headers: HeaderLines, now: Instant): void {
    const lines = headersOf(headers, 'set-cookie')
    if (lines.length === 0) return
    const place = placeOf(url)
    if (place === undefined) return
    for (const line of lines.slice(0, MAX_LINES)) {
      const cookie = readCookie(line, place, now)
      if (cookie !== undefined) this.#keep(cookie, now)
    }
  }

  /** The value of `Cookie` for a request; undefined when there is none to send. */
  headerFor(url: string, now: Instant): string | undefined {
    if (this.#cookies.size === 0) return undefined
    const place = placeOf(url)
    if (place === undefined) return undefined
    const fitting: Cookie[] = []
    for (const [key, cookie] of this.#cookies) {
      if (cookie.expiresAt <= now) this.#cookies.delete(key)
      else if (isFor(cookie, place)) fitting.push(cookie)
    }
    fitting.sort((a, b) => b.path.length - a.path.length || a.order - b.order)
    let header = ''
    for (const { name, value } of fitting) {
      const pair = name === '' ? value : `${name}=${value}`
      if (header.length + 2 + pair.length > MAX_HEADER_BYTES) continue
      header += header === '' ? pair : `; ${pair}`
    }
    return header === '' ? undefined : header
  }

  #keep(cookie: Cookie, now: Instant): void {
    const key = `${cookie.name}\n${cookie.host}\n${cookie.domain}\n${cookie.path}`
    const before = this.#cookies.get(key)
    if (before?.value !== cookie.value) this.#changes++
    if (cookie.expiresAt <= now) {
      this.#cookies.delete(key)
      return
    }
    cookie.order = before?.order ?? this.#order++
    if (before === undefined && this.#cookies.size >= MAX_COOKIES) this.#makeRoom(now)
    this.#cookies.set(key, cookie)
  }

  /** The expired go first, then the oldest. */
  #makeRoom(now: Instant): void {
    for (const [key, cookie] of this.#cookies) if (cookie.expiresAt <= now) this.#cookies.delete(key)
    for (const key of this.#cookies.keys()) {
      if (this.#cookies.size < MAX_COOKIES) return
      this.#cookies.delete(key)
    }
  }
}

function placeOf(url: string): Place | undefined {
  const parsed = URL.parse(url)
  if (parsed === null) return undefined
  return { host: parsed.hostname, path: parsed.pathname, secure: parsed.protocol === 'https:' }
}

function readCookie(line: string, place: Place, now: Instant): Cookie | undefined {
  if (line.length > LONGEST_LINE || /[\x00-\x08\x0a-\x1f\x7f]/.test(line)) return undefined
  const [pair, ...attributes] = line.split(';')
  const equals = pair.indexOf('=')
  const name = equals < 0 ? '' : trimmed(pair.slice(0, equals))
  const value = trimmed(pair.slice(equals + 1))
  if ((name === '' && value === '') || name.length + value.length > MAX_BYTES) return undefined
  const cookie: Cookie = {
    name,
    value,
    host: place.host,
    domain: '',
    path: defaultPath(place.path),
    secure: false,
    expiresAt: Number.POSITIVE_INFINITY,
    order: 0,
  }
  return applyAttributes(cookie, attributes, place, now) && keepsPromise(cookie, place) ? cookie : undefined
}

/** False when the cookie may not be kept. The last attribute of a name counts; Max-Age wins over Expires. */
function applyAttributes(cookie: Cookie, attributes: string[], place: Place, now: Instant): boolean {
  let expires: Instant | undefined
  let maxAge: Instant | undefined
  for (const attribute of attributes) {
    const equals = attribute.indexOf('=')
    const value = equals < 0 ? '' : trimmed(attribute.slice(equals + 1))
    if (value.length > LONGEST_ATTRIBUTE) continue
    switch (trimmed(equals < 0 ? attribute : attribute.slice(0, equals)).toLowerCase()) {
      case 'expires':
        expires = parseCookieDate(value) ?? expires
        break
      case 'max-age':
        if (/^-?\d+$/.test(value)) maxAge = Number(value) <= 0 ? Number.NEGATIVE_INFINITY : now + Number(value) * 1000
        break
      case 'domain':
        cookie.domain = value.toLowerCase().replace(/^\./, '')
        break
      case 'path':
        cookie.path = value.startsWith('/') ? value : defaultPath(place.path)
        break
      case 'secure':
        cookie.secure = true
        break
    }
  }
  cookie.expiresAt = maxAge ?? expires ?? Number.POSITIVE_INFINITY
  return cookie.domain === '' || isWithin(place.host, cookie.domain)
}

const LONGEST_DATE = 100

/** The dates of cookies have every form (`Wed, 21-Oct-15 07:28:00 GMT`), as the engine's own reader expects of them. Undefined: none. */
function parseCookieDate(text: string): Instant | undefined {
  // The reader takes a number alone for a year, and a time without a zone for local time.
  const date = text.slice(0, LONGEST_DATE)
  const at = /\d:\d/.test(date) ? Date.parse(`${date.replace(/(?:GMT|UTC)$/i, '')} GMT`) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

/** A secure cookie must come over TLS, and the prefixes `__Secure-` and `__Host-` are enforced. */
function keepsPromise(cookie: Cookie, place: Place): boolean {
  if (cookie.secure && !place.secure) return false
  const name = (cookie.name === '' ? cookie.value : cookie.name).toLowerCase()
  if (name.startsWith('__secure-')) return cookie.secure
  if (name.startsWith('__host-')) return cookie.secure && cookie.domain === '' && cookie.path === '/'
  return true
}

function isFor(cookie: Cookie, place: Place): boolean {
  if (cookie.host !== place.host || (cookie.secure && !place.secure)) return false
  if (!place.path.startsWith(cookie.path)) return false
  return place.path.length === cookie.path.length || cookie.path.endsWith('/') || place.path[cookie.path.length] === '/'
}

/** The host itself or a name below the domain; addresses have nothing below them. */
function isWithin(host: string, domain: string): boolean {
  if (host === domain) return true
  return host.endsWith('.' + domain) && !/^[\d.]+$|:/.test(host)
}

function defaultPath(path: string): string {
  const last = path.lastIndexOf('/')
  return last <= 0 ? '/' : path.slice(0, last)
}
