/** `/metrics` of a crawl that is no server, beside its dashboard. Loaded with it, so that a plain crawl loads no library for it. */
import { type Clock, type Millis, remembered } from '../../base/clock.ts'
import type { Readers } from '../../base/journal.ts'
import { publicFreshness } from '../../cluster/maintenance/measure-freshness.ts'
import type { ProblemWatch } from '../../cluster/maintenance/problem-watch.ts'
import { type MetricFacts, Metrics, type MetricsPage } from '../../cluster/server/metrics.ts'
import { lookCounts } from '../../collection/counters/counters.ts'
import type { Event } from '../../contracts/events.ts'
import type { Coordinator } from './coordinator.ts'
import type { CrawlView } from './crawl-view.ts'

const FRESH: Millis = 1000

/** `accept`: the header of who asks. `problems`: once they are watched. */
export function crawlMetrics(
  { intake, parts: { database } }: Coordinator,
  view: CrawlView,
  journal: Readers<Event>,
  clock: Clock,
  problems: () => ProblemWatch | undefined,
): (accept: string) => Promise<MetricsPage> {
  const metrics = new Metrics()
  journal.read((event) => metrics.count(event))
  const facts = (): MetricFacts => {
    const { totals, counters, freshness } = view
    const { outage, lateMs } = view.snapshot()
    const { sites, urls } = totals
    const known = freshness === undefined ? null : publicFreshness(freshness)
    const crawl = { sites, urls, counters, looks: lookCounts(counters), freshness: known, inbox: intake.pending() }
    return {
      crawl: outage === undefined ? crawl : undefined,
      problems: problems()?.now() ?? [],
      local: problems()?.local() ?? { disks: [], lateMs, clockOffsetMs: 0, restarts: undefined },
      statements: database.statements?.() ?? {},
    }
  }
  const pages = ['', 'application/openmetrics-text'].map((accept) =>
    remembered(clock, FRESH, () => metrics.page(facts(), accept)),
  )
  return (accept) => pages[accept.includes('application/openmetrics-text') ? 1 : 0]()
}
