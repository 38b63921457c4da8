/** A web that takes a cluster some minutes when it is hindered. */
import type { WebOptions } from '../../src/testweb/options.ts'

export function chaosWeb(seed: number, pages = 2000): WebOptions {
  return { seed, sites: 60, pages, latencyMs: 20, pageBytes: 5000, crawlDelaySeconds: 0.5 }
}
