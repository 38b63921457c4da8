import { cpus } from 'node:os'

/** How busy all cores of the machine were, whoever was at work: asked at the end, a share of the time since. */
export function watchMachine(): () => number {
  const before = times()
  return () => {
    const now = times()
    return 1 - (now.idle - before.idle) / (now.all - before.all)
  }
}

function times(): { idle: number; all: number } {
  let idle = 0
  let all = 0
  for (const { times } of cpus()) {
    idle += times.idle
    for (const each of Object.values(times)) all += each
  }
  return { idle, all }
}
