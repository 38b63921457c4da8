/**
 * The dates of sitemaps and feeds: W3C's profile of ISO 8601 in every precision (`2004`, `2004-12`, `2004-12-23`,
 * `2004-12-23T18:00+01:00`, with seconds and fractions), and the e-mail dates of RSS (`Thu, 23 Dec 2004 18:00:15 +0100`).
 */
import type { Instant } from '../../base/clock.ts'
import { instantOf, monthOf } from '../http/http-date.ts'

const LONGEST = 64
const MINUTE = 60_000

const ISO =
  /^(\d{4})(?:-(\d\d?)(?:-(\d\d?)(?:[Tt ]\s?(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d)?)?)?)?$/
const COMPACT = /^(\d{4})(\d\d)(\d\d)$/
const MAIL =
  /^(?:[A-Za-z]{3,9},?\s+)?(\d\d?)\s+([A-Za-z]{3})[a-z]*\s+(\d{4}|\d\d)\s+(\d\d?):(\d\d)(?::(\d\d))?\s*(Z|UTC|UT|GMT|[A-Z]{3}|[+-]\d{4}|[+-]\d\d:\d\d)?$/

/** Zones that RFC 822 names; any other name is as if not there. */
const ZONES: Readonly<Record<string, number>> = {
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
}

/** The first instant of what the text names; without a zone it is taken as UTC. Undefined when it names none. */
export function parseW3cDate(text: string): Instant | undefined {
  const trimmed = text.length > LONGEST ? '' : text.trim()
  const iso = ISO.exec(trimmed) ?? COMPACT.exec(trimmed)
  if (iso !== null) {
    const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((at) => Number(iso[at] ?? (at < 4 ? 1 : 0)))
    const at = instantOf(year, month, day, hour, minute, second)
    const ms = Number((iso[7] ?? '').padEnd(3, '0').slice(0, 3))
    return at === undefined ? undefined : at + ms - offsetOf(iso[8])
  }
  const mail = MAIL.exec(trimmed)
  if (mail === null) return undefined
  const name = mail[2][0].toUpperCase() + mail[2].slice(1).toLowerCase()
  const at = instantOf(yearOf(mail[3]), monthOf(name), +mail[1], +mail[4], +mail[5], Number(mail[6] ?? 0))
  return at === undefined ? undefined : at - offsetOf(mail[7])
}

/** RFC 822 had two digits: before 50 it is this century. */
function yearOf(digits: string): number {
  if (digits.length === 4) return +digits
  return +digits < 50 ? 2000 + +digits : 1900 + +digits
}

function offsetOf(zone: string | undefined): number {
  if (zone === undefined) return 0
  const found = /^([+-])(\d\d):?(\d\d)?$/.exec(zone)
  if (found === null) return (ZONES[zone] ?? 0) * 60 * MINUTE
  const minutes = +found[2] * 60 + Number(found[3] ?? 0)
  return (found[1] === '-' ? -minutes : minutes) * MINUTE
}
