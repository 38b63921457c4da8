/**
 * CPU times as ratios to the yardstick, within one process and by turns: whatever disturbs the one disturbs the other, and
 * of many rounds the least disturbed count.
 */

import { createHash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { deflateRawSync } from 'node:zlib'
import type { Works } from './works.ts'

/** Systems count CPU time in ticks of up to 4 ms: a round must be long beside them. */
const MIN_ROUND_MICROSECONDS = 60_000

/** By name of the work: its time over the yardstick's on the same pages. */
export async function shortRatios({ pages, works }: Works, rounds: number): Promise<Map<string, number>> {
  const measure = { name: 'yardstick', run: () => void pages.reduce((sum, page) => sum + yardstick(page), 0) }
  const all = [measure, ...works]
  const min = new Map<string, number>()
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const { name, run } of all) {
      const each = await cpuOf(run)
      if (round > 0) min.set(name, Math.min(each, min.get(name) ?? Number.POSITIVE_INFINITY))
    }
  }
  const unit = min.get(measure.name) ?? Number.NaN
  return new Map(works.map(({ name }) => [name, (min.get(name) ?? Number.NaN) / unit]))
}

/** µs of this thread for one run: the mean of as many as make a round. */
async function cpuOf(run: () => void | Promise<void>): Promise<number> {
  const before = process.threadCpuUsage()
  const from = performance.now()
  let runs = 0
  let spent = 0
  // A clock that stands still must not hang the check.
  while (spent < MIN_ROUND_MICROSECONDS && performance.now() - from < 60_000) {
    await run()
    runs++
    const { user, system } = process.threadCpuUsage(before)
    spent = user + system
  }
  return spent / runs
}

/**
 * What short ratios are measured against: what Node itself does with a page, none of it ours, so that a piece of the product
 * that gets slower cannot slow its own measure. Never edited together with the product.
 */

const utf8 = new TextDecoder()
const LINK = /<a [^>]*href="([^"]*)"/g

/** Decodes, finds links, digests and compresses; returns something of each, so that nothing is left out. */
function yardstick(bytes: Uint8Array): number {
  const html = utf8.decode(bytes)
  let links = 0
  for (const [, href] of html.matchAll(LINK)) links += href.length
  const digest = createHash('sha1').update(bytes).digest()
  return links + digest[0] + deflateRawSync(bytes, { level: 1 }).length
}
