/** `npm run chaos`: crawls by many processes under faults, one after another, until there were as many faults as wanted. */
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { EXIT } from '../../src/base/errors.ts'
import { readTroubles } from '../../testkit/simulate/cluster-replay.ts'
import { PLANTS, type PlantName } from '../../testkit/simulate/plants.ts'
import { chaosCrawl } from './cluster-chaos.ts'
import { wanted } from './fate.ts'
import { manyDays } from './many-days.ts'
import { migrationChaos } from './migration-chaos.ts'
import { plantedChaos, simulatedChaos } from './simulated.ts'
import { changingChaosWeb, chaosWeb } from './web.ts'

const HELP = `npm run chaos -- [FLAGS]

Without flags: every planted bug must be found, then real processes crawl under faults, and refresh what they collect, then
servers die inside a migration, then a crawl on one machine is killed again and again.
Every crawl is judged. The seed of one that fails repeats it.

  --faults 200         at least this many faults in all
  --named 40           deaths at each of the moments that matter most (between a sync and its check-in, between the inbox
                       and applying, inside applying), and an eighth as many stops inside enter and renew
  --a-crawl 80         faults per crawl
  --migrations 40      servers that die inside a migration
  --kills 50           deaths of the crawl on one machine
  --seed N             the first seed; default: from the clock
  --journals DIR       where journals are written; default: orbweaver-chaos in the folder for temporary files
  --planted            only the planted bugs
  --simulated N        only this many small clusters in virtual time; a failure is shown with its seed, a journal and the
                       fewest faults that it needs. With 1 there is always a journal.
  --faults-only LIST   with --simulated: only these faults of the seed, by number, and network, clocks or none (3,7,network)
  --refreshing         only one crawl under faults in which what was collected is looked at again all the while; with
                       --simulated: the same in its clusters
  --postgres           with --simulated and --refreshing: over PostgreSQL, with two servers (slower; a seed repeats the faults,
                       not each step)
  --plant NAME         with --simulated: with this planted bug (${Object.keys(PLANTS).join(', ')})
  --days N             only one larger cluster, for this many virtual days
  --help               this text`

/** The command line is wrong: one line instead of a stack trace. */
function refuse(what: string): never {
  process.stderr.write(`chaos: ${what} ('npm run chaos -- --help' lists all flags)\n`)
  process.exit(EXIT.usage)
}

function readFlags() {
  try {
    return parseArgs({
      options: {
        faults: { type: 'string', default: '200' },
        named: { type: 'string', default: '40' },
        migrations: { type: 'string', default: '40' },
        kills: { type: 'string', default: '50' },
        'a-crawl': { type: 'string', default: '80' },
        simulated: { type: 'string' },
        'faults-only': { type: 'string' },
        plant: { type: 'string' },
        refreshing: { type: 'boolean', default: false },
        postgres: { type: 'boolean', default: false },
        planted: { type: 'boolean', default: false },
        journals: { type: 'string', default: join(tmpdir(), 'orbweaver-chaos') },
        days: { type: 'string' },
        seed: { type: 'string', default: String(Date.now() % 100_000) },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (error) {
    // Node's advice on positional arguments follows the first sentence.
    return refuse((error as Error).message.split('. ')[0])
  }
}

const tell = (line: string) => process.stdout.write(`${line}\n`)
const values = readFlags()
if (values.help) {
  tell(HELP)
  process.exit(EXIT.done)
}
const first = numberOf('seed', values.seed)
const plan = {
  faults: numberOf('faults', values.faults),
  named: numberOf('named', values.named),
  migrations: numberOf('migrations', values.migrations),
  kills: numberOf('kills', values.kills),
  perCrawl: numberOf('a-crawl', values['a-crawl']),
}

async function realChaos(): Promise<boolean> {
  const sums = new Map<string, number>()
  const total = () => [...sums.values()].reduce((sum, n) => sum + n, 0)
  const lacking = () => new Map([...wanted(plan.named)].map(([name, count]) => [name, count - (sums.get(name) ?? 0)]))
  const lacksNamed = () => [...lacking().values()].some((count) => count > 0)

  for (let seed = first; total() < plan.faults || lacksNamed(); seed++) {
    const kinds = total() < plan.faults ? 'all' : 'named'
    tell(`seed ${seed}: a crawl under faults of ${kinds === 'all' ? 'all kinds' : 'named moments'} (${total()} so far)`)
    const began = performance.now()
    const faults = await chaosCrawl({
      ...{ seed, kinds, faults: plan.perCrawl, web: chaosWeb(seed), servers: 2, workers: 4 },
      ...{ lacking: lacking(), tell },
    })
    for (const [name, count] of faults) sums.set(name, (sums.get(name) ?? 0) + count)
    tell(`  ${[...faults].map(([name, count]) => `${name} ${count}`).join('; ')}`)
    tell(`  the same set, every pause kept, in ${((performance.now() - began) / 1000).toFixed(0)} s`)
  }
  await refreshUnderFaults(sums)
  tell(`seed ${first}: servers that die inside a migration`)
  for (const [moment, count] of await migrationChaos(plan.migrations, first))
    sums.set(`server in a migration, ${moment}`, count)
  tell(`${total()} faults:`)
  for (const [name, count] of [...sums].sort()) tell(`  ${String(count).padStart(4)}  ${name}`)
  return killsOnOneMachine()
}

/** The test of `npm test`, with more kills. */
function killsOnOneMachine(): boolean {
  if (plan.kills === 0) return true
  tell(`seed ${first}: a crawl on one machine, killed ${plan.kills} times`)
  const env = { ...process.env, CHAOS_KILLS: String(plan.kills), E2E_SEED: String(first) }
  const file = join(import.meta.dirname, '..', 'e2e', 'kill-9.test.ts')
  return spawnSync(process.execPath, ['--test', file], { env, stdio: 'inherit' }).status === 0
}

async function refreshUnderFaults(sums: Map<string, number>): Promise<boolean> {
  tell(`seed ${first}: a refresh under faults`)
  const faults = await chaosCrawl({
    ...{ seed: first, kinds: 'all', faults: plan.perCrawl / 2, web: changingChaosWeb(first), servers: 2, workers: 4 },
    ...{ lacking: wanted(4), refreshes: true, tell },
  })
  for (const [name, count] of faults) sums.set(name, (sums.get(name) ?? 0) + count)
  tell(`  ${[...faults].map(([name, count]) => `${name} ${count}`).join('; ')}`)
  return true
}

async function chaos(): Promise<boolean> {
  const { journals } = values
  if (values.simulated !== undefined) {
    const runs = numberOf('simulated', values.simulated)
    const only = values['faults-only']
    const troubles = only === undefined ? undefined : troublesOf(only)
    const { refreshing: refreshes, postgres: isShared } = values
    const plant = plantOf(values.plant)
    if (isShared && (!refreshes || plant !== undefined))
      refuse('--postgres goes with --simulated and --refreshing, and without --plant')
    return simulatedChaos({ runs, first, journals, troubles, plant, refreshes, isShared, tell })
  }
  if (values.postgres) refuse('--postgres goes with --simulated and --refreshing')
  if (values.refreshing) return refreshUnderFaults(new Map())
  if (values.days !== undefined) return manyDays(numberOf('days', values.days), first, journals, tell)
  const isEachFound = await plantedChaos({ first, journals, tell })
  return values.planted ? isEachFound : (await realChaos()) && isEachFound
}

function troublesOf(text: string): ReturnType<typeof readTroubles> {
  try {
    return readTroubles(text)
  } catch (error) {
    return refuse((error as Error).message)
  }
}

function plantOf(text: string | undefined): PlantName | undefined {
  if (text === undefined || text in PLANTS) return text as PlantName | undefined
  return refuse(`--plant ${text}: there is no such bug; there are ${Object.keys(PLANTS).join(', ')}`)
}

function numberOf(flag: string, text: string): number {
  const number = Number(text)
  if (text.trim() !== '' && number >= 0 && Number.isFinite(number)) return number
  return refuse(`--${flag} ${text}: give a number, as in --${flag} 8`)
}

// What was started and mounted goes with this process, also when it is told to end.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(EXIT.interrupted))
if (!(await chaos())) process.exitCode = EXIT.failed
