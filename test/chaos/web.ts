/** A web that takes a cluster some minutes when it is hindered. */
import type { WebOptions } from '../../src/testweb/options.ts'

export function chaosWeb(seed: number, pages = 2000): WebOptions {
  // Sites of nearly one size: with a large one, every crawl would end in a minute of peace at that one.
  return { seed, sites: 60, pages, theta: 0.3, latencyMs: 20, pageBytes: 5000, crawlDelaySeconds: 0.5 }
}
