/** Policies tried on one scenario, one after another, each on the same changes. */
import { seededRandom } from '../base/random.ts'
import { Arena, type Statistics } from './arena.ts'
import { type Bounds, bestRates, type Rates } from './bounds.ts'
import { type ChangeKind, Changes } from './changes.ts'
import { Planned, type PlannedName } from './planned.ts'
import { boundsOf, makePolicy } from './policies.ts'
import type { Policy, PolicyName } from './policy.ts'
import type { Scenario } from './scenario.ts'
import { eachPlanned, type Plan } from './spread.ts'

export interface TrialOptions {
  /** Draw changes. A mixture is always drawn. */
  isSampled: boolean
  changes: ChangeKind
  isLearning: boolean
  /** How many horizons one after another. */
  horizons: number
  /** Seconds between statistics; 0: none. */
  every: number
  isDetailed: boolean
  seed: number
}

export interface TrialTools {
  /** Milliseconds of real time. */
  elapsed(): number
  /** Told often; may let others have a turn. */
  progress(policy: PolicyName, share: number): Promise<void>
}

/** One horizon of many. */
export interface Day {
  day: number
  staleness: number
  /** Staleness over the KKT bound. */
  ratio: number | null
}

/** Staleness and age are weighted means; null for changes that are not Poisson, for which only drawn values are true. */
export interface PolicyResult {
  staleness: number | null
  age: number | null
  stalenessSampled?: number
  ageSampled?: number
  fetches: number
  dropped: number
  violations: number
  planSeconds: number
  runSeconds: number
  /** Over the horizons after the warm-up. */
  ratio?: number | null
  days?: Day[]
  interim?: (Omit<Statistics, 'staleness' | 'age'> & { staleness: number | null; age: number | null })[]
  counts?: number[]
  planned?: number[][]
  realised?: number[][]
}

export type TrialBounds = Bounds | ({ [K in keyof Bounds]: null } & { notApplicable: string })

export interface Trial {
  bounds: TrialBounds
  policies: Partial<Record<PolicyName, PolicyResult>>
}

const EVENTS_AT_ONCE = 200_000

export async function runTrial(
  scenario: Scenario,
  names: readonly PolicyName[],
  options: TrialOptions,
  tools: TrialTools,
): Promise<Trial> {
  const rates = bestRates(scenario)
  const policies: Trial['policies'] = {}
  const plans: Partial<Record<PlannedName, Plan>> = {}
  for (const name of names) {
    await tools.progress(name, 0)
    const begun = tools.elapsed()
    const policy = makePolicy(name, scenario, rates, options.isLearning)
    const planSeconds = (tools.elapsed() - begun) / 1000
    if (policy instanceof Planned && !options.isLearning) plans[policy.name] = policy.plan
    policies[name] = await runPolicy(name, policy, planSeconds, scenario, rates, options, tools)
  }
  return { bounds: options.changes === 'poisson' ? boundsOf(scenario, rates, plans) : NOT_APPLICABLE, policies }
}

const NOT_APPLICABLE = {
  wp: null,
  nonPolite: null,
  infCrawlers: null,
  kkt: null,
  notApplicable: 'the bounds are of Poisson changes',
} as const

async function runPolicy(
  name: PolicyName,
  policy: Policy,
  planSeconds: number,
  scenario: Scenario,
  rates: Rates,
  options: TrialOptions,
  tools: TrialTools,
): Promise<PolicyResult> {
  const begun = tools.elapsed()
  const isDrawn = options.isSampled || options.changes !== 'poisson'
  // Every policy meets the same changes, as far as its looks let it.
  const changes = isDrawn ? new Changes(scenario.rate, options.changes, seededRandom(options.seed)) : undefined
  const random = seededRandom(options.seed + 1)
  const arena = new Arena(scenario, policy, { random, changes, every: options.every, isDetailed: options.isDetailed })
  const isExact = options.changes === 'poisson'
  const days: Day[] = []
  let before = 0
  for (let day = 1; day <= options.horizons; day++) {
    arena.begin()
    while (arena.step(EVENTS_AT_ONCE)) await tools.progress(name, arena.now / (scenario.horizon * options.horizons))
    if (options.horizons === 1) break
    const { staleness, stalenessSampled = staleness } = arena.measure(arena.now)
    const sum = (isExact ? staleness : stalenessSampled) * day
    days.push({ day, staleness: sum - before, ratio: isExact ? (sum - before) / rates.staleness : null })
    before = sum
  }
  const end = arena.measure(arena.now)
  const exact = <T extends Statistics>(found: T) => (isExact ? found : { ...found, staleness: null, age: null })
  const { at: _, fetches, ...measures } = exact(end)
  return {
    ...measures,
    fetches,
    dropped: arena.dropped,
    violations: arena.violations,
    planSeconds,
    runSeconds: (tools.elapsed() - begun) / 1000,
    ...(days.length === 0 ? {} : { ratio: isExact ? settledRatio(days) : null, days }),
    ...(options.every > 0 ? { interim: arena.statistics.map(exact) } : {}),
    ...(arena.realised === undefined ? {} : detail(scenario, policy, arena.realised)),
  }
}

/** The mean of the days after the first third. */
function settledRatio(days: readonly Day[]): number {
  const settled = days.slice(Math.floor(days.length / 3))
  return settled.reduce((sum, { ratio }) => sum + (ratio ?? 0), 0) / settled.length
}

function detail(scenario: Scenario, policy: Policy, realised: number[][]) {
  if (!(policy instanceof Planned)) return { counts: realised.map((looks) => looks.length), realised }
  const planned: number[][] = realised.map(() => [])
  eachPlanned(policy.plan, scenario.horizon, (page, instant) => planned[page].push(instant))
  return { counts: [...policy.plan.counts], planned, realised }
}
