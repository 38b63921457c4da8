/** The cookies of one visit (RFC 6265): kept in memory while it lasts, bounded, for the site's own domain only. */
import { getPublicSuffix } from 'tldts'
import type { Instant } from '../../base/clock.ts'
import { trimmed } from './head.ts'
import { type HeaderLines, headersOf } from './headers.ts'
import { instantOf, monthOf } from './http-date.ts'

interface Cookie {
  name: string
  value: string
  domain: string
  hostOnly: boolean
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
/** No more Set-Cookie lines are read than this. */
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
    const key = `${cookie.name}\n${cookie.domain}\n${cookie.hostOnly}\n${cookie.path}`
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
    domain: place.host,
    hostOnly: true,
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
  let domain = ''
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
        domain = value.toLowerCase().replace(/^\./, '')
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
  if (domain === '' || domain === place.host) {
    // A site that is itself a public suffix may keep cookies for itself alone.
    cookie.hostOnly = domain === '' || isSuffix(domain)
    return true
  }
  if (!isWithin(place.host, domain) || isSuffix(domain)) return false
  cookie.domain = domain
  cookie.hostOnly = false
  return true
}

/** A secure cookie must come over TLS, and the prefixes `__Secure-` and `__Host-` are enforced. */
function keepsPromise(cookie: Cookie, place: Place): boolean {
  if (cookie.secure && !place.secure) return false
  const name = (cookie.name === '' ? cookie.value : cookie.name).toLowerCase()
  if (name.startsWith('__secure-')) return cookie.secure
  if (name.startsWith('__host-')) return cookie.secure && cookie.hostOnly && cookie.path === '/'
  return true
}

function isFor(cookie: Cookie, place: Place): boolean {
  if (cookie.secure && !place.secure) return false
  if (cookie.hostOnly ? place.host !== cookie.domain : !isWithin(place.host, cookie.domain)) return false
  if (!place.path.startsWith(cookie.path)) return false
  return place.path.length === cookie.path.length || cookie.path.endsWith('/') || place.path[cookie.path.length] === '/'
}

/** The host itself or a name below the domain; addresses have nothing below them. */
function isWithin(host: string, domain: string): boolean {
  if (host === domain) return true
  return host.endsWith('.' + domain) && !/^[\d.]+$|:/.test(host)
}

const SUFFIX_OPTIONS = { allowPrivateDomains: true, extractHostname: false, validateHostname: false }

function isSuffix(domain: string): boolean {
  return getPublicSuffix(domain, SUFFIX_OPTIONS) === domain
}

function defaultPath(path: string): string {
  const last = path.lastIndexOf('/')
  return last <= 0 ? '/' : path.slice(0, last)
}

const LONGEST = 100
const DELIMITERS = /[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/
const TIME = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D|$)/
const DAY = /^(\d{1,2})(?:\D|$)/
const YEAR = /^(\d{2,4})(?:\D|$)/

/** `Expires` of a cookie: the lax reading that RFC 6265 §5.1.1 prescribes (`Wed, 21-Oct-2015 07:28:00 GMT` and worse). */
export function parseCookieDate(text: string): number | undefined {
  let time: RegExpExecArray | null = null
  let day = -1
  let month = 0
  let year = -1
  for (const token of text.slice(0, LONGEST).split(DELIMITERS)) {
    const asTime: RegExpExecArray | null = time === null ? TIME.exec(token) : null
    if (asTime !== null) {
      time = asTime
      continue
    }
    const asDay = day < 0 ? DAY.exec(token) : null
    if (asDay !== null) {
      day = Number(asDay[1])
      continue
    }
    const asMonth = month === 0 ? monthOf(capitalised(token.slice(0, 3))) : 0
    if (asMonth > 0) {
      month = asMonth
      continue
    }
    const asYear = year < 0 ? YEAR.exec(token) : null
    if (asYear !== null) year = Number(asYear[1])
  }
  if (year >= 70 && year <= 99) year += 1900
  else if (year >= 0 && year <= 69) year += 2000
  if (time === null || year < 1601 || Number(time[3]) > 59) return undefined
  return instantOf(year, month, day, Number(time[1]), Number(time[2]), Number(time[3]))
}

function capitalised(letters: string): string {
  return letters.charAt(0).toUpperCase() + letters.slice(1).toLowerCase()
}
