/** Metrics with at least one value of everything that they count. */
import { type MetricFacts, Metrics } from './metrics.ts'

const SITES = { waiting: 1, free: 2, leased: 3, returning: 0, crawled: 4, barred: 0, held: 0 }
const COUNTERS = new Map([
  ['requests', 100],
  ['failure:dns', 7],
  ['refused:robots', 3],
  ['stopped:maze', 12],
  ['status:200', 80],
  ['elapsed:download', 1500],
])
export const FACTS: MetricFacts = {
  crawl: {
    sites: SITES,
    urls: { known: 30, marked: 10, waiting: 20, refreshing: 0 },
    looks: {
      ...{ performed: 5, changed: 2, unchanged: 3, moved: 0, refused: 0, failed: 0 },
      hints: { performed: 0, discarded: 0, new: 3 },
    },
    freshness: {
      ...{ at: 1_700_000_000_000, pages: 2, measured: 2, sites: 1, freshness: 0.9, ageSeconds: 60, bound: 0.95 },
      ...{ stalenessRatio: 2, boundLooks: 0.5, capacity: null, gain: { oneMoreLook: 0, shorterPause: 0.01 } },
    },
    inbox: 4,
    servers: 2,
    workers: { alive: 3, silent: 1, pagesPerSecond: 12.5 },
    counters: COUNTERS,
  },
  problems: [{ kind: 'disk' }, { kind: 'disk' }, { kind: 'stalled' }],
  local: {
    disks: [{ folder: '/var/lib/orb "1"\\', free: 5e9, total: 1e11 }],
    ...{ lateMs: 120, clockOffsetMs: -30, restarts: { count: 2, why: 'x', agoMs: 5 } },
  },
  statements: { select: 10, insert: 2, update: 1, delete: 0, other: 0 },
}

export function filledMetrics(): Metrics {
  const metrics = new Metrics()
  const seen = { answersMs: [40, 700], pausesMs: [2000, 30_000], hazards: ['site-urls>=5000', 'maze', 'site-urls>=9'] }
  metrics.count({ kind: 'applied', parts: 2, pages: 3, tookMs: 20, seen })
  metrics.count({ kind: 'leased', sites: 4, tookMs: 3 })
  metrics.count({ kind: 'inbox-stored', parts: 5 })
  metrics.count({ kind: 'trouble', what: 'x' })
  metrics.count({ kind: 'mail', result: 'failed', what: 'x' })
  metrics.called('checkOut', 'ok', 1200, 340)
  return metrics
}
