/** When the power goes: at a named moment of the crawl's life, between two things that it does to the world, or at any time. */
import type { Millis } from '../../src/base/clock.ts'
import type { Random } from '../../src/base/random.ts'
import type { Event } from '../../src/contracts/events.ts'

export type CrashPoint =
  | { kind: 'event'; event: Event['kind']; nth: number }
  /** Before the nth thing done: a write, a sync, a name, a transaction's begin, its commit, its return, a request. */
  | { kind: 'step'; nth: number }
  | { kind: 'time'; after: Millis }

/** Where an order of durability can be wrong, and how many of each a life may see before it ends. */
const TELLING_EVENTS: readonly (readonly [event: Event['kind'], max: number])[] = [
  ['synced', 8],
  ['checked-in', 5],
  ['inbox-stored', 5],
  ['applying', 5],
  ['applied', 5],
  ['checked-out', 3],
  ['volume-opened', 2],
  ['volume-closed', 2],
]
const MAX_STEPS = 250
const LONGEST: Millis = 6000

/** Of those, what a server lives through, and what a worker does. */
export const SERVER_EVENTS: readonly Event['kind'][] = ['inbox-stored', 'applying', 'applied']
export const WORKER_EVENTS: readonly Event['kind'][] = [
  'synced',
  'checked-in',
  'checked-out',
  'volume-opened',
  'volume-closed',
]

/** One of a machine that lives through these. */
export function drawPointOf(events: readonly Event['kind'][], random: Random): CrashPoint {
  const event = events[random.integer(2 * events.length)]
  if (event !== undefined) return { kind: 'event', event, nth: 1 + random.integer(3) }
  if (random.next() < 0.7) return { kind: 'step', nth: 1 + random.integer(MAX_STEPS) }
  return { kind: 'time', after: 0 }
}

/** By turns, so that every kind has its share; early ones are among them, which cut the power while the coordinator recovers. */
export function drawCrashPoint(turn: number, random: Random): CrashPoint {
  const at = turn % (TELLING_EVENTS.length + 4)
  if (at < TELLING_EVENTS.length) {
    const [event, max] = TELLING_EVENTS[at]
    return { kind: 'event', event, nth: 1 + random.integer(max) }
  }
  if (at % 2 === 0) return { kind: 'step', nth: 1 + random.integer(MAX_STEPS) }
  return { kind: 'time', after: random.integer(LONGEST) }
}

export function nameOf(point: CrashPoint): string {
  return point.kind === 'event' ? point.event : point.kind
}
