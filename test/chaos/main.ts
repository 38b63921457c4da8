/**
 * `npm run chaos`: crawls by many processes under faults, one after the other, until there were as many as asked for.
 *
 *   npm run chaos -- [--faults 200] [--seed N] [--a-crawl 60]
 */
import { parseArgs } from 'node:util'
import { chaosCrawl } from './cluster-chaos.ts'
import { chaosWeb } from './web.ts'

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '200' },
    'a-crawl': { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
  },
})
const wanted = Number(values.faults)
const first = Number(values.seed)
const sums = new Map<string, number>()
const total = () => [...sums.values()].reduce((sum, n) => sum + n, 0)
const tell = (line: string) => process.stdout.write(`${line}\n`)

for (let seed = first; total() < wanted; seed++) {
  tell(`seed ${seed}: a crawl under faults (${total()} of ${wanted} so far)`)
  const began = performance.now()
  const faults = await chaosCrawl({
    ...{ seed, faults: Number(values['a-crawl']), web: chaosWeb(seed), servers: 2, workers: 4, tell },
  })
  for (const [name, count] of faults) sums.set(name, (sums.get(name) ?? 0) + count)
  tell(`  the same set, every pause kept, in ${((performance.now() - began) / 1000).toFixed(0)} s`)
}
tell(`${total()} faults:`)
for (const [name, count] of [...sums].sort()) tell(`  ${String(count).padStart(4)}  ${name}`)
