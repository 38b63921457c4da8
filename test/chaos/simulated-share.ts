/**
 * Some of the runs of `npm run chaos -- --simulated`, in a process of its own: `fork('simulated-share.ts', [JSON.stringify(share)])`.
 * The journal of a run that fails is written to a file, and its faults are shortened to those that it needs.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PostgresForTests, postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { wordsOfFault } from '../../testkit/simulate/cluster-faults.ts'
import {
  type Replay,
  replayCluster,
  shortenFailure,
  type Trouble,
  withTroubles,
  writeTroubles,
} from '../../testkit/simulate/cluster-replay.ts'
import type { ClusterOptions } from '../../testkit/simulate/cluster-run.ts'
import { clusterOf, refreshingClusterOf, sharedClusterOf } from '../../testkit/simulate/cluster-seed.ts'
import { PLANTS, type PlantName } from '../../testkit/simulate/plants.ts'

/** Every `step`th seed from `first` on, below `end`. */
export interface Share {
  first: number
  step: number
  end: number
  /** Nothing but these goes wrong in them; undefined: all that their seeds give. */
  troubles?: readonly Trouble[]
  plant?: PlantName
  /** Pages are looked at again while it goes wrong. */
  refreshes?: boolean
  /** The same over PostgreSQL, with two servers. */
  isShared?: boolean
  /** Where journals of failed runs go, or of all. */
  journals: string
  keepAll: boolean
  /** `shorten`: the least that fails is looked for. `stop`: no more runs are needed. */
  onWrong: 'shorten' | 'stop'
}

/** What is told of each run; before it, the seed alone, so that nobody need guess where a process ended. */
export interface SimulatedRun {
  seed: number
  done?: {
    requests: number
    virtualMs: number
    counts: [kind: string, count: number][]
    wrong: string[]
    /** For people: the journal, the shortened schedule, the command that repeats it. */
    more: string[]
  }
}

const MAX_WRONG = 20
const LAST_LINES = 15
const SHORTEN = { tries: 60, ms: 120_000 }

async function work(share: Share, tell: (run: SimulatedRun) => void): Promise<void> {
  const postgres = share.isShared ? await postgresForTests() : undefined
  if (postgres !== undefined && 'skipped' in postgres) throw new Error(postgres.skipped)
  try {
    await workWith(share, tell, postgres)
  } finally {
    await postgres?.end()
  }
}

async function workWith(
  share: Share,
  tell: (run: SimulatedRun) => void,
  postgres: PostgresForTests | undefined,
): Promise<void> {
  const { first, step, end, onWrong, keepAll } = share
  for (let seed = first; seed < end; seed += step) {
    tell({ seed })
    const plant = share.plant && PLANTS[share.plant]
    const cluster =
      postgres !== undefined
        ? sharedClusterOf(seed, (servers) => postgres.makeShared(servers))
        : (share.refreshes || plant?.refreshes ? refreshingClusterOf : clusterOf)(seed)
    const whole: ClusterOptions = { ...cluster, ...(plant && { plant }) }
    const options = share.troubles === undefined ? whole : withTroubles(whole, share.troubles)
    const replay = await replayCluster(options)
    const { requests, virtualMs, befallen, faults } = replay.report
    const isWrong = faults.length > 0
    const more =
      isWrong || keepAll
        ? [`journal: ${writeJournal(share.journals, nameOf(share, `seed-${seed}`), replay.lines)}`]
        : []
    if (isWrong) more.push(...replay.lines.slice(-LAST_LINES).map((line) => `| ${line}`))
    if (isWrong && onWrong === 'shorten') more.push(...(await shortened(share, seed, options, replay)))
    const wrong = faults.slice(0, MAX_WRONG)
    tell({ seed, done: { requests, virtualMs, counts: [...befallen.counts], wrong, more } })
    if (isWrong && onWrong === 'stop') return
  }
}

async function shortened(share: Share, seed: number, options: ClusterOptions, failed: Replay): Promise<string[]> {
  const short = await shortenFailure(options, failed.report, SHORTEN)
  if (short === undefined)
    return [
      share.isShared
        ? 'it did not fail again: over PostgreSQL transactions of two servers end in any order'
        : 'it did not fail again: something in it depends on more than its seed, which is a bug of the simulator',
    ]
  const { troubles, broken, tries, isMinimal, report } = short
  const others = troubles.filter((trouble) => typeof trouble === 'string')
  const plant = share.plant === undefined ? '' : ` --plant ${share.plant}`
  const refreshing = flagsOf(share)
  const all = failed.report.schedule.length
  return [
    `shortened in ${tries} runs to ${report.schedule.length} of ${all} faults${isMinimal ? '' : ' (perhaps not the fewest)'}:`,
    ...report.schedule.map((fault) => `  ${wordsOfFault(fault)}`),
    ...others.map(
      (trouble) => `  ${trouble === 'network' ? 'the bad network' : 'clocks that are wrong from the start'}`,
    ),
    ...(troubles.length === 0 ? ['  none: it fails without any'] : []),
    `it breaks: ${broken[0]}`,
    `journal of that: ${writeJournal(share.journals, nameOf(share, `seed-${seed}-shortened`), short.lines)}`,
    `again: npm run chaos -- --simulated 1 --seed ${seed}${refreshing} --faults-only ${writeTroubles(troubles)}${plant}`,
  ]
}

const nameOf = ({ plant, refreshes, isShared }: Share, run: string): string =>
  [
    run,
    ...(refreshes ? ['refreshing'] : []),
    ...(isShared ? ['postgres'] : []),
    ...(plant === undefined ? [] : [plant]),
  ].join('-')

/** Of the command that repeats it, each with a space before it. */
export const flagsOf = ({ refreshes, isShared }: Pick<Share, 'refreshes' | 'isShared'>): string =>
  `${refreshes ? ' --refreshing' : ''}${isShared ? ' --postgres' : ''}`

/** Returns its path. */
export function writeJournal(folder: string, name: string, lines: readonly string[]): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}.txt`)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

// Only as a process of its own: the types above are imported by who starts it.
if (process.send !== undefined && import.meta.main) {
  await work(JSON.parse(process.argv[2]) as Share, (run) => process.send?.(run))
  process.disconnect()
}
