/** Runs policies on one scenario, one after another, all on the same changes. */
import { type Random, seededRandom } from '../base/random.ts'
import { allocate } from './allocate.ts'
import { Arena, type ChangeKind, Changes, type Statistics } from './arena.ts'
import { bestRates, type Rates, stalenessOfCounts, stalenessOfPlan } from './bounds.ts'
import { Estimates } from './estimate.ts'
import { Index } from './index-policy.ts'
import { NutchAdaptive, Proportional, RoundRobin } from './intervals.ts'
import { BadScenario } from './make-scenario.ts'
import { eachPlanned, type Plan, Planned, type PlannedName, planFor } from './planned.ts'
import type { Policy, PolicyName } from './policy.ts'
import type { Scenario } from './scenario.ts'

export interface TrialOptions {
  /** Draw changes; a mixture is always drawn. */
  isSampled: boolean
  changes: ChangeKind
  isLearning: boolean
  /** The rate of a page before the first look at its site, while rates are learnt. */
  prior?: number
  /** Consecutive horizons. */
  horizons: number
  /** Seconds between statistics; 0: none. */
  every: number
  isDetailed: boolean
  seed: number
}

/** One horizon, exact. */
export const ONE_HORIZON: TrialOptions = {
  isSampled: false,
  changes: 'poisson',
  isLearning: false,
  horizons: 1,
  every: 0,
  isDetailed: false,
  seed: 1,
}

export interface TrialTools {
  /** Milliseconds of real time. */
  elapsed(): number
  /** Called often; may yield to other work. */
  progress(policy: PolicyName, share: number): Promise<void>
}

/** One horizon of many. */
export interface Day {
  day: number
  staleness: number
  /** Staleness over the KKT bound. */
  ratio: number | null
}

/** Staleness and age are weighted means; null for changes that are not Poisson, for which only drawn values hold. */
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
  /** Staleness over the KKT bound, in the horizons after the warm-up. */
  ratio?: number | null
  /** Relative increase of staleness from the first to the second half of those horizons. */
  drift?: number
  /** The drift is small: the ratio holds in the long run. */
  isSteady?: boolean
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
  if (options.isSampled || options.changes !== 'poisson') boundChanges(scenario, options.horizons)
  const since = options.horizons > 1 ? agedStart(scenario, rates, streamOf(options, 7)) : undefined
  const policies: Trial['policies'] = {}
  const plans: Partial<Record<PlannedName, Plan>> = {}
  for (const name of names) {
    await tools.progress(name, 0)
    const begun = tools.elapsed()
    const policy = makePolicy(name, scenario, options.isLearning, since, options.prior)
    const planSeconds = (tools.elapsed() - begun) / 1000
    if (policy instanceof Planned && !options.isLearning) plans[policy.name] = policy.plan
    policies[name] = await runPolicy(name, policy, planSeconds, scenario, rates, since, options, tools)
  }
  return { bounds: options.changes === 'poisson' ? boundsOf(scenario, rates, plans) : NOT_APPLICABLE, policies }
}

const NOT_APPLICABLE = {
  wp: null,
  nonPolite: null,
  infCrawlers: null,
  kkt: null,
  notApplicable: 'the bounds hold for Poisson changes only',
} as const

/** Maximum changes to draw; more would take hours. */
const MAX_CHANGES = 1e10

function boundChanges({ rate, horizon }: Scenario, horizons: number): void {
  const changes = rate.reduce((sum, x) => sum + x, 0) * horizon * horizons
  if (changes > MAX_CHANGES)
    throw new BadScenario(`${changes.toExponential(1)} changes are too many to draw: leave out --sample and mixtures`)
}

/** A separate random stream; those below 5 draw scenarios (make-scenario.ts). */
function streamOf({ seed }: TrialOptions, nth: number): Random {
  return seededRandom((seed * 8 + nth) >>> 0)
}

/** The age, in mean change intervals, of a page never worth a look: it is stale. */
const LONG_AGO = 50

/**
 * Several horizons start as the best rates would have left the pages: each was looked at a random share of its interval
 * ago. A fresh start takes several intervals of the slowest pages to wear off.
 */
export function agedStart({ rate }: Scenario, { looks }: Rates, random: Random): Float64Array {
  return looks.map((often, page) => {
    const share = random.next()
    if (rate[page] === 0) return 0
    return -(often > 0 ? share / often : LONG_AGO / rate[page])
  })
}

async function runPolicy(
  name: PolicyName,
  policy: Policy,
  planSeconds: number,
  scenario: Scenario,
  rates: Rates,
  since: Float64Array | undefined,
  options: TrialOptions,
  tools: TrialTools,
): Promise<PolicyResult> {
  const begun = tools.elapsed()
  const isDrawn = options.isSampled || options.changes !== 'poisson'
  // Every policy meets the same changes, as far as its looks allow.
  const changes = isDrawn ? new Changes(scenario.rate, options.changes, streamOf(options, 5), since) : undefined
  const random = streamOf(options, 6)
  const { every, isDetailed } = options
  const arena = new Arena(scenario, policy, { random, changes, every, isDetailed, since })
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
    ...(days.length === 0 ? {} : { ...steadyState(days, isExact ? rates.staleness : undefined), days }),
    ...(options.every > 0 ? { interim: arena.statistics.map(exact) } : {}),
    ...(arena.realised === undefined ? {} : detail(scenario, policy, arena.realised)),
  }
}

/** Maximum drift of a steady state. */
const STEADY = 0.002

/** From the days after the first third. */
function steadyState(days: readonly Day[], bound: number | undefined) {
  const counted = days.slice(Math.floor(days.length / 3))
  const middle = Math.floor(counted.length / 2)
  const mean = (some: readonly Day[]) => some.reduce((sum, { staleness }) => sum + staleness, 0) / some.length
  const drift = mean(counted.slice(middle)) / mean(counted.slice(0, middle)) - 1
  const ratio = bound === undefined ? null : mean(counted) / bound
  return { ratio, drift, isSteady: Math.abs(drift) <= STEADY }
}

function detail(scenario: Scenario, policy: Policy, realised: number[][]) {
  if (!(policy instanceof Planned)) return { counts: realised.map((looks) => looks.length), realised }
  const planned: number[][] = realised.map(() => [])
  eachPlanned(policy.plan, scenario.horizon, (page, instant) => planned[page].push(instant))
  return { counts: [...policy.plan.counts], planned, realised }
}

/**
 * `isLearning`: policies that use rates start with a prior and learn from their looks. `since`: the last look at each
 * page; undefined: 0.
 */
export function makePolicy(
  name: PolicyName,
  scenario: Scenario,
  isLearning: boolean,
  since?: Float64Array,
  prior?: number,
): Policy {
  const estimates = isLearning ? new Estimates(scenario.server, prior) : undefined
  switch (name) {
    case 'psp':
    case 'mp2':
    case 'm-wolf':
      return new Planned(name, scenario, estimates)
    case 'index':
      return new Index(scenario, since, estimates)
    case 'round-robin':
    case 'lwf':
      return new RoundRobin(scenario, name === 'lwf')
    case 'proportional':
      return new Proportional(scenario, estimates)
    case 'nutch-adaptive':
      return new NutchAdaptive(scenario)
  }
}

export type Bounds = ReturnType<typeof boundsOf>

/** Lower bounds for every policy, as weighted staleness over the horizon. `plans`: plans already made with the true rates. */
export function boundsOf(scenario: Scenario, rates: Rates, plans: Partial<Record<PlannedName, Plan>> = {}) {
  const psp = plans.psp ?? planFor('psp', scenario)
  const nonPolite = plans['m-wolf']?.counts ?? allocate(scenario, Number.POSITIVE_INFINITY, scenario.capacity)
  return {
    /** Weak politeness: PSP's counts, each page at its own ideal instants. */
    wp: stalenessOfCounts(scenario, psp.counts),
    /** The best counts under R alone. */
    nonPolite: stalenessOfCounts(scenario, nonPolite),
    /** MERGE's instants, kept exactly. */
    infCrawlers: stalenessOfPlan(scenario, psp),
    /** The best constant rates under every server's limit and the capacity. */
    kkt: rates.staleness,
  }
}
