/** The web of the demonstration: small enough for a minute, with a bit of everything that a crawler meets. */
import type { WebOptions } from './options.ts'

/**
 * 26 sites and about 1,200 pages, the largest site about 110: with a pause of 0.1 s half a minute. Nothing in it makes a crawler
 * wait long: no failing sites, short Retry-After and Crawl-delay, hazards that end by themselves.
 */
export function demoWeb(): WebOptions {
  return {
    seed: 2026,
    sites: 26,
    pages: 1200,
    theta: 0.45,
    latencyMs: 10,
    crawlDelaySeconds: 0.3,
    flakyShare: 0.006,
    deadLinkShare: 0,
    sharedAddressShare: 0,
    failingShare: 0,
    secureShare: 0,
    hazardShare: 0.25,
    hazardShapes: ['calendar', 'session-ids', 'gzip-bomb', 'growing-path', 'soft-404', 'endless-body', 'permutations'],
    hazardBound: 24,
    changesPerDay: 0,
  }
}
