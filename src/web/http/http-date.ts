/** The three date forms of HTTP (RFC 9110 §5.6.7). `Date.parse` would also accept `2`, `May` and local time. */
import type { Instant, Millis } from '../../base/clock.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const FIX_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/
const RFC_850 = /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\d\d)-([A-Z][a-z]{2})-(\d\d) (\d\d):(\d\d):(\d\d) GMT$/
const ASCTIME = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d) (\d{4})$/

/** Milliseconds since 1970. A two-digit year more than 50 years after `now` belongs to the century before. */
export function parseHttpDate(text: string, now: number): number | undefined {
  if (text.length < 24 || text.length > 33) return undefined
  let found = FIX_DATE.exec(text)
  if (found !== null) return instantOf(+found[3], monthOf(found[2]), +found[1], +found[4], +found[5], +found[6])
  found = RFC_850.exec(text)
  if (found !== null) {
    return instantOf(centuryOf(+found[3], now), monthOf(found[2]), +found[1], +found[4], +found[5], +found[6])
  }
  found = ASCTIME.exec(text)
  if (found !== null) return instantOf(+found[6], monthOf(found[1]), +found[2], +found[3], +found[4], +found[5])
  return undefined
}

/** `Sun, 06 Nov 1994 08:49:37 GMT`; of the years 0 to 9999. */
export function formatHttpDate(instant: number): string {
  return new Date(instant).toUTCString()
}

/** 1 to 12; 0 when it is not a month's name. */
function monthOf(name: string): number {
  return MONTHS.indexOf(name) + 1
}

/** Undefined when there is no such day or time; a leap second (:60) counts as the next second. */
export function instantOf(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number | undefined {
  if (hour > 23 || minute > 59 || second > 60) return undefined
  const date = new Date(0)
  // Not `Date.UTC`, which takes the years 0 to 99 for those of the last century.
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  return date.setUTCHours(hour, minute, second)
}

function centuryOf(twoDigits: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + twoDigits
  return year > thisYear + 50 ? year - 100 : year
}

/** More than a year is a mistake; callers limit it further. */
const LONGEST_MS = 366 * 86_400_000

/** How long a server asks us to stay away, in either form; undefined when it says nothing readable. */
export function retryAfter(value: string | undefined, now: Instant): Millis | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  if (/^\d{1,100}$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_MS)
  const at = parseHttpDate(text, now)
  return at === undefined ? undefined : Math.min(Math.max(0, at - now), LONGEST_MS)
}
