/** What `lateness-probe.ts` measures in the threads of a crawl. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Lateness {
  thread: number
  /** Since the end of the ramp-up. */
  seconds: number
  samples: number
  p50Ms: number
  p99Ms: number
  p999Ms: number
  maxMs: number
  /** CPU that the thread itself spent between two looks: what it would be late by if it had a core to itself. */
  busyP999Ms: number
  busyMaxMs: number
}

export const PROBE = join(import.meta.dirname, 'lateness-probe.ts')

export function probeEnvironment(folder: string, rampMs: number): NodeJS.ProcessEnv {
  return { BENCH_LATENESS_FOLDER: folder, BENCH_LATENESS_RAMP: `${rampMs}` }
}

/** The worst thread's; undefined when the crawl ended before its ramp-up did. */
export function readLateness(folder: string): Lateness | undefined {
  const all = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Lateness)
  return all.sort((a, b) => b.p999Ms - a.p999Ms).at(0)
}
