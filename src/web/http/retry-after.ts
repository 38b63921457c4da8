import type { Instant, Millis } from '../../base/clock.ts'
import { parseHttpDate } from './http-date.ts'

/** Longer than a year is no courtesy but a typing mistake; callers bound it further. */
const LONGEST_MS = 366 * 86_400_000

/** How long a server asks us to stay away, in either form; undefined when it says nothing that can be read. */
export function retryAfter(value: string | undefined, now: Instant): Millis | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  if (/^\d{1,100}$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_MS)
  const at = parseHttpDate(text, now)
  return at === undefined ? undefined : Math.min(Math.max(0, at - now), LONGEST_MS)
}
