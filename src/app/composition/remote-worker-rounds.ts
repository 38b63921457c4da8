/** What a volunteer does every so often, beside visiting: its threads are watched, servers told, the plan is read again. */
import { type Millis, realClock } from '../../base/clock.ts'
import type { Journal } from '../../base/journal.ts'
import type { RemoteServers } from '../../cluster/wire/remote-coordinator.ts'
import type { Event } from '../../contracts/events.ts'
import { anotherThread } from './another-thread.ts'
import type { LivePlan } from './live-plan.ts'
import type { WorkerPool } from './worker-pool.ts'

export interface Rounds {
  workerPool: WorkerPool
  /** A thread that writes where nothing is to be written any more. */
  isStale(worker: string): boolean
  /** The most threads, and the most sites of one. */
  workers: number
  visits: number
  remote: RemoteServers
  live: LivePlan
  journal: Journal<Event>
  version: string
  /** Pages since it was started. */
  pages(): number
  isStopping(): boolean
  /** The servers' time is so far ahead: told to the threads. */
  tellAhead(): void
  /** Nothing can go on. */
  fault(error: unknown): void
}

const TICK: Millis = 1000
const ALIVE_EVERY: Millis = 10_000
const PLAN_EVERY: Millis = 60_000

export async function goRounds(tools: Rounds, over: AbortSignal): Promise<void> {
  await Promise.all([
    every(TICK, over, watching(tools)).catch(tools.fault),
    every(ALIVE_EVERY, over, telling(tools)).catch(tools.fault),
    every(PLAN_EVERY, over, readingAgain(tools)),
  ])
}

function watching({ workerPool, isStale, workers, visits, tellAhead }: Rounds): () => Promise<void> {
  const isWorthIt = anotherThread()
  return async () => {
    tellAhead()
    await workerPool.watch()
    workerPool.renew(isStale)
    // How many sites wait is the servers' to know: those that are out here must say it.
    const view = { threads: workerPool.size, full: workerPool.isFull(visits), free: 0, leased: workerPool.visits }
    if (workerPool.size > 0 && workerPool.size < workers && isWorthIt(view)) workerPool.start()
  }
}

function telling({ workerPool, remote, version, pages, isStopping }: Rounds): () => Promise<void> {
  let told = pages()
  return async () => {
    const now = pages()
    const pagesPerSecond = Math.max(0, now - told) / (ALIVE_EVERY / 1000)
    told = now
    const state = isStopping() ? 'ending' : 'working'
    await remote.alive({ visits: workerPool.visits, lateMs: workerPool.lateMs, pagesPerSecond, state, version })
  }
}

/** Black lists, too: the files that the plan names are written anew when they have changed, and the threads see it. */
function readingAgain({ live, journal, isStopping }: Rounds): () => Promise<void> {
  return async () => {
    await live.readAgain().catch((error) => {
      if (!isStopping()) journal.record({ kind: 'trouble', what: `the plan cannot be read again: ${error}` })
    })
  }
}

async function every(ms: Millis, over: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!over.aborted) {
    await realClock.sleep(ms, over)
    if (!over.aborted) await work()
  }
}
