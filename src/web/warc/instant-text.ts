/** Instants as archives write them: `2024-02-29T12:00:00.123Z`, and 14 or 17 digits. */
import type { Instant } from '../../base/clock.ts'
import { instantOf } from '../http/http-date.ts'

/** Years 0 to 9999 only: the formats have four digits. */
const FIRST = -62_167_219_200_000
const LAST = 253_402_300_799_999

/** `2024-02-29T12:00:00.123Z`: WARC 1.1 allows fractions of a second, and a reference by date must be exact. */
export function isoInstant(at: Instant): string {
  return new Date(Math.min(Math.max(Math.floor(at), FIRST), LAST)).toISOString()
}

/** `20240229120000`: the second key of a CDXJ line. */
export function timestamp14(at: Instant): string {
  return timestamp17(at).slice(0, 14)
}

/** `20240229120000123`: in the name of a volume. */
export function timestamp17(at: Instant): string {
  return isoInstant(at).replace(/\D/g, '')
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
