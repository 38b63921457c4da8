/**
 * `bench refresh`: the whole crawler keeps a synthetic web fresh for a month of virtual time. How stale its copies are, day by
 * day, as the servers know it, against the least that the pauses permit; rivals on the same pages in the arena.
 */
import { fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../../src/database/database.ts'
import { openPostgres } from '../../src/database/postgres/open.ts'
import type { PolicyName } from '../../src/refresh/policy.ts'
import { type Day, ONE_HORIZON, runTrial } from '../../src/refresh/trial.ts'
import { lineChart } from '../../src/report/line-chart.ts'
import { grouped } from '../../src/report/text-table.ts'
import { startServer } from '../../testkit/postgres/server.test-tools.ts'
import { AppliedLooks } from '../../testkit/simulate/applied-looks.ts'
import {
  changingWeb,
  type RefreshReport,
  type RefreshRunOptions,
  simulateRefresh,
} from '../../testkit/simulate/refresh-run.ts'
import { type FreshnessDay, scenarioOf, watchedPages } from '../../testkit/simulate/staleness.ts'
import { benchmark, type Outcome, type Tools } from '../command.ts'

const FLAGS = {
  sites: { default: 50, what: 'sites of the synthetic web' },
  pages: { default: 40, what: 'pages of each' },
  pause: { default: 120, what: 'seconds between requests to a site' },
  days: { default: 30, what: 'days of refreshing after the first crawl' },
  from: { default: 14, what: 'the day from which staleness counts' },
  seed: { default: 1, what: 'of the web and of chance' },
  rates: { default: 'learnt', what: 'learnt, known (the crawler is told them), or both, side by side' },
  database: { default: 'sqlite', what: 'sqlite or embedded (PostgreSQL)' },
  servers: { default: 1, what: 'servers that share the collection (PostgreSQL)' },
  figure: { default: '', what: 'a folder for refresh.svg and refresh.csv, the curve by day' },
} as const

/**
 * Staleness over the bound that must not be exceeded, as expected from the looks: when pages happened to change moves the
 * drawn one by a hundredth even with 50 sites.
 */
const AIMS = { learnt: 1.06, known: 1.02 } as const
type Rates = keyof typeof AIMS

interface Measured extends RefreshReport {
  /** Staleness over the bound as the servers drew the changes, its standard error by that chance, and by expectation. */
  ratio: number
  error: number
  expectedRatio: number
}

/** In a longer run looks are not compared one by one with what the servers answered. */
const COUNTED_DAYS = 2

const RIVALS: readonly PolicyName[] = ['index', 'psp', 'round-robin', 'proportional', 'nutch-adaptive']

interface Curve {
  name: string
  /** Staleness over the bound by day; NaN: not known. */
  ratios: number[]
  ratio: number
}

export const refresh = benchmark({
  name: 'refresh',
  what: 'how fresh the whole crawler keeps a changing web in virtual time, against the bound and rivals',
  flags: FLAGS,
  async run(values, tools): Promise<Outcome> {
    const { sites, pages, pause, days, from, seed, rates, database, servers, figure } = values
    if (!['learnt', 'known', 'both'].includes(rates))
      throw new Error(`--rates is learnt, known or both, not '${rates}'`)
    if (!(Number.isInteger(days) && days >= 1)) throw new Error('--days is a whole number')
    const kinds: Rates[] = rates === 'both' ? ['learnt', 'known'] : [rates as Rates]
    const options = { sites, pages, pauseMs: pause * 1000, days, seed }
    const counted = Math.min(from, days)
    const curves: Curve[] = []
    const runs: Partial<Record<Rates, Measured>> = {}
    const reports = await Promise.all(
      kinds.map((kind) => inOwnProcess({ ...options, isKnown: kind === 'known', database, servers }, tools)),
    )
    for (const [nth, kind] of kinds.entries()) {
      const report = reports[nth]
      const drawn = curveOf('', report.days, report.bound, counted, (day) => day.stale)
      const curve = curveOf(
        `crawler${kind === 'known' ? KNOWN : ''}`,
        report.days,
        report.bound,
        counted,
        (day) => day.expected,
      )
      const late = report.days.slice(counted - 1)
      const error = Math.sqrt(late.reduce((sum, { variance }) => sum + variance, 0)) / late.length / report.bound
      runs[kind] = { ...report, ratio: drawn.ratio, error, expectedRatio: curve.ratio }
      curves.push(curve)
    }
    const one = runs.learnt ?? runs.known
    if (one === undefined) throw new Error('nothing was run')
    const rivals = await rivalsOf(options, pause * 1000 + one.meanAnswerMs, one.bound, counted, tools)
    if (figure !== '') draw(figure, [...curves, ...rivals], `${sites} sites × ${pages} pages, pause ${pause} s`)
    const ran = Object.entries(runs) as [Rates, Measured][]
    const failures = ran.flatMap(([kind, run]) => failuresOf(kind, run, days > from))
    const judged = days <= COUNTED_DAYS && failures.length === 0 ? ['no look was lost, and none counted twice'] : []
    return {
      tables: [runTable(ran, values), rivalTable([...curves, ...rivals], counted)],
      notes: [...ran.map(([kind, run]) => dayLine(kind, run)), ...judged, ...failures],
      figures: { runs, rivals },
      failed: failures.length > 0,
    }
  },
})

function failuresOf(kind: Rates, { violations, examples, wrong, expectedRatio: ratio }: Measured, counts: boolean) {
  return [
    ...(violations > 0 ? [`${violations} requests broke the rules: ${Object.values(examples).join('; ')}`] : []),
    ...wrong.slice(0, 10),
    ...(counts && !(ratio <= AIMS[kind])
      ? [`rates ${kind}: ${ratio.toFixed(4)} times the bound, above ${AIMS[kind]}`]
      : []),
  ]
}

function runTable(ran: readonly [Rates, Measured][], values: object) {
  return {
    title: `A refresh in virtual time: ${Object.entries(values)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}`,
    header: [
      'rates',
      'looks',
      'of them 304',
      'staleness/bound ± 1 σ',
      'by expectation',
      'bound',
      'violations',
      's',
      'looks/s',
    ],
    rows: ran.map(([kind, run]) => [
      kind,
      grouped(run.looks),
      `${Math.round((100 * run.unmodified) / Math.max(1, run.looks))} %`,
      `${run.ratio.toFixed(4)} ± ${run.error.toFixed(4)}`,
      run.expectedRatio.toFixed(4),
      run.bound.toFixed(5),
      `${run.violations}`,
      (run.realMs / 1000).toFixed(0),
      grouped(Math.round(run.looks / (run.realMs / 1000))),
    ]),
  }
}

function rivalTable(curves: readonly Curve[], counted: number) {
  return {
    title: `Staleness over the bound, from day ${counted} on; all but the crawler in the arena, on the same pages and pauses`,
    header: ['', 'ratio'],
    rows: curves.map(({ name, ratio }) => [name, ratio.toFixed(4)]),
  }
}

const dayLine = (kind: Rates, { days, bound }: RefreshReport) =>
  `rates ${kind}, by day: ${days.map(({ expected }) => (expected / bound).toFixed(2)).join(' ')}`

interface Job extends Omit<RefreshRunOptions, 'databases' | 'progress'> {
  database: string
  servers: number
}

type Message = { said: string } | { report: RefreshReport } | { failed: string }

/** One run takes one thread: with both kinds of rates it has another core. */
function inOwnProcess(job: Job, tools: Tools): Promise<RefreshReport> {
  return new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, [JSON.stringify(job)])
    child.on('message', (message: Message) => {
      if ('said' in message) tools.say(message.said)
      else if ('report' in message) resolve(message.report)
      else reject(new Error(message.failed))
    })
    child.on('exit', (code) => reject(new Error(`the refresh ended too early, with ${code}`)))
  })
}

async function runJob({ database, servers, ...options }: Job, send: (message: Message) => void): Promise<void> {
  const begun = performance.now()
  const kind: Rates = options.isKnown ? 'known' : 'learnt'
  await using stand = await databasesOf(database, servers)
  const report = await simulateRefresh({
    ...options,
    // Each look is counted apart: a month of them would take too much memory.
    ...(options.days <= COUNTED_DAYS && { looks: new AppliedLooks() }),
    ...(stand.databases.length > 0 && { databases: stand.databases }),
    progress(day, looks) {
      const seconds = ((performance.now() - begun) / 1000).toFixed(0)
      send({ said: `rates ${kind}: day ${day} of ${options.days}, ${grouped(looks)} looks, ${seconds} s` })
    },
  })
  send({ report })
}

function curveOf<T extends Day | FreshnessDay>(
  name: string,
  days: readonly T[],
  bound: number,
  counted: number,
  staleness: (day: T) => number,
): Curve {
  const ratios = days.map((day) => staleness(day) / bound)
  const late = ratios.slice(counted - 1)
  return { name, ratios, ratio: late.reduce((sum, ratio) => sum + ratio, 0) / late.length }
}

/** With known rates, and learning where they can. */
async function rivalsOf(
  options: Parameters<typeof changingWeb>[0] & { days: number },
  gapMs: number,
  bound: number,
  counted: number,
  tools: Tools,
): Promise<Curve[]> {
  const scenario = scenarioOf(watchedPages(changingWeb(options)), gapMs)
  const silent = { elapsed: () => performance.now(), progress: async () => {} }
  const found: Curve[] = []
  for (const isLearning of [false, true]) {
    tools.say(`rivals, rates ${isLearning ? 'learnt' : 'known'}`)
    const trial = { ...ONE_HORIZON, horizons: Math.max(2, options.days), isLearning, seed: options.seed }
    const { policies } = await runTrial(scenario, RIVALS, trial, silent)
    for (const name of RIVALS) {
      // These two are the same either way: one never uses rates, the other has its own rule.
      const isSame = name === 'round-robin' || name === 'nutch-adaptive'
      if (isSame && isLearning) continue
      const label = isSame || isLearning ? name : `${name}${KNOWN}`
      const days = (policies[name]?.days ?? []).slice(0, options.days)
      found.push(curveOf(label, days, bound, counted, (day) => day.staleness))
    }
  }
  return found
}

/** None: SQLite in memory. */
async function databasesOf(kind: string, servers: number): Promise<AsyncDisposable & { databases: Database[] }> {
  if (kind === 'sqlite') {
    if (servers > 1) throw new Error('--servers 2 needs --database embedded: SQLite has one server')
    return { databases: [], [Symbol.asyncDispose]: async () => {} }
  }
  if (kind !== 'embedded') throw new Error(`--database is sqlite or embedded, not '${kind}'`)
  const server = await startServer()
  if ('skipped' in server) throw new Error(server.skipped)
  const databases: Database[] = []
  for (let nth = 0; nth < Math.max(1, servers); nth++) databases.push(await openPostgres(server.url))
  return { databases, [Symbol.asyncDispose]: () => server.stop() }
}

/** Above this a curve would press the others together at the foot of the chart. */
const CHART_TOP = 2

/** Of a curve whose policy knows the rates. */
const KNOWN = '*'

function draw(folder: string, curves: readonly Curve[], what: string): void {
  const at = curves[0].ratios.map((_, i) => i + 1)
  const shown = curves.filter(({ ratio }) => ratio <= CHART_TOP)
  const left = curves
    .filter(({ ratio }) => !(ratio <= CHART_TOP))
    .map(({ name, ratio }) => `${name} ${ratio.toFixed(1)}`)
  const title = `Staleness by day, ${what} (${['* rates known', ...left].join('; ')})`
  const series = shown.map(({ name, ratios }) => ({
    name,
    values: ratios.map((ratio) => (ratio <= CHART_TOP ? ratio : undefined)),
  }))
  writeFileSync(
    join(folder, 'refresh.svg'),
    lineChart({ title, x: 'day', y: 'staleness over the KKT bound', from: 1, at, series }),
  )
  const lines = at.map((day, i) => [day, ...curves.map(({ ratios }) => ratios[i].toFixed(5))].join(','))
  writeFileSync(
    join(folder, 'refresh.csv'),
    [['day', ...curves.map(({ name }) => `"${name}"`)].join(','), ...lines, ''].join('\n'),
  )
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  const send = (message: Message) => void process.send?.(message)
  await runJob(JSON.parse(process.argv[2]) as Job, send).catch((error: unknown) => send({ failed: String(error) }))
  process.disconnect()
}
