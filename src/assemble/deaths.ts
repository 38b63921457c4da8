/** Threads that died by themselves: one that cannot live is not started for ever; one that dies now and then is. */
import type { Clock, Millis } from '../base/clock.ts'

const MOST = 20
const WITHIN: Millis = 3_600_000

/** To be told of each death; says whether there were too many of late. */
export function tooManyDeaths(clock: Clock): () => boolean {
  let deaths: Millis[] = []
  return () => {
    const now = clock.elapsed()
    deaths = [...deaths.filter((at) => now - at < WITHIN), now]
    return deaths.length > MOST
  }
}
