/** A web that takes a cluster some minutes when it is hindered, with everything in it that courtesy is about. */
import type { WebOptions } from '../../testkit/web/options.ts'

export function chaosWeb(seed: number, pages = 1200): WebOptions {
  // Sites of nearly one size: with a large one, every crawl would end in a minute of peace at that one.
  const sizes = { seed, sites: 60, pages, theta: 0.3, latencyMs: 20, pageBytes: 5000 }
  // Crawl-delay over the ordinary pause, Retry-After in both spellings, and groups of eight sites at one address.
  return { ...sizes, crawlDelaySeconds: 3, flakyShare: 0.04, sharedAddressShare: 0.3 }
}
