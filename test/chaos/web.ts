/** A web that takes a cluster some minutes when it is hindered, with everything in it that courtesy is about. */
import type { WebOptions } from '../../testkit/web/options.ts'

/** One whose pages change within seconds and do not fail: every look can be counted. */
export function changingChaosWeb(seed: number, pages = 200): WebOptions {
  const often = 24 * 3600
  const changes = { epoch: Date.now(), changesPerDay: often / 10, leastChangesPerDay: often / 300 }
  return { ...chaosWeb(seed, pages), sites: 20, ...changes, flakyShare: 0, crawlDelaySeconds: 1 }
}

export function chaosWeb(seed: number, pages = 1200): WebOptions {
  // Sites of nearly one size: with a large one, every crawl would end in a minute of peace at that one.
  const sizes = { seed, sites: 60, pages, theta: 0.3, latencyMs: 20, pageBytes: 5000 }
  // Crawl-delay over the ordinary pause, Retry-After in both spellings, and groups of eight sites at one address.
  return { ...sizes, crawlDelaySeconds: 3, flakyShare: 0.04, sharedAddressShare: 0.3 }
}
