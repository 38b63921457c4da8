/**
 * Loads a worker thread. It loads its modules, which takes a tenth of a second, while the coordinator is being opened, and begins
 * when it gets its data.
 */
import { Worker } from 'node:worker_threads'
import type { Millis } from '../../base/clock.ts'
import type * as pool from '../../crawl/worker/worker-pool.ts'
import type { CrawlPlan } from './plan.ts'

export type ThreadData = pool.ThreadData<CrawlPlan>

/**
 * A page is read and forgotten. More room for young objects takes more memory and no less time (1.33 CPU s for 1,000 pages
 * with V8's own limit, 1.24 with 48 MB, and no measurable difference between 48 and 24).
 */
const YOUNG_OBJECTS_MB = 24

/**
 * Live objects of a thread take some 50 MB. With a limit of 2 GB and more, V8 lets garbage grow to four times of that before it
 * collects; just below, to twice: 50 to 70 MB less at 200 visits, a third less over hundreds of thousands of pages. Half of
 * this limit saved some MB more and cost CPU in every run. A page that takes more costs a thread, not the process.
 */
const OLD_OBJECTS_MB = 1900

/** Set when a thread has loaded its modules. */
const loadedFlags = new WeakMap<Worker, Int32Array>()

/** The caller hands it on or ends it: it does not end by itself. */
export function loadThread(): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const loaded = new Int32Array(new SharedArrayBuffer(4))
  const thread = new Worker(new URL(`./real-worker.${extension}`, import.meta.url), {
    workerData: loaded,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_OBJECTS_MB, maxOldGenerationSizeMb: OLD_OBJECTS_MB },
  })
  loadedFlags.set(thread, loaded)
  return thread
}

export function isLoaded(thread: Worker): boolean {
  const loaded = loadedFlags.get(thread)
  return loaded !== undefined && Atomics.load(loaded, 0) === 1
}

/** Loading takes a tenth of a second; on a very busy machine, some. */
const LOADED_WITHIN: Millis = 30_000

/** Ends a thread at once, but not while it loads: V8 crashes when a module is interrupted that goes on after an `await`. */
export async function endThread(thread: Worker): Promise<void> {
  const loaded = loadedFlags.get(thread)
  if (loaded !== undefined && thread.threadId !== -1) {
    const exit = new Promise((resolve) => thread.once('exit', resolve))
    await Promise.race([exit, Atomics.waitAsync(loaded, 0, 0, LOADED_WITHIN).value])
  }
  await thread.terminate()
}
