/** The three date forms of HTTP (RFC 9110 §5.6.7). `Date.parse` would also accept `2`, `May` and local time. */
import type { Instant, Millis } from '../../base/clock.ts'

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const DAY_MS = 86_400_000

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
  const day = Math.floor(instant / DAY_MS)
  const second = Math.floor((instant - day * DAY_MS) / 1000)
  const { year, month, dayOfMonth } = civilOf(day)
  const time = [Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60].map(two).join(':')
  const weekday = DAYS[(((day + 4) % 7) + 7) % 7]
  return `${weekday}, ${two(dayOfMonth)} ${MONTHS[month - 1]} ${String(year).padStart(4, '0')} ${time} GMT`
}

/** 1 to 12; 0 when it is not a month's name. */
export function monthOf(name: string): number {
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
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 60) return undefined
  return dayNumber(year, month, day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000
}

function centuryOf(twoDigits: number, now: number): number {
  const thisYear = civilOf(Math.floor(now / DAY_MS)).year
  const year = thisYear - (thisYear % 100) + twoDigits
  return year > thisYear + 50 ? year - 100 : year
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Days since 1970-01-01 in the Gregorian calendar; years start in March, so that the leap day is the last. */
function dayNumber(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  return 365 * y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468
}

function civilOf(day: number): { year: number; month: number; dayOfMonth: number } {
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    dayOfMonth: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  }
}

function two(value: number): string {
  return String(value).padStart(2, '0')
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
