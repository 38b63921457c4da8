/**
 * A worker thread before it has anything to do: it loads its modules, which takes a tenth of a second, while the house is
 * still being opened, and begins when it is told its data.
 */
import { Worker } from 'node:worker_threads'
import type { CrawlPlan } from './plan.ts'

/** What a worker thread is told first. */
export interface ThreadData {
  plan: CrawlPlan
  worker: string
  folder: string
  slot: SharedArrayBuffer
  filter: SharedArrayBuffer
  randomSeed: number
}

/** Whoever loads one hands it on or ends it: it does not end by itself. */
export function loadThread(): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new Worker(new URL(`./real-worker.${extension}`, import.meta.url))
}

export function beginThread(thread: Worker, data: ThreadData): void {
  thread.postMessage(data)
}
