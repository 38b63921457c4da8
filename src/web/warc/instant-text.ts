/** Instants as archives write them: `2024-02-29T12:00:00.123Z`, and 14 or 17 digits. */
import type { Instant } from '../../base/clock.ts'

const DAY_MS = 86_400_000

/** The calendar day of a day number since 1970, in a year that begins in March (proleptic Gregorian). */
function civil(day: number): [year: number, month: number, day: number] {
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  return [
    yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  ]
}

function dayNumber(year: number, month: number, day: number): number {
  const shiftedYear = month <= 2 ? year - 1 : year
  const era = Math.floor(shiftedYear / 400)
  const yearOfEra = shiftedYear - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

const padded = (value: number, width: number): string => String(value).padStart(width, '0')

/** Years 0 to 9999 only: the formats have four digits. */
const FIRST = -62_167_219_200_000
const LAST = 253_402_300_799_999

function parts(at: Instant): { date: [string, string, string]; time: [string, string, string] } {
  const clamped = Math.min(Math.max(Math.floor(at), FIRST), LAST)
  const day = Math.floor(clamped / DAY_MS)
  const inDay = clamped - day * DAY_MS
  const [year, month, dayOfMonth] = civil(day)
  return {
    date: [padded(year, 4), padded(month, 2), padded(dayOfMonth, 2)],
    time: [
      padded(Math.floor(inDay / 3_600_000), 2),
      padded(Math.floor(inDay / 60_000) % 60, 2),
      padded(Math.floor(inDay / 1000) % 60, 2),
    ],
  }
}

/** The text of the last second: of a thousand instants in a row most lie in one second. */
let lastSecond = Number.NaN
let lastText = ''
let lastDigits = ''

/** Returns the rest of the second. */
function readSecond(at: Instant): number {
  const clamped = Math.min(Math.max(Math.floor(at), FIRST), LAST)
  const second = Math.floor(clamped / 1000)
  if (second !== lastSecond) {
    const { date, time } = parts(clamped)
    lastText = `${date[0]}-${date[1]}-${date[2]}T${time[0]}:${time[1]}:${time[2]}.`
    lastDigits = date.join('') + time.join('')
    lastSecond = second
  }
  return clamped - second * 1000
}

const threeDigits = (ms: number): string => `${ms < 10 ? '00' : ms < 100 ? '0' : ''}${ms}`

/** `2024-02-29T12:00:00.123Z`: WARC 1.1 allows fractions of a second, and a reference by date must be exact. */
export function isoInstant(at: Instant): string {
  const ms = readSecond(at)
  return `${lastText}${threeDigits(ms)}Z`
}

/** `20240229120000`: the second key of a CDXJ line. */
export function timestamp14(at: Instant): string {
  readSecond(at)
  return lastDigits
}

/** `20240229120000123`: in the name of a volume. */
export function timestamp17(at: Instant): string {
  const ms = readSecond(at)
  return lastDigits + threeDigits(ms)
}

const ISO = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?Z$/

/** The instant of a WARC-Date; undefined when it is not one. Finer fractions than milliseconds are cut. */
export function parseIsoInstant(text: string): Instant | undefined {
  const match = ISO.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number)
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return undefined
  const ms = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
  return dayNumber(year, month, day) * DAY_MS + hour * 3_600_000 + minute * 60_000 + second * 1000 + ms
}
