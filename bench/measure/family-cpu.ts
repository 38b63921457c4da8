import { readFileSync } from 'node:fs'

/** By process, what it had when it was last seen: one that has ended keeps it. */
const seen = new Map<number, number>()

/** CPU time of a process's children, in steps much finer than the ticks of `/proc/PID/stat`. Linux only. */
export function familyMicroseconds(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  for (const child of children) {
    const nanoseconds = spentBy(child)
    if (nanoseconds !== undefined) seen.set(Number(child), nanoseconds)
  }
  return [...seen.values()].reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1000
}

function spentBy(pid: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    // It has just ended.
    return undefined
  }
}
