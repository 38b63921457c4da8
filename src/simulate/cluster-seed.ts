/** A small cluster, all of it drawn from one number: what `npm run chaos -- --simulated` runs, thousands of times. */
import { seededRandom } from '../base/random.ts'
import { EVEN_WEIGHTS } from './cluster-faults.ts'
import type { ClusterOptions } from './cluster-run.ts'
import { GOOD } from './network.ts'

const LEASE = 60_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE

export function clusterOf(seed: number): ClusterOptions {
  const random = seededRandom(seed ^ 0x5eed)
  const isBad = random.next() < 0.7
  return {
    seed,
    sites: 4 + random.integer(4),
    pages: 5 + random.integer(6),
    web: {
      pageBytes: 1000,
      linksPerPage: 8,
      hiddenPages: 2,
      sharedAddressShare: 0.4,
      flakyShare: random.next() < 0.5 ? 0.03 : 0,
    },
    settings: {
      visits: 4,
      lease: LEASE,
      exchangeTimeout: LEASE / 3,
      volumeSize: random.next() < 0.5 ? 10_000 : 2 ** 30,
      slicePages: random.next() < 0.5 ? 4 : 500,
    },
    workers: 2 + random.integer(3),
    servers: 1 + random.integer(2),
    uploads: random.next() < 0.6,
    network: isBad
      ? {
          requestLost: random.next() * 0.04,
          answerLost: random.next() * 0.04,
          repeated: random.next() * 0.06,
          lateMs: random.next() < 0.8 ? 100 : 1500,
        }
      : GOOD,
    plan: {
      every: 4000 + random.integer(10_000),
      most: 1 + random.integer(12),
      until: 20 * MINUTE,
      weights: EVEN_WEIGHTS,
      fullFor: 2 * MINUTE,
    },
    clocksOff: 0.3,
    within: 6 * HOUR,
  }
}
