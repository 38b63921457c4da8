/** Threads that died by themselves: one that cannot live is not started for ever; one that dies now and then is. */
import type { Clock, Millis } from '../../base/clock.ts'

const MAX = 20
/** A disk that is full ends all threads at once, and the next of the list may be full in the same hour. */
const MAX_A_THREAD = 2
const WITHIN: Millis = 3_600_000

/** To be told of each death; says whether there were too many of late, for so many threads. */
export function tooManyDeaths(clock: Clock, threads: number): () => boolean {
  const max = Math.max(MAX, MAX_A_THREAD * threads)
  let deaths: Millis[] = []
  return () => {
    const now = clock.elapsed()
    deaths = [...deaths.filter((at) => now - at < WITHIN), now]
    return deaths.length > max
  }
}
