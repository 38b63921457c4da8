/** Runs the cluster of a seed again, whole or with some of its troubles only, and finds out which of them a failure needs. */
import { type Millis, realClock } from '../../src/base/clock.ts'
import { wordsOfFault } from './cluster-faults.ts'
import { type ClusterOptions, type ClusterReport, runCluster } from './cluster-run.ts'
import { invariantOf } from './faults.ts'
import { GOOD } from './network.ts'
import { RunJournal } from './run-journal.ts'
import { shorten } from './shorten.ts'

/** A fault by its number in the schedule, the bad network, or the clocks that are wrong from the start. */
export type Trouble = number | 'network' | 'clocks'

export interface Replay {
  report: ClusterReport
  /** The journal, under a head that says what was run. */
  lines: string[]
}

/** As `runCluster`, for one who wants to know how it went. Nothing of it stays open. */
export async function replayCluster(options: ClusterOptions): Promise<Replay> {
  const journal = new RunJournal()
  const report = await runCluster({ ...options, journal })
  await report.stage.database.close()
  const { seed, sites, workers, servers, network, clocksOff, plant } = options
  const head = [
    `seed ${seed}: ${sites} sites, ${workers} workers, ${servers} servers; plant: ${plant?.what ?? 'none'}`,
    `network: ${JSON.stringify(network)}, share of clocks that are wrong: ${clocksOff}`,
    `faults: ${report.schedule.length === 0 ? 'none' : ''}`,
    ...report.schedule.map((fault) => `  ${wordsOfFault(fault)}`),
    '',
  ]
  return { report, lines: [...head, ...journal.lines] }
}

/** The same cluster in which nothing but these goes wrong. */
export function withTroubles(options: ClusterOptions, troubles: readonly Trouble[]): ClusterOptions {
  return {
    ...options,
    network: troubles.includes('network') ? options.network : GOOD,
    clocksOff: troubles.includes('clocks') ? options.clocksOff : 0,
    faultsOnly: troubles.filter((trouble) => typeof trouble === 'number'),
  }
}

/** All that goes wrong in it. */
export function troublesOf({ network, clocksOff }: ClusterOptions, { schedule }: ClusterReport): Trouble[] {
  return [
    ...schedule.map(({ number }) => number),
    ...(network === GOOD ? [] : (['network'] as const)),
    ...(clocksOff > 0 ? (['clocks'] as const) : []),
  ]
}

export interface ShortFailure extends Replay {
  troubles: Trouble[]
  tries: number
  /** Of the faults at its end, those that the whole run had too. */
  broken: string[]
  /** None of the troubles can be left out; else there was no time to find that out. */
  isMinimal: boolean
}

/** Few troubles that break one of the same invariants; undefined when the failure does not come again. */
export async function shortenFailure(
  options: ClusterOptions,
  failed: ClusterReport,
  limits: { tries: number; ms: Millis },
): Promise<ShortFailure | undefined> {
  const until = realClock.elapsed() + limits.ms
  const invariants = new Set(failed.faults.map(invariantOf))
  const brokenIn = ({ report }: Replay) => report.faults.filter((fault) => invariants.has(invariantOf(fault)))
  let last: Replay | undefined
  const { items, tries, isMinimal } = await shorten(
    troublesOf(options, failed),
    async (troubles) => {
      const replay = await replayCluster(withTroubles(options, troubles))
      const fails = brokenIn(replay).length > 0
      if (fails) last = replay
      return fails
    },
    { tries: limits.tries, isTimeOver: () => realClock.elapsed() >= until },
  )
  // Nothing could be left out: what failed is shown as it is, if it fails again.
  last ??= await replayCluster(withTroubles(options, items))
  const broken = brokenIn(last)
  return broken.length > 0 ? { ...last, troubles: items, broken, tries, isMinimal } : undefined
}

/** As `--faults-only` takes it. */
export function readTroubles(text: string): Trouble[] {
  if (text === 'none') return []
  return text.split(',').map((part) => {
    const trouble = part.trim()
    if (trouble === 'network' || trouble === 'clocks') return trouble
    if (/^[1-9]\d{0,8}$/.test(trouble)) return Number(trouble)
    throw new Error(`--faults-only ${text}: give numbers of faults, network, clocks or none, as in 3,7,network`)
  })
}

export const writeTroubles = (troubles: readonly Trouble[]): string =>
  troubles.length === 0 ? 'none' : troubles.join(',')
