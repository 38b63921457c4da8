/**
 * The same kinds of faults in virtual time, where a run takes a part of a second: thousands of them, each from its own seed,
 * on all cores.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Share, SimulatedRun } from './simulated-share.ts'

const TELL_EVERY = 100
const script = join(import.meta.dirname, 'simulated-share.ts')

/** False when a run went wrong: its seed and what was wrong are told, and the others go on. */
export async function simulatedChaos(runs: number, first: number, tell: (line: string) => void): Promise<boolean> {
  const began = performance.now()
  const sums = new Map<string, number>()
  const totals = { done: 0, wrong: 0, requests: 0, virtualMs: 0 }
  const tellWrong = (seed: number, faults: readonly string[]) => {
    totals.wrong++
    tell(`seed ${seed} is wrong (npm run chaos -- --simulated 1 --seed ${seed}):`)
    for (const fault of faults) tell(`  ${fault}`)
  }
  const hear = ({ seed, done }: SimulatedRun) => {
    if (done === undefined) return
    totals.done++
    totals.requests += done.requests
    totals.virtualMs += done.virtualMs
    for (const [kind, count] of done.counts) sums.set(kind, (sums.get(kind) ?? 0) + count)
    if (done.wrong.length > 0) tellWrong(seed, done.wrong)
    if (totals.done % TELL_EVERY === 0) tell(`${totals.done} of ${runs} runs, ${totals.wrong} wrong`)
  }
  const processes = Math.min(runs, availableParallelism())
  await Promise.all(
    Array.from({ length: processes }, async (_, at) => {
      const share: Share = { first: first + at, step: processes, end: first + runs }
      const lost = await workOff(share, hear)
      if (lost !== undefined)
        tellWrong(lost, ['the process ended in the middle of it: those of its share that follow are not run'])
    }),
  )
  const faults = [...sums.values()].reduce((sum, n) => sum + n, 0)
  const hours = (totals.virtualMs / 3_600_000).toFixed(0)
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  tell(
    `${totals.done} runs from seed ${first}: ${totals.wrong} wrong; ${totals.requests} requests, ${hours} h of virtual time, in ${seconds} s on ${processes} cores`,
  )
  tell(`${faults} faults:`)
  for (const [kind, count] of [...sums].sort()) tell(`  ${String(count).padStart(5)}  ${kind}`)
  return totals.wrong === 0 && totals.done === runs
}

/** Resolves with the seed at which the process ended, if it did not come to the end of its share. */
async function workOff(share: Share, hear: (run: SimulatedRun) => void): Promise<number | undefined> {
  const child = fork(script, [JSON.stringify(share)], { execArgv: [] })
  let last: SimulatedRun = { seed: share.first }
  child.on('message', (message) => {
    last = message as SimulatedRun
    hear(last)
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code === 0 && last.done !== undefined ? undefined : last.seed
}
