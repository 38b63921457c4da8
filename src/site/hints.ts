/**
 * What a sitemap says of a page's last change is a hint. How often it told the truth is kept by site: a planner may trust
 * it as far as it deserves (B5).
 */
import type { Instant, Millis } from '../base/clock.ts'
import type { PageReport } from '../visit/report.ts'
import type { SiteMemory } from '../visit/site-memory.ts'
import type { AgendaItem } from '../visit/visit.ts'
import { parseHttpDate } from '../web/http/http-date.ts'
import type { Reporter } from './reporter.ts'

const DAY: Millis = 86_400_000
/** A server that makes its pages as they are asked for says that they changed just now: that is no witness. */
const JUST_NOW: Millis = 60_000

/** A later look: the hint says whether the page changed since `before`, the bytes say whether it did. */
export function judgeHint(
  memory: SiteMemory,
  { hint, before, changed }: { hint: Instant; before: Instant; changed: boolean },
): SiteMemory {
  return counted(memory, hint > before === changed)
}

/** A first look, beside what the server says: they agree within a day, for most sitemaps tell no time of day. */
export function judgeFirstHint(
  memory: SiteMemory,
  { hint, lastModified, now }: { hint: Instant; lastModified: Instant; now: Instant },
): SiteMemory {
  if (lastModified > now - JUST_NOW) return memory
  return counted(memory, Math.abs(hint - lastModified) <= DAY)
}

function counted(memory: SiteMemory, isTrue: boolean): SiteMemory {
  const { checked, held } = memory.hints ?? { checked: 0, held: 0 }
  return { ...memory, hints: { checked: checked + 1, held: held + (isTrue ? 1 : 0) } }
}

/** Of a page that was kept. */
export function learnFromHint(item: AgendaItem, page: PageReport, reporter: Reporter): void {
  const { hint, before, lookedAt } = item
  if (hint === undefined || page.outcome.kind !== 'kept') return
  if (before !== undefined) {
    if (lookedAt === undefined) return
    const changed = page.outcome.how === 'changed'
    reporter.remember(judgeHint(reporter.memory, { hint, before: lookedAt, changed }))
    return
  }
  const lastModified = parseHttpDate(page.memory?.lastModified ?? '', page.at)
  if (lastModified === undefined) return
  reporter.remember(judgeFirstHint(reporter.memory, { hint, lastModified, now: page.at }))
}
