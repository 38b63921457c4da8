/** CPU time, not wall time: on a machine that others use too, only the first is the piece's own. */
import { median } from '../measure/statistics.ts'

const ROUNDS = 7
/** Systems count CPU time in ticks of up to 4 ms: a round must be long beside them. */
const MIN_ROUND_MICROSECONDS = 60_000

/** µs for each thing: the median of several rounds over all of them, after one that warms up. */
export function timeEach<T>(things: readonly T[], work: (thing: T) => void): number {
  let passes = 0
  const warming = timeSync(() => {
    const before = process.threadCpuUsage()
    for (let spent = 0; spent < MIN_ROUND_MICROSECONDS; passes++) {
      for (const thing of things) work(thing)
      const { user, system } = process.threadCpuUsage(before)
      spent = user + system
    }
  })
  const count = Math.max(1, Math.round((passes * MIN_ROUND_MICROSECONDS) / warming))
  const rounds = Array.from({ length: ROUNDS }, () =>
    timeSync(() => {
      for (let pass = 0; pass < count; pass++) for (const thing of things) work(thing)
    }),
  )
  return median(rounds) / (count * things.length)
}

function timeSync(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return user + system
}

/** µs of work that cannot be repeated, all threads of the process together. */
export async function timeOnce(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
