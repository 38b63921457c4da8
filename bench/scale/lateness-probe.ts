/**
 * `node --import`: how late the event loop of each worker thread of the product is, from the end of the ramp-up on. Written to
 * the folder that the variable names when the thread ends; the product knows nothing of it.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread, threadId } from 'node:worker_threads'
import type { Lateness } from './lateness.ts'

const folder = process.env.BENCH_LATENESS_FOLDER
const rampMs = Number(process.env.BENCH_LATENESS_RAMP ?? 0)
/** A timer is set for this long, over and over: what it takes longer is lateness. */
const EVERY_MS = 5

if (folder !== undefined && !isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: EVERY_MS })
  let begun = performance.now()
  setTimeout(() => {
    begun = performance.now()
    delay.enable()
  }, rampMs).unref()
  process.on('exit', () => {
    delay.disable()
    const late = (percentile: number) => Math.max(0, delay.percentile(percentile) / 1e6 - EVERY_MS)
    const lateness: Lateness = {
      thread: threadId,
      seconds: (performance.now() - begun) / 1000,
      samples: delay.count,
      p50Ms: late(50),
      p99Ms: late(99),
      p999Ms: late(99.9),
      maxMs: delay.count === 0 ? 0 : Math.max(0, delay.max / 1e6 - EVERY_MS),
    }
    if (delay.count > 0) writeFileSync(join(folder, `${threadId}.json`), JSON.stringify(lateness))
  })
}
