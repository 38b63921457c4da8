/**
 * `npm run chaos`: crawls by many processes under faults, one after the other, until there were as many as asked for.
 *
 *   npm run chaos -- [--faults 200] [--named 40] [--migrations 40] [--a-crawl 80] [--seed N]
 *   npm run chaos -- --simulated 2000 [--seed N]
 *   npm run chaos -- --days 8 [--seed N]
 *
 * `--named`: how many deaths there must be at each of the moments that matter most, between a sync and its check-in, between
 * the inbox and applying, and inside applying; an eighth as many stops inside `enter` and inside `renew`, past the leases. Every
 * crawl is judged; the seed of one that fails repeats it.
 * `--simulated`: so many small clusters in virtual time. `--days`: one larger cluster for so many virtual days.
 */
import { parseArgs } from 'node:util'
import { EXIT } from '../../src/base/errors.ts'
import { chaosCrawl } from './cluster-chaos.ts'
import { wanted } from './fate.ts'
import { manyDays } from './many-days.ts'
import { migrationChaos } from './migration-chaos.ts'
import { simulatedChaos } from './simulated.ts'
import { chaosWeb } from './web.ts'

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '200' },
    named: { type: 'string', default: '40' },
    migrations: { type: 'string', default: '40' },
    'a-crawl': { type: 'string', default: '80' },
    simulated: { type: 'string' },
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
  if (values.simulated !== undefined) return simulatedChaos(numberOf('simulated', values.simulated), first, tell)
  if (values.days !== undefined) return manyDays(numberOf('days', values.days), first, tell)
  return realChaos()
}

function numberOf(flag: string, text: string): number {
  const number = Number(text)
  if (text.trim() !== '' && number >= 0 && Number.isFinite(number)) return number
  throw new Error(`--${flag} ${text}: give a number, as in --${flag} 8`)
}

// What was started and mounted goes with this process, also when it is told to end.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(EXIT.interrupted))
if (!(await chaos())) process.exitCode = EXIT.failed
