/** CPU time, not wall time: on a machine that others use too, only the first is the piece's own. */
import { median } from '../measure/statistics.ts'

const ROUNDS = 7

/** µs for each thing: the median of several rounds over all of them, after two that warm up. */
export function timeEach<T>(things: readonly T[], work: (thing: T) => void): number {
  const rounds: number[] = []
  for (let round = -2; round < ROUNDS; round++) {
    const before = process.threadCpuUsage()
    for (const thing of things) work(thing)
    const { user, system } = process.threadCpuUsage(before)
    if (round >= 0) rounds.push((user + system) / things.length)
  }
  return median(rounds)
}

/** µs of work that cannot be repeated, all threads of the process together. */
export async function timeOnce(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
