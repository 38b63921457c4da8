/**
 * What a sitemap says of a page's last change is a hint. How often it told the truth is kept by site: a planner may trust
 * it as far as it deserves (B5).
 */
import type { Instant, Millis } from '../base/clock.ts'
import type { PageReport } from '../contracts/report.ts'
import type { SiteMemory } from '../contracts/site-memory.ts'
import type { AgendaItem } from '../contracts/visit.ts'
import { parseHttpDate } from '../web/http/http-date.ts'
import type { Reporter } from './reporter.ts'

const DAY: Millis = 86_400_000
/** A server that makes its pages as they are asked for says that they changed just now: that is no witness. */
const JUST_NOW: Millis = 60_000

/** Beside what the server says: they agree within a day, for most sitemaps tell no time of day. */
export function judgeHint(
  memory: SiteMemory,
  { hint, lastModified, now }: { hint: Instant; lastModified: Instant; now: Instant },
): SiteMemory {
  if (lastModified > now - JUST_NOW) return memory
  const { checked, held } = memory.hints ?? { checked: 0, held: 0 }
  const isTrue = Math.abs(hint - lastModified) <= DAY
  return { ...memory, hints: { checked: checked + 1, held: held + (isTrue ? 1 : 0) } }
}

/** Of a page that was kept. */
export function learnFromHint(item: AgendaItem, page: PageReport, reporter: Reporter): void {
  const { hint } = item
  if (hint === undefined || page.outcome.kind !== 'kept') return
  const lastModified = parseHttpDate(page.memory?.lastModified ?? '', page.at)
  if (lastModified === undefined) return
  reporter.remember(judgeHint(reporter.memory, { hint, lastModified, now: page.at }))
}
