/**
 * `npm run bench -- [BENCHMARK] [FLAGS]`: what Orbweaver costs, measured so that anybody can repeat it.
 * A new benchmark is a file in `commands/` and a line here.
 */
import { parseArgs } from 'node:util'
import { printTable } from '../src/report/text-table.ts'
import type { Benchmark } from './command.ts'
import { browse } from './commands/browse.ts'
import { ceilingAlone } from './commands/ceiling.ts'
import { changes } from './commands/changes.ts'
import { check } from './commands/check.ts'
import { cluster } from './commands/cluster.ts'
import { crawl } from './commands/crawl.ts'
import { frontier } from './commands/frontier.ts'
import { hazards } from './commands/hazards.ts'
import { intake } from './commands/intake.ts'
import { looks } from './commands/looks.ts'
import { memory } from './commands/memory.ts'
import { mirrors } from './commands/mirrors.ts'
import { pieces } from './commands/pieces.ts'
import { policy } from './commands/policy.ts'
import { refresh } from './commands/refresh.ts'
import { refreshBytes } from './commands/refresh-bytes.ts'
import { rivals } from './commands/rivals.ts'
import { scale } from './commands/scale.ts'
import { simulate } from './commands/simulate.ts'
import { start } from './commands/start.ts'
import { volumes } from './commands/volumes.ts'
import { conditions, conditionsLine } from './measure/conditions.ts'

const BENCHMARKS: readonly Benchmark[] = [
  crawl,
  browse,
  ceilingAlone,
  changes,
  check,
  cluster,
  frontier,
  hazards,
  intake,
  looks,
  memory,
  mirrors,
  pieces,
  policy,
  refreshBytes,
  refresh,
  rivals,
  scale,
  simulate,
  start,
  volumes,
]

function help(): string {
  const lines = ['npm run bench -- [BENCHMARK] [FLAGS]   (none: crawl)', '']
  for (const { name, what, flags } of BENCHMARKS) {
    lines.push(`${name}: ${what}`)
    for (const [flag, { default: value, what: does }] of Object.entries(flags)) {
      const form = `--${flag}${value === false ? '' : ` ${value === '' ? 'TEXT' : value}`}`
      lines.push(`  ${form.padEnd(23)} ${does}`)
    }
    lines.push('')
  }
  return [...lines, 'For all: --json, --help. What is going on is told on standard error.'].join('\n')
}

async function main(argv: string[]): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    console.log(help())
    return 0
  }
  const named = argv[0] !== undefined && !argv[0].startsWith('-')
  const chosen = BENCHMARKS.find(({ name }) => name === (named ? argv[0] : 'crawl'))
  if (chosen === undefined) {
    console.error(`bench: there is no benchmark '${argv[0]}': ${BENCHMARKS.map(({ name }) => name).join(', ')}`)
    return 2
  }
  let given: { values: Record<string, number | string | boolean>; json: boolean }
  try {
    given = readFlags(chosen, named ? argv.slice(1) : argv)
  } catch (error) {
    console.error(`bench ${chosen.name}: ${error instanceof Error ? error.message : error}`)
    return 2
  }
  const before = conditions()
  const { tables, notes, figures, failed } = await chosen.run(given.values, { say: (line) => console.error(line) })
  if (given.json)
    console.log(JSON.stringify({ benchmark: chosen.name, ...before, ...given.values, ...figures }, undefined, 2))
  else console.log([...tables.map(printTable), ...notes, conditionsLine(before)].join('\n\n'))
  return failed === true ? 1 : 0
}

function readFlags({ flags }: Benchmark, argv: string[]) {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      { type: flag.default === false ? 'boolean' : 'string' } as const,
    ]),
  )
  const { values } = parseArgs({ args: argv, options: { ...options, json: { type: 'boolean' as const } } })
  const texts: Record<string, unknown> = values
  const read = Object.entries(flags).map(([name, flag]) => {
    const value = texts[name] ?? flag.default
    if (typeof flag.default !== 'number') return [name, value]
    const number = Number(value)
    if (!Number.isFinite(number) || number < 0) throw new Error(`--${name} is a number, not '${value}'`)
    return [name, number]
  })
  return {
    values: Object.fromEntries(read) as Record<string, number | string | boolean>,
    json: values.json === true,
  }
}

process.exitCode = await main(process.argv.slice(2))
