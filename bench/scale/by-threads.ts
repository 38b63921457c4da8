/** Pages a second at full load against worker threads of one process, and against processes (Fig. 6 of VN). */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { median } from '../measure/statistics.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import { type Lateness, PROBE, probeEnvironment, readLateness } from './lateness.ts'
import { crawlForScale } from './run-crawl.ts'
import { seedsOf, serveSlowWeb } from './slow-web.ts'

export interface ThreadsPoint {
  processes: number
  threads: number
  pages: number
  pagesPerSecond: number
  cpuSecondsPer1000: number
  peakBytes: number
  /** Of the worst thread, after the ramp-up; null when the crawl was over by then. */
  lateness: Lateness | null
}

export interface LoadOptions {
  sites: number
  pagesPerSite: number
  pageBytes: number
}

/** Of several runs. */
export function mediansOf(runs: readonly ThreadsPoint[]): ThreadsPoint {
  const of = (pick: (run: ThreadsPoint) => number) => median(runs.map(pick))
  const latenesses = runs.flatMap(({ lateness }) => lateness ?? []).sort((a, b) => a.p999Ms - b.p999Ms)
  return {
    ...runs[0],
    pagesPerSecond: of((run) => run.pagesPerSecond),
    cpuSecondsPer1000: of((run) => run.cpuSecondsPer1000),
    peakBytes: of((run) => run.peakBytes),
    lateness: latenesses.at(latenesses.length >> 1) ?? null,
  }
}

/** By then every thread has compiled what it runs all the time. */
const RAMP_MS = 4000

/** Each process has its share of the sites and a collection of its own. */
export async function measureThreads(processes: number, threads: number, load: LoadOptions): Promise<ThreadsPoint> {
  using folder = temporaryFolder()
  await using web = await serveSlowWeb({ latencyMs: 0, ...load })
  const seeds = seedsOf(load.sites)
  const late = join(folder.path, 'late')
  mkdirSync(late)
  const begun = performance.now()
  const ends = await Promise.all(
    Array.from({ length: processes }, (_, process) =>
      crawlForScale({
        folder: join(folder.path, `${process}`),
        port: web.port,
        seeds: seeds.filter((_, site) => site % processes === process),
        workers: threads,
        visits: 300,
        until: load,
        nodeFlags: ['--import', PROBE],
        env: probeEnvironment(late, RAMP_MS),
      }),
    ),
  )
  const seconds = (performance.now() - begun) / 1000
  const sum = (pick: (end: (typeof ends)[number]) => number) => ends.reduce((total, end) => total + pick(end), 0)
  const pages = sum((end) => end.documents)
  return {
    processes,
    threads,
    pages,
    pagesPerSecond: pages / seconds,
    cpuSecondsPer1000: (sum((end) => end.cpuSeconds) / pages) * 1000,
    peakBytes: sum((end) => end.peakBytes ?? 0),
    lateness: readLateness(late) ?? null,
  }
}
