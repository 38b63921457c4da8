/** Every policy by its name, and the bounds beside which they are laid. */
import { allocate } from './allocate.ts'
import { type Bounds, type Rates, stalenessOfCounts, stalenessOfPlan } from './bounds.ts'
import { Estimates } from './estimate.ts'
import { Index } from './index-policy.ts'
import { NutchAdaptive, Proportional, RoundRobin } from './intervals.ts'
import { Planned, type PlannedName, planFor } from './planned.ts'
import type { Policy, PolicyName } from './policy.ts'
import type { Scenario } from './scenario.ts'
import type { Plan } from './spread.ts'

/**
 * `isLearning`: whoever uses rates begins with a prior instead, and learns them from its looks. `since`: the last look at
 * each page; undefined: 0.
 */
export function makePolicy(name: PolicyName, scenario: Scenario, isLearning: boolean, since?: Float64Array): Policy {
  const estimates = isLearning ? new Estimates(scenario.rate.length, lowRate(scenario.rate)) : undefined
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

/** The prior of a learner errs low: the lowest tenth of the rates is above it. */
function lowRate(rate: Float64Array): number {
  const positive = rate.filter((x) => x > 0).sort()
  return positive[Math.floor(positive.length / 10)] ?? 1 / (30 * 86_400)
}

/** `plans`: what was planned already, for the true rates. */
export function boundsOf(scenario: Scenario, rates: Rates, plans: Partial<Record<PlannedName, Plan>> = {}): Bounds {
  const psp = plans.psp ?? planFor('psp', scenario)
  const nonPolite = plans['m-wolf']?.counts ?? allocate(scenario, Number.POSITIVE_INFINITY, scenario.capacity)
  return {
    wp: stalenessOfCounts(scenario, psp.counts),
    nonPolite: stalenessOfCounts(scenario, nonPolite),
    infCrawlers: stalenessOfPlan(scenario, psp),
    kkt: rates.staleness,
  }
}
