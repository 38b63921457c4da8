/** `simulate policy`: tries policies on a scenario and prints the results as text, JSON or CSV. */
import { readFileSync } from 'node:fs'
import { EXIT, Problem } from '../../base/errors.ts'
import { pick } from '../../base/pick.ts'
import { formatDuration } from '../../base/units.ts'
import { estimateRate, FIRST_PRIOR } from '../../refresh/estimate.ts'
import { BadScenario, drawScenario, readInstance, type ScenarioDraw } from '../../refresh/make-scenario.ts'
import type { PolicyName } from '../../refresh/policy.ts'
import { byServer, type Scenario } from '../../refresh/scenario.ts'
import { type PolicyResult, runTrial, type Trial, type TrialTools } from '../../refresh/trial.ts'
import { grouped, printTable, type TextTable } from '../../report/text-table.ts'
import { type Invocation, withReader } from './command.ts'

const PAGES = 1_000_000

export async function simulatePolicy(call: Invocation): Promise<number> {
  const { settings, screen } = call
  if (settings.learn && settings.stationary === undefined)
    throw new Problem('bad-flag', '--learn needs --stationary DAYS, the days to learn in')
  if (settings.detail && !settings.json) throw new Problem('bad-flag', '--detail works only with --json')
  const scenario = await scenarioOf(call)
  const names = [...new Set(settings.policy)]
  const options = {
    isSampled: settings.sample,
    changes: settings.changes,
    isLearning: settings.learn,
    prior: 1000 / settings.prior,
    horizons: settings.stationary ?? 1,
    every: (settings.every ?? 0) / 1000,
    isDetailed: settings.detail,
    seed: seedOf(call),
  }
  const trial = await fit(() => runTrial(scenario, names, options, trialTools(call, names)))
  screen.draw([])
  if (settings.json) screen.print(JSON.stringify(trial, undefined, settings.detail ? undefined : 2))
  else if (settings.csv) screen.print(csvOf(trial))
  else for (const text of tablesOf(trial, scenario)) screen.print(text)
  return EXIT.done
}

export function seedOf({ settings }: Invocation): number {
  return settings.seed ?? settings.randomSeed ?? 1
}

/** Shows progress on a terminal and lets Ctrl-C and timers run in between. */
export function trialTools(call: Invocation, names: readonly PolicyName[], what = ''): TrialTools {
  const { screen, clock, settings } = call
  const begun = clock.elapsed()
  let shown = Number.NEGATIVE_INFINITY
  return {
    elapsed: () => clock.elapsed(),
    async progress(name, share) {
      if (settings.quiet || !screen.isTerminal || clock.elapsed() - shown < 100) return
      shown = clock.elapsed()
      const done = (names.indexOf(name) + share) / names.length
      const filled = Math.round(done * 30)
      const bar = '█'.repeat(filled) + '░'.repeat(30 - filled)
      screen.draw([`${what}${name.padEnd(14)} ${bar} ${Math.floor(done * 100)} %  ${formatDuration(shown - begun)}`])
      await clock.sleep(0)
    },
  }
}

/** The scenario that the flags describe. */
function drawOf(call: Invocation): ScenarioDraw {
  const { settings } = call
  return {
    ...pick(settings, 'servers', 'zipf', 'rates', 'weights', 'sizes', 'serverSpeed', 'crawlers', 'crawlerSpeed'),
    pages: settings.pages ?? PAGES,
    horizon: settings.horizon / 1000,
    politeness: settings.politeness / 1000,
    capacity: settings.capacity,
    seed: seedOf(call),
  }
}

async function scenarioOf(call: Invocation): Promise<Scenario> {
  const { settings, given } = call
  const ofCollection = given.get('collection')?.source.by === 'flag'
  if (settings.instance !== undefined && ofCollection)
    throw new Problem('bad-flag', 'give --instance or --collection, not both: each defines the scenario')
  if (settings.instance !== undefined) return instanceOf(settings.instance)
  return ofCollection ? collectionScenario(call) : fit(() => drawScenario(drawOf(call)))
}

/** A bad scenario from flags is a mistake in the flags. */
async function fit<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BadScenario) throw new Problem('bad-flag', error.message)
    throw error
  }
}

function instanceOf(path: string): Scenario {
  try {
    return readInstance(readFileSync(path === '-' ? 0 : path, 'utf8'))
  } catch (error) {
    if (error instanceof BadScenario)
      throw new Problem('unreadable', `${path} is not a valid instance: ${error.message}`)
    throw error
  }
}

/** The pages of a collection on their sites, with rates estimated from their captures. The rest comes from flags. */
async function collectionScenario(call: Invocation): Promise<Scenario> {
  interface Seen {
    page: number
    at: number
    digest: string
  }
  const seen = new Map<string, Seen>()
  const sites = new Map<string, number>()
  const columns = {
    server: [] as number[],
    size: [] as number[],
    changes: [] as number[],
    changed: [] as number[],
    same: [] as number[],
  }
  await withReader(call, async (reader) => {
    for await (const { url, at, digest, bytes } of reader.looks()) {
      const before = seen.get(url)
      const page = before?.page ?? seen.size
      if (before === undefined) {
        const host = URL.parse(url)?.host ?? url
        const server = sites.get(host) ?? sites.size
        sites.set(host, server)
        for (const column of [columns.changes, columns.changed, columns.same]) column.push(0)
        columns.server.push(server)
        columns.size.push(bytes)
      } else {
        const isChanged = before.digest !== digest
        const column = isChanged ? columns.changed : columns.same
        column[page] += Math.abs(at - before.at) / 1000
        if (isChanged) columns.changes[page]++
      }
      seen.set(url, { page, at, digest })
    }
  })
  if (seen.size === 0)
    throw new Problem('not-found', `${call.settings.collection} has no captures yet; run orbweaver crawl first`)
  const drawn = await fit(() => drawScenario({ ...drawOf(call), pages: seen.size, servers: sites.size }))
  const server = Uint32Array.from(columns.server)
  const rate = Float64Array.from(columns.changes, (changes, page) =>
    estimateRate({ changes, changed: columns.changed[page], unchanged: columns.same[page] }, FIRST_PRIOR),
  )
  return { ...drawn, ...byServer(server, sites.size), server, rate, size: Float64Array.from(columns.size) }
}

function* entries(trial: Trial): Iterable<[PolicyName, PolicyResult]> {
  for (const [name, result] of Object.entries(trial.policies)) yield [name as PolicyName, result]
}

const known = (x: number | null | undefined, digits: number) => (typeof x === 'number' ? x.toFixed(digits) : '-')

function* tablesOf(trial: Trial, scenario: Scenario): Iterable<string> {
  const results = [...entries(trial)]
  const hasDays = results.some(([, result]) => result.days !== undefined)
  yield printTable(policyTable(trial, scenario, hasDays))
  if ('notApplicable' in trial.bounds) yield `No bounds: ${trial.bounds.notApplicable}.`
  const violations = results.reduce((sum, [, result]) => sum + result.violations, 0)
  if (violations > 0) yield `${violations} requests came too soon. This is a bug.`
  if (hasDays)
    yield printTable({
      title: 'Staleness by day',
      header: ['day', ...results.map(([name]) => name)],
      rows: (results[0]?.[1].days ?? []).map(({ day }, at) => [
        String(day),
        ...results.map(([, result]) => known(result.days?.[at]?.staleness, 4)),
      ]),
    })
  for (const [name, { interim }] of results)
    if (interim !== undefined)
      yield printTable({
        title: `${name}, so far`,
        header: ['after', 'staleness', 'age (h)', 'fetches'],
        rows: interim.map(({ at, staleness, stalenessSampled, age, ageSampled, fetches }) => [
          formatDuration(at * 1000),
          known(staleness ?? stalenessSampled, 4),
          known((age ?? ageSampled ?? 0) / 3600, 2),
          grouped(fetches),
        ]),
      })
}

function policyTable(trial: Trial, scenario: Scenario, hasDays: boolean): TextTable {
  const results = [...entries(trial)]
  const isDrawn = results.some(([, result]) => result.stalenessSampled !== undefined)
  const { wp, nonPolite, infCrawlers, kkt } = trial.bounds
  const bounds = { 'WP (bound)': wp, 'NonPolite (bound)': nonPolite, InfCrawlers: infCrawlers, 'KKT (long run)': kkt }
  const row = (name: string, result: PolicyResult) => [
    name,
    known(result.staleness, 4),
    ...(isDrawn ? [known(result.stalenessSampled, 4)] : []),
    known(result.age === null ? (result.ageSampled ?? 0) / 3600 : result.age / 3600, 2),
    grouped(result.fetches),
    grouped(result.dropped),
    result.planSeconds.toFixed(1),
    result.runSeconds.toFixed(1),
    ...(hasDays
      ? [known(result.ratio, 4), `${known(100 * (result.drift ?? 0), 2)} %`, result.isSteady ? 'yes' : 'no']
      : []),
  ]
  const times = ['plan (s)', 'run (s)']
  return {
    title: `${grouped(scenario.rate.length)} pages on ${grouped(scenario.start.length - 1)} servers, ${grouped(scenario.capacity)} fetches in ${formatDuration(scenario.horizon * 1000)}, ${formatDuration(scenario.politeness * 1000)} apart`,
    header: [
      ...['', 'staleness', ...(isDrawn ? ['drawn'] : []), 'age (h)', 'fetches', 'dropped', ...times],
      ...(hasDays ? [': KKT', 'drift', 'steady'] : []),
    ],
    rows: [
      ...Object.entries(bounds).map(([name, bound]) => [name, known(bound, 4)]),
      ...results.map(([name, result]) => row(name, result)),
    ],
  }
}

/** One line per bound, policy, day and interim statistic. */
function csvOf(trial: Trial): string {
  const lines = [
    'kind,name,at,staleness,stalenessSampled,age,fetches,dropped,violations,planSeconds,runSeconds,ratio,drift',
  ]
  const line = (...cells: (string | number | null | undefined)[]) =>
    lines.push(cells.map((cell) => cell ?? '').join(','))
  const { wp, nonPolite, infCrawlers, kkt } = trial.bounds
  for (const [name, bound] of Object.entries({ wp, nonPolite, infCrawlers, kkt })) line('bound', name, '', bound)
  for (const [name, r] of entries(trial)) {
    const times = [r.planSeconds, r.runSeconds, r.ratio, r.drift]
    const age = r.age ?? r.ageSampled
    line('policy', name, '', r.staleness, r.stalenessSampled, age, r.fetches, r.dropped, r.violations, ...times)
    for (const day of r.days ?? []) line('day', name, day.day, day.staleness, '', '', '', '', '', '', '', day.ratio)
    for (const s of r.interim ?? [])
      line('interim', name, s.at, s.staleness, s.stalenessSampled, s.age ?? s.ageSampled, s.fetches)
  }
  return lines.join('\n')
}
