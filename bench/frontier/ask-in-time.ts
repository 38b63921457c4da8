/**
 * Asks again and again from a thread of its own, as the threads of a crawl do: so what is measured is how long the answering thread
 * lets one wait, and not how late its own timers are, which count in whole milliseconds.
 */
import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

interface Asking {
  count: number
  everyMs: number
}

const nowMs = () => Number(process.hrtime.bigint()) / 1e6

/** Calls `answer` for each question; how long that takes is counted from `askedMs`, by `sinceMs`. Resolves when all are asked. */
export async function askInTime(asking: Asking, answer: (askedMs: number) => void): Promise<void> {
  const thread = new Worker(new URL(import.meta.url), { workerData: asking })
  thread.on('message', answer)
  await once(thread, 'exit')
}

export function sinceMs(askedMs: number): number {
  return nowMs() - askedMs
}

if (!isMainThread && parentPort !== null && isAsking(workerData)) {
  const { count, everyMs } = workerData
  const nothing = new Int32Array(new SharedArrayBuffer(4))
  const from = nowMs()
  for (let at = 1; at <= count; at++) {
    Atomics.wait(nothing, 0, 0, Math.max(0, from + at * everyMs - nowMs()))
    parentPort.postMessage(nowMs())
  }
}

/** The module is loaded by other threads too. */
function isAsking(data: unknown): data is Asking {
  return typeof data === 'object' && data !== null && 'everyMs' in data
}
