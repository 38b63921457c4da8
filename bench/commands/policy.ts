/** `bench policy`: what planning, running and deciding cost at the size of the PSP paper, beside the targets. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { bestRates } from '../../src/refresh/bounds.ts'
import { drawScenario } from '../../src/refresh/make-scenario.ts'
import { planFor } from '../../src/refresh/planned.ts'
import { makePolicy } from '../../src/refresh/policies.ts'
import type { PolicyName } from '../../src/refresh/policy.ts'
import { runTrial } from '../../src/refresh/trial.ts'
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
  },
  async run({ pages, large, policies }, tools): Promise<Outcome> {
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
      { what: 'index, decisions', kind: 'decide', policy: 'index', pages, target: { microseconds: 5 } },
    ]
    const figures: (Work & Measured)[] = []
    for (const work of works) {
      figures.push({ ...work, ...(await inOwnProcess(work)) })
      tools.say(`${work.what}, ${grouped(work.pages)} pages: ${figures.at(-1)?.wallSeconds.toFixed(1)} s`)
    }
    const rows = figures.map((one) => [
      one.what,
      grouped(one.pages),
      grouped(one.count),
      one.cpuSeconds.toFixed(2),
      one.wallSeconds.toFixed(2),
      ((1e6 * one.cpuSeconds) / one.count).toFixed(2),
      `${Math.round(one.peakBytes / 1e6)} MB`,
      targetText(one.target),
      isMet(one) ? 'yes' : 'NO',
    ])
    const header = [
      'what',
      'pages',
      'updates',
      'CPU s',
      'wall s',
      'CPU µs each',
      'peak memory',
      'target',
      'met by CPU time',
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

function isMet({ target, cpuSeconds, peakBytes, count }: Work & Measured): boolean {
  return (
    cpuSeconds <= (target.seconds ?? Number.POSITIVE_INFINITY) &&
    peakBytes <= (target.bytes ?? Number.POSITIVE_INFINITY) &&
    (1e6 * cpuSeconds) / count <= (target.microseconds ?? Number.POSITIVE_INFINITY)
  )
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

/** The paper's scenario: λ uniform in 0.01–1 per hour, 8.64 updates a page. */
function scenarioOf(pages: number) {
  const scale = pages / 1_000_000
  return drawScenario({
    pages,
    servers: Math.max(1, Math.round(2000 * scale)),
    zipf: 1,
    rates: { kind: 'uniform', parameters: [0.01, 1], unit: 1 / 3600 },
    weights: { kind: 'equal', parameters: [1], unit: 1 },
    sizes: undefined,
    serverSpeed: undefined,
    crawlers: 10,
    crawlerSpeed: { kind: 'equal', parameters: [10 * scale], unit: 1 },
    horizon: 86_400,
    politeness: 15,
    capacity: undefined,
    seed: 1,
  })
}

async function measure({ kind, policy: name, pages }: Work): Promise<Measured> {
  const scenario = scenarioOf(pages)
  const rates = kind === 'plan' ? undefined : bestRates(scenario)
  const cpu = process.cpuUsage()
  const begun = performance.now()
  const done = (count: number): Measured => {
    const { user, system } = process.cpuUsage(cpu)
    return {
      count,
      cpuSeconds: (user + system) / 1e6,
      wallSeconds: (performance.now() - begun) / 1000,
      peakBytes: process.resourceUsage().maxRSS * 1024,
    }
  }
  if (kind === 'plan') return done(planFor('psp', scenario).order.length)
  if (kind === 'run') {
    const options = {
      isSampled: false,
      changes: 'poisson',
      isLearning: false,
      horizons: 1,
      every: 0,
      isDetailed: false,
      seed: 1,
    } as const
    const tools = { elapsed: () => performance.now(), progress: async () => {} }
    const { policies } = await runTrial(scenario, [name], options, tools)
    return done(policies[name]?.fetches ?? 0)
  }
  const index = makePolicy('index', scenario, rates ?? bestRates(scenario), false)
  const servers = scenario.start.length - 1
  const decisions = 200 * servers
  // As in a crawl: every server in turn, one fetch of all of them each politeness apart.
  const asked = process.cpuUsage()
  for (let i = 0; i < decisions; i++) {
    const server = i % servers
    const now = 43_200 + (15 * i) / servers
    index.due(server, now)
    const page = index.take(server, now)
    index.looked(page, server, now, now, false)
    index.crowd(1)
  }
  const { user, system } = process.cpuUsage(asked)
  return { ...done(decisions), cpuSeconds: (user + system) / 1e6 }
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  const measured = await measure(JSON.parse(process.argv[2]) as Work)
  process.send(measured, () => process.exit(0))
}
