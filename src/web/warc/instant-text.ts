/** Instants as archives write them: `2024-02-29T12:00:00.123Z`, and 14 or 17 digits. */
import type { Instant } from '../../base/clock.ts'
import { instantOf } from '../http/http-date.ts'

/** Years 0 to 9999 only: the formats have four digits. */
const FIRST = -62_167_219_200_000
const LAST = 253_402_300_799_999

/** The text of the last second: of a thousand instants in a row most lie in one second. */
let lastSecond = Number.NaN
let lastText = ''
let lastDigits = ''

/** Returns the rest of the second. */
function readSecond(at: Instant): number {
  const clamped = Math.min(Math.max(Math.floor(at), FIRST), LAST)
  const second = Math.floor(clamped / 1000)
  if (second !== lastSecond) {
    lastText = new Date(second * 1000).toISOString().slice(0, -4)
    lastDigits = lastText.replace(/\D/g, '')
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
  const at = instantOf(year, month, day, hour, minute, second)
  return at === undefined ? undefined : at + Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
}
