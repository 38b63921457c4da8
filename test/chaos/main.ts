/**
 * `npm run chaos`: crawls by many processes under faults, one after the other, until there were as many as asked for.
 *
 *   npm run chaos -- [--faults 200] [--named 40] [--migrations 40] [--a-crawl 80] [--seed N]
 *   npm run chaos -- --simulated 2000 [--seed N] [--faults-only 3,7,network] [--plant NAME]
 *   npm run chaos -- --planted [--seed N]
 *   npm run chaos -- --days 8 [--seed N]
 *
 * `--named`: how many deaths there must be at each of the moments that matter most, between a sync and its check-in, between
 * the inbox and applying, and inside applying; an eighth as many stops inside `enter` and inside `renew`, past the leases. Every
 * crawl is judged; the seed of one that fails repeats it.
 * `--simulated`: so many small clusters in virtual time. What fails is told with its seed, a journal and the fewest faults
 * that it needs; with `--simulated 1` there is always a journal. `--faults-only`: of the faults of the seed only these, by
 * their numbers, and `network`, `clocks` or `none`. `--plant`: with this bug in it.
 * `--planted`: bugs are planted one by one, and each must be found. It is a part of the run without flags, too.
 * `--journals DIR`: where journals are written. `--days`: one larger cluster for so many virtual days.
 */
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
import { chaosWeb } from './web.ts'

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '200' },
    named: { type: 'string', default: '40' },
    migrations: { type: 'string', default: '40' },
    'a-crawl': { type: 'string', default: '80' },
    simulated: { type: 'string' },
    'faults-only': { type: 'string' },
    plant: { type: 'string' },
    planted: { type: 'boolean', default: false },
    journals: { type: 'string', default: join(tmpdir(), 'orbweaver-chaos') },
    days: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
  },
})
const first = numberOf('seed', values.seed)
const tell = (line: string) => process.stdout.write(`${line}\n`)

async function realChaos(): Promise<boolean> {
  const sums = new Map<string, number>()
  const total = () => [...sums.values()].reduce((sum, n) => sum + n, 0)
  const lacking = () =>
    new Map([...wanted(Number(values.named))].map(([name, count]) => [name, count - (sums.get(name) ?? 0)]))
  const lacksNamed = () => [...lacking().values()].some((count) => count > 0)

  for (let seed = first; total() < Number(values.faults) || lacksNamed(); seed++) {
    const kinds = total() < Number(values.faults) ? 'all' : 'named'
    tell(`seed ${seed}: a crawl under faults of ${kinds === 'all' ? 'all kinds' : 'named moments'} (${total()} so far)`)
    const began = performance.now()
    const faults = await chaosCrawl({
      ...{ seed, kinds, faults: Number(values['a-crawl']), web: chaosWeb(seed), servers: 2, workers: 4 },
      ...{ lacking: lacking(), tell },
    })
    for (const [name, count] of faults) sums.set(name, (sums.get(name) ?? 0) + count)
    tell(`  ${[...faults].map(([name, count]) => `${name} ${count}`).join('; ')}`)
    tell(`  the same set, every pause kept, in ${((performance.now() - began) / 1000).toFixed(0)} s`)
  }
  tell(`seed ${first}: servers that die inside a migration`)
  for (const [moment, count] of await migrationChaos(Number(values.migrations), first))
    sums.set(`server in a migration, ${moment}`, count)
  tell(`${total()} faults:`)
  for (const [name, count] of [...sums].sort()) tell(`  ${String(count).padStart(4)}  ${name}`)
  return true
}

async function chaos(): Promise<boolean> {
  const { journals } = values
  if (values.simulated !== undefined) {
    const runs = numberOf('simulated', values.simulated)
    const only = values['faults-only']
    const troubles = only === undefined ? undefined : readTroubles(only)
    return simulatedChaos({ runs, first, journals, troubles, plant: plantOf(values.plant), tell })
  }
  if (values.days !== undefined) return manyDays(numberOf('days', values.days), first, journals, tell)
  const isEachFound = await plantedChaos({ first, journals, tell })
  return values.planted ? isEachFound : (await realChaos()) && isEachFound
}

function plantOf(text: string | undefined): PlantName | undefined {
  if (text === undefined || text in PLANTS) return text as PlantName | undefined
  throw new Error(`--plant ${text}: there is no such bug; there are ${Object.keys(PLANTS).join(', ')}`)
}

function numberOf(flag: string, text: string): number {
  const number = Number(text)
  if (text.trim() !== '' && number >= 0 && Number.isFinite(number)) return number
  throw new Error(`--${flag} ${text}: give a number, as in --${flag} 8`)
}

// What was started and mounted goes with this process, also when it is told to end.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(EXIT.interrupted))
if (!(await chaos())) process.exitCode = EXIT.failed
