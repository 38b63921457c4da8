/** How far the crawl is: asked of the coordinator and of the tables at most once a second, whoever wants to know. */
import type { Clock, Millis } from '../../base/clock.ts'
import type { Totals } from '../../frontier/views.ts'
import type { Statistics } from '../wire/calls.ts'
import type { WorkerSums } from './worker-table.ts'

/** What the coordinator says of itself. */
export interface CoordinatorFigures {
  totals: Totals
  /** Sums of what visits counted (`collection/counters`). */
  counters: ReadonlyMap<string, number>
  /** Parts that are durable and not yet applied. */
  inbox: number
}

export interface StatisticsTools {
  figures(): Promise<CoordinatorFigures>
  workers(): Promise<WorkerSums>
  servers(): Promise<number>
  clock: Clock
}

const FRESH: Millis = 1000
/** Counters with a label are many and not bounded by us; the ones without are few. */
const isPlain = (name: string) => !name.includes(':')

export function statisticsOf({ figures, workers, servers, clock }: StatisticsTools): () => Promise<Statistics> {
  const ask = async (): Promise<Statistics> => {
    const [{ totals, counters, inbox }, sums, serverRows] = await Promise.all([figures(), workers(), servers()])
    const { alive, silent, pagesPerSecond } = sums
    return {
      at: clock.now(),
      sites: { ...totals.sites },
      urls: { ...totals.urls },
      counters: Object.fromEntries([...counters].filter(([name]) => isPlain(name))),
      inbox,
      servers: serverRows,
      workers: { alive, silent, pagesPerSecond },
    }
  }
  return remembered(clock, FRESH, ask)
}

/** An answer that many may want to know is asked for at most so often, whoever wants it and however many at once. */

export function remembered<T>(clock: Clock, freshMs: Millis, ask: () => Promise<T>): () => Promise<T> {
  let last: { at: Millis; answer: Promise<T> } | undefined
  return () => {
    const now = clock.elapsed()
    if (last !== undefined && now - last.at < freshMs) return last.answer
    last = { at: now, answer: ask() }
    return last.answer
  }
}
