/** The web of the demonstration: small enough for a minute, with a bit of everything that a crawler meets. */
import type { WebOptions } from './options.ts'

/**
 * 26 sites and about 1,200 pages, the largest site about 110, and copies of some: with a pause of 0.1 s half a minute. Nothing
 * in it makes a crawler wait long: short Retry-After and Crawl-delay, servers that fail at once or within a time-out that
 * the demonstration sets, hazards that end by themselves, but long after they can be told for what they are.
 */
export function demoWeb(): WebOptions {
  return {
    seed: 2025,
    sites: 26,
    pages: 1200,
    theta: 0.45,
    latencyMs: 10,
    crawlDelaySeconds: 0.3,
    flakyShare: 0.006,
    deadLinkShare: 0,
    sharedAddressShare: 0,
    failingShare: 1 / 9,
    failingKinds: ['refused', 'reset', 'silent'],
    mirrorShare: 0.5,
    secureShare: 0,
    hazardShare: 1 / 3,
    hazardShapes: ['gzip-bomb', 'session-ids', 'endless-body', 'growing-path', 'soft-404', 'permutations', 'calendar'],
    hazardBound: 60,
    changesPerDay: 0,
  }
}
