/**
 * `node --import`: how late the event loop of each worker thread of the product is, from the end of the ramp-up on. Written to
 * the folder that the variable names when the thread ends; the product knows nothing of it.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHistogram, performance } from 'node:perf_hooks'
import { isMainThread, threadId } from 'node:worker_threads'
import type { Lateness } from './lateness.ts'

const folder = process.env.BENCH_LATENESS_FOLDER
const rampMs = Number(process.env.BENCH_LATENESS_RAMP ?? 0)
/** A timer is set for this long, over and over: what it takes longer is lateness. */
const EVERY_MS = 5

if (folder !== undefined && !isMainThread) {
  const late = createHistogram()
  const busy = createHistogram()
  const begun = performance.now() + rampMs
  const look = (dueAt: number, cpuBefore: number) => {
    const now = performance.now()
    const cpu = cpuMicroseconds()
    if (now > begun) {
      late.record(Math.max(1, Math.round((now - dueAt) * 1000)))
      busy.record(Math.max(1, cpu - cpuBefore))
    }
    setTimeout(look, EVERY_MS, now + EVERY_MS, cpu).unref()
  }
  look(Number.POSITIVE_INFINITY, cpuMicroseconds())
  process.on('exit', () => {
    if (late.count === 0) return
    const lateness: Lateness = {
      thread: threadId,
      seconds: (performance.now() - begun) / 1000,
      samples: late.count,
      p50Ms: late.percentile(50) / 1000,
      p99Ms: late.percentile(99) / 1000,
      p999Ms: late.percentile(99.9) / 1000,
      maxMs: late.max / 1000,
      busyP999Ms: busy.percentile(99.9) / 1000,
      busyMaxMs: busy.max / 1000,
    }
    writeFileSync(join(folder, `${process.pid}-${threadId}.json`), JSON.stringify(lateness))
  })
}

function cpuMicroseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
