/** The state of the crawl, read from the coordinator and the tables at most once per second. */
import type { Clock, Millis } from '../../base/clock.ts'
import type { Totals } from '../../frontier/contract.ts'
import type { Statistics } from '../wire/calls.ts'
import type { WorkerSums } from './worker-table.ts'

/** The coordinator's own figures. */
export interface CoordinatorFigures {
  totals: Totals
  /** Sums of the visits' counters (`collection/counters`). */
  counters: ReadonlyMap<string, number>
  /** Durable parts not applied yet. */
  inbox: number
}

export interface StatisticsTools {
  figures(): Promise<CoordinatorFigures>
  workers(): Promise<WorkerSums>
  servers(): Promise<number>
  clock: Clock
}

const FRESH: Millis = 1000
/** Skips counters with a label: their number is not bounded. */
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

/** Caches an answer for a while and shares it among concurrent callers. */

export function remembered<T>(clock: Clock, freshMs: Millis, ask: () => Promise<T>): () => Promise<T> {
  let last: { at: Millis; answer: Promise<T> } | undefined
  return () => {
    const now = clock.elapsed()
    if (last !== undefined && now - last.at < freshMs) return last.answer
    last = { at: now, answer: ask() }
    return last.answer
  }
}
