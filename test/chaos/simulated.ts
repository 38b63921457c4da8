/**
 * The same kinds of faults in virtual time, where a run takes a part of a second: thousands of them, each from its own seed,
 * on all cores. And the same with planted bugs, which must be found.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Trouble } from '../../testkit/simulate/cluster-replay.ts'
import { invariantOf } from '../../testkit/simulate/faults.ts'
import { PLANTS, type PlantName } from '../../testkit/simulate/plants.ts'
import { flagsOf, type Share, type SimulatedRun } from './simulated-share.ts'

const TELL_EVERY = 100
/** A planted bug must be found within so many seeds. */
const MAX_SEEDS = 200
const script = join(import.meta.dirname, 'simulated-share.ts')

export interface SimulatedOptions {
  runs: number
  first: number
  journals: string
  troubles?: readonly Trouble[]
  plant?: PlantName
  refreshes?: boolean
  isShared?: boolean
  tell: (line: string) => void
}

/** False when a run went wrong: its seed and what was wrong are told, and the others go on. */
export async function simulatedChaos(options: SimulatedOptions): Promise<boolean> {
  const { runs, first, tell, troubles, plant, journals, refreshes, isShared } = options
  const began = performance.now()
  const sums = new Map<string, number>()
  const totals = { done: 0, wrong: 0, requests: 0, virtualMs: 0 }
  const tellWrong = (seed: number, faults: readonly string[], more: readonly string[]) => {
    totals.wrong++
    const flags = `${flagsOf(options)}${plant ? ` --plant ${plant}` : ''}`
    tell(`seed ${seed} is wrong (npm run chaos -- --simulated 1 --seed ${seed}${flags}):`)
    for (const line of [...faults, ...more]) tell(`  ${line}`)
  }
  const hear = ({ seed, done }: SimulatedRun) => {
    if (done === undefined) return
    totals.done++
    totals.requests += done.requests
    totals.virtualMs += done.virtualMs
    for (const [kind, count] of done.counts) sums.set(kind, (sums.get(kind) ?? 0) + count)
    if (done.wrong.length > 0) tellWrong(seed, done.wrong, done.more)
    else for (const line of done.more) tell(`seed ${seed}: ${line}`)
    if (totals.done % TELL_EVERY === 0) tell(`${totals.done} of ${runs} runs, ${totals.wrong} wrong`)
  }
  const processes = Math.min(runs, availableParallelism())
  await Promise.all(
    Array.from({ length: processes }, async (_, at) => {
      const seeds = { first: first + at, step: processes, end: first + runs }
      const cluster = { troubles, plant, refreshes, isShared }
      const share: Share = { ...seeds, ...cluster, journals, keepAll: runs === 1, onWrong: 'shorten' }
      const lost = await workOff(share, hear)
      if (lost !== undefined)
        tellWrong(lost, ['the process ended in the middle of it: those of its share that follow are not run'], [])
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

/** Each planted bug, from `first` on until it is found. False when one is not. */
export async function plantedChaos(options: Pick<SimulatedOptions, 'first' | 'journals' | 'tell'>): Promise<boolean> {
  const { first, journals, tell } = options
  const waiting = Object.keys(PLANTS) as PlantName[]
  let missed = 0
  const find = async (plant: PlantName): Promise<void> => {
    const began = performance.now()
    let found: string | undefined
    const seeds = { first, step: 1, end: first + MAX_SEEDS }
    const lost = await workOff({ ...seeds, plant, journals, keepAll: false, onWrong: 'stop' }, ({ seed, done }) => {
      if (done === undefined || done.wrong.length === 0) return
      const invariants = [...new Set(done.wrong.map(invariantOf))].join(', ')
      const seconds = ((performance.now() - began) / 1000).toFixed(0)
      found = `caught at seed ${seed}, after ${seed - first + 1} runs and ${seconds} s, by: ${invariants}\n    ${done.wrong[0]}`
    })
    if (found === undefined) missed++
    const why = lost === undefined ? `in ${MAX_SEEDS} runs` : `the process ended in the middle of seed ${lost}`
    tell(`planted ${plant} (${PLANTS[plant].what}): ${found ?? `NOT CAUGHT, ${why}`}`)
  }
  const oneAfterTheOther = async () => {
    for (let plant = waiting.shift(); plant !== undefined; plant = waiting.shift()) await find(plant)
  }
  await Promise.all(Array.from({ length: availableParallelism() }, oneAfterTheOther))
  return missed === 0
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
