/**
 * A worker thread before it has anything to do: it loads its modules, which takes a tenth of a second, while the coordinator is
 * still being opened, and begins when it is told its data.
 */
import { Worker } from 'node:worker_threads'
import type { CrawlPlan } from './plan.ts'

/** What a worker thread is told first. */
export interface ThreadData {
  plan: CrawlPlan
  worker: string
  /** Where it writes its volumes. */
  archive: string
  /** For the names of its volumes, beside the worker's own. */
  host: string
  /** 64 bits: by how many milliseconds the coordinator's clock is ahead of this machine's. */
  ahead: SharedArrayBuffer
  slot: SharedArrayBuffer
  filter: SharedArrayBuffer
  randomSeed: number
}

/**
 * A page is read and forgotten: with more room for young objects a thread takes more memory and not less time (1.33 CPU s for
 * 1,000 pages with V8's own bound, 1.24 with 48 MB, and no difference that could be measured between 48 and 24).
 */
const YOUNG_OBJECTS_MB = 24

/**
 * What lives in a thread is some 50 MB. Where V8 may have 2 GB and more it lets garbage grow to four times of that before it looks for
 * it; just below, to twice: 50 to 70 MB less at 200 visits, a third less over hundreds of thousands of pages. Half of this bound
 * saved some MB more and cost CPU in every run. And a page that takes more costs a thread, not the process.
 */
const OLD_OBJECTS_MB = 1900

/** Whoever loads one hands it on or ends it: it does not end by itself. */
export function loadThread(): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new Worker(new URL(`./real-worker.${extension}`, import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_OBJECTS_MB, maxOldGenerationSizeMb: OLD_OBJECTS_MB },
  })
}

export function beginThread(thread: Worker, data: ThreadData): void {
  thread.postMessage(data)
}
