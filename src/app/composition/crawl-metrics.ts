/** `/metrics` of a crawl that is no server, beside its dashboard. Loaded with it, so that a plain crawl loads no library for it. */
import type { Clock } from '../../base/clock.ts'
import type { Readers } from '../../base/journal.ts'
import { publicFreshness } from '../../cluster/maintenance/measure-freshness.ts'
import type { ProblemWatch } from '../../cluster/maintenance/problem-watch.ts'
import { Metrics, metricsPages, NOT_WATCHED } from '../../cluster/server/metrics.ts'
import { lookCounts } from '../../collection/counters/counters.ts'
import type { Event } from '../../contracts/events.ts'
import type { Coordinator } from './coordinator.ts'
import type { CrawlView } from './crawl-view.ts'

/** `problems`: once they are watched. */
export function crawlMetrics(
  { intake, parts: { database } }: Coordinator,
  view: CrawlView,
  journal: Readers<Event>,
  clock: Clock,
  problems: () => ProblemWatch | undefined,
) {
  const metrics = new Metrics()
  journal.read((event) => metrics.count(event))
  return metricsPages(metrics, clock, () => {
    const { totals, counters, freshness } = view
    const { outage, lateMs } = view.snapshot()
    const { sites, urls } = totals
    const known = freshness === undefined ? null : publicFreshness(freshness)
    const crawl = { sites, urls, counters, looks: lookCounts(counters), freshness: known, inbox: intake.pending() }
    const watch = problems()
    return {
      crawl: outage === undefined ? crawl : undefined,
      problems: watch?.now() ?? [],
      local: watch?.local() ?? { ...NOT_WATCHED.local, lateMs },
      statements: database.statements?.() ?? {},
    }
  })
}
