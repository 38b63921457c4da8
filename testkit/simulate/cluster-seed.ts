/** Clusters drawn from one number: small ones, to be run thousands of times, and one for many virtual days (`npm run chaos`). */
import { seededRandom } from '../../src/base/random.ts'
import { EVEN_WEIGHTS } from './cluster-faults.ts'
import type { ClusterOptions } from './cluster-run.ts'
import { GOOD } from './network.ts'

const LEASE = 60_000
const MINUTE = 60_000
const REFRESH_PAUSE = 10_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A small one. */
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
      max: 1 + random.integer(12),
      until: 20 * MINUTE,
      weights: EVEN_WEIGHTS,
      fullFor: 2 * MINUTE,
      awayFor: 2 * LEASE,
    },
    clocksOff: 0.3,
    within: 6 * HOUR,
  }
}

/** The same, but what was collected is looked at again all the while; pages change some times an hour. */
export function refreshingClusterOf(seed: number): ClusterOptions {
  const { web, settings, ...options } = clusterOf(seed)
  return {
    ...options,
    web: { ...web, changesPerDay: 100, leastChangesPerDay: 10 },
    settings: { ...settings, pause: REFRESH_PAUSE },
    refreshUntil: 25 * MINUTE,
  }
}

/**
 * The same over PostgreSQL, with two servers. Every second of a server is some real round trips, so it is shorter, and more
 * happens in it.
 */
export function sharedClusterOf(seed: number, open: NonNullable<ClusterOptions['open']>): ClusterOptions {
  const { plan, settings, ...options } = refreshingClusterOf(seed)
  return {
    ...options,
    settings: { ...settings, pause: 3000, lease: LEASE / 3, exchangeTimeout: LEASE / 9 },
    servers: 2,
    open,
    // Each server would have the beginnings of volumes that were then sent to the other.
    uploads: false,
    plan: { ...plan, every: 8000, max: 12, until: 2 * MINUTE, fullFor: MINUTE / 3, awayFor: MINUTE / 3 },
    refreshUntil: 3 * MINUTE,
  }
}

/**
 * Days of 2.4 hours: everything that takes seconds takes its seconds, and what happens in a day happens in a tenth of it,
 * faults as well. So eight of them can be simulated in minutes, and they are harder than real ones.
 */
export const SHORT_DAY = DAY / 10
const LONG_PAUSE = 20_000
const LONG_LEASE = 180_000
/** A day has 24 faults: far more than the "several problems" that seven machines had in eight days (VN, 6.2). */
const FAULT_EVERY = SHORT_DAY / 24

/**
 * It does not come to its end before the days are over. Its only server is away for less than a lease at a time: over
 * PostgreSQL another would stand in for it.
 */
export function manyDaysOf(days: number, seed: number): ClusterOptions {
  return {
    seed,
    sites: 12,
    pages: Math.ceil((1.02 * days * SHORT_DAY) / LONG_PAUSE),
    web: { pageBytes: 1000, linksPerPage: 8, robots: ['some', 'missing', 'allow-all', 'token'], flakyShare: 0 },
    settings: { visits: 3, lease: LONG_LEASE, pause: LONG_PAUSE, volumeSize: 2 ** 20 },
    workers: 4,
    servers: 2,
    uploads: true,
    network: { requestLost: 0.001, answerLost: 0.001, repeated: 0.002, lateMs: 50 },
    plan: {
      every: FAULT_EVERY,
      max: Number.POSITIVE_INFINITY,
      until: days * SHORT_DAY,
      weights: EVEN_WEIGHTS,
      fullFor: FAULT_EVERY,
      awayFor: LONG_LEASE / 2,
    },
    clocksOff: 0.3,
    within: 4 * days * SHORT_DAY,
  }
}
