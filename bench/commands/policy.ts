/** `bench policy` (P6): what planning, running and deciding cost at the size of the PSP paper, beside the targets. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { seededRandom } from '../../src/base/random.ts'
import { Arena } from '../../src/refresh/arena.ts'
import { bestRates } from '../../src/refresh/bounds.ts'
import { drawScenario, paperDraw } from '../../src/refresh/make-scenario.ts'
import { planFor } from '../../src/refresh/planned.ts'
import type { PolicyName } from '../../src/refresh/policy.ts'
import { agedStart, makePolicy, ONE_HORIZON, runTrial } from '../../src/refresh/trial.ts'
import { grouped } from '../../src/report/text-table.ts'
import { benchmark, type Outcome } from '../command.ts'

interface Measured {
  wallSeconds: number
  cpuSeconds: number
  peakBytes: number
  /** Of what was done: updates, fetches or decisions. */
  count: number
}

interface Work {
  what: string
  kind: 'plan' | 'run' | 'decide'
  policy: PolicyName
  pages: number
  target: { seconds?: number; bytes?: number; microseconds?: number }
}

export const policy = benchmark({
  name: 'policy',
  what: 'revisit policies: planning, a day of the PSP paper, a decision of index',
  flags: {
    pages: { default: 1_000_000, what: "pages; servers and crawlers in the paper's proportion" },
    large: { default: 10_000_000, what: 'pages of the larger plan; 0: none' },
    policies: { default: 'psp', what: 'policies to run for a day, with commas' },
    runs: { default: 3, what: 'times that each is measured; the median counts' },
  },
  async run({ pages, large, policies, runs }, tools): Promise<Outcome> {
    const works: Work[] = [
      { what: 'PSP, phases 1 and 2', kind: 'plan', policy: 'psp', pages, target: { seconds: 2, bytes: 300e6 } },
      ...(large > 0
        ? [{ what: 'PSP, phases 1 and 2', kind: 'plan', policy: 'psp', pages: large, target: { seconds: 20 } } as const]
        : []),
      ...policies.split(',').map(
        (name) =>
          ({
            what: `${name}, a day`,
            kind: 'run',
            policy: name as PolicyName,
            pages,
            target: { seconds: 30, bytes: 1.5e9 },
          }) as const,
      ),
      // Next to nothing to decide: what the arena itself takes of the figures of others.
      { what: 'round-robin, decisions', kind: 'decide', policy: 'round-robin', pages, target: {} },
      { what: 'index, decisions', kind: 'decide', policy: 'index', pages, target: { microseconds: 5 } },
    ]
    const figures: (Work & Measured)[] = []
    for (const work of works) {
      const measured: Measured[] = []
      for (let run = 0; run < Math.max(1, runs); run++) measured.push(await inOwnProcess(work))
      figures.push({ ...work, ...median(measured) })
      tools.say(`${work.what}, ${grouped(work.pages)} pages: ${figures.at(-1)?.wallSeconds.toFixed(1)} s`)
    }
    const arena = microseconds(figures.find(({ policy }) => policy === 'round-robin'))
    const rows = figures.map((one) => [
      one.what,
      grouped(one.pages),
      grouped(one.count),
      one.wallSeconds.toFixed(2),
      one.cpuSeconds.toFixed(2),
      ((1e6 * one.wallSeconds) / one.count).toFixed(2),
      ((1e6 * one.cpuSeconds) / one.count).toFixed(2),
      `${Math.round(one.peakBytes / 1e6)} MB`,
      targetText(one.target),
      isMet(one, arena) ? 'yes' : 'NO',
    ])
    const header = [
      'what',
      'pages',
      'updates',
      'wall s',
      'CPU s',
      'wall µs each',
      'CPU µs each',
      'peak memory',
      'target',
      'met by wall time',
    ]
    return { tables: [{ title: 'Revisit policies', header, rows }], notes: [], figures: { works: figures } }
  },
})

function targetText({ seconds, bytes, microseconds }: Work['target']): string {
  const parts = [
    seconds === undefined ? '' : `${seconds} s`,
    bytes === undefined ? '' : `${bytes / 1e6} MB`,
    microseconds === undefined ? '' : `${microseconds} µs each`,
  ]
  return parts.filter((part) => part !== '').join(', ')
}

/** The middle one by wall time. */
function median(measured: readonly Measured[]): Measured {
  return measured.toSorted((a, b) => a.wallSeconds - b.wallSeconds)[Math.floor((measured.length - 1) / 2)]
}

/** `arena`: microseconds that are no part of a decision. */
function isMet(one: Work & Measured, arena: number): boolean {
  const { target, wallSeconds, peakBytes } = one
  return (
    wallSeconds <= (target.seconds ?? Number.POSITIVE_INFINITY) &&
    peakBytes <= (target.bytes ?? Number.POSITIVE_INFINITY) &&
    microseconds(one) - arena <= (target.microseconds ?? Number.POSITIVE_INFINITY)
  )
}

function microseconds(one: Measured | undefined): number {
  return one === undefined ? 0 : (1e6 * one.wallSeconds) / one.count
}

/** So that its memory is its own. */
async function inOwnProcess(work: Work): Promise<Measured> {
  const child = fork(import.meta.filename, [JSON.stringify(work)])
  const [message] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error(`${work.what} ended too early`)
    }),
  ])) as [Measured]
  return message
}

/** Decisions are measured after the first ones, when code is compiled and the queues have moved. */
const DECISIONS = { before: 100_000, measured: 400_000 }

async function measure({ kind, policy: name, pages }: Work): Promise<Measured> {
  const scenario = drawScenario(paperDraw(pages, 1))
  const tools = { elapsed: () => performance.now(), progress: async () => {} }
  if (kind === 'plan') return measured(() => planFor('psp', scenario).order.length)
  if (kind === 'run')
    return measured(async () => (await runTrial(scenario, [name], ONE_HORIZON, tools)).policies[name]?.fetches ?? 0)
  // As in a crawl that goes on: the arena's own share, its time line, is part of the figure.
  const since = agedStart(scenario, bestRates(scenario), seededRandom(1))
  const options = { random: seededRandom(2), changes: undefined, every: 0, isDetailed: false, since }
  const arena = new Arena(scenario, makePolicy(name, scenario, false, since), options)
  arena.begin()
  const goOn = (fetches: number) => {
    const from = arena.fetches
    while (arena.fetches < from + fetches && arena.step(1000));
    return arena.fetches - from
  }
  goOn(Math.min(DECISIONS.before, scenario.capacity / 10))
  return measured(() => goOn(Math.min(DECISIONS.measured, scenario.capacity / 2)))
}

async function measured(work: () => number | Promise<number>): Promise<Measured> {
  const cpu = process.cpuUsage()
  const begun = performance.now()
  const count = await work()
  const wallSeconds = (performance.now() - begun) / 1000
  const { user, system } = process.cpuUsage(cpu)
  return { count, wallSeconds, cpuSeconds: (user + system) / 1e6, peakBytes: process.resourceUsage().maxRSS * 1024 }
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  const found = await measure(JSON.parse(process.argv[2]) as Work)
  process.send(found, () => process.exit(0))
}
