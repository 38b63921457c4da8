/** What befalls a process at a moment that it knows itself, instead of at some instant. */
import type { Random } from '../../src/base/random.ts'
import type { Event } from '../../src/contracts/events.ts'

export type Moment =
  /** Its journal names it. */
  | Event['kind']
  /** In a transaction that enters an address, or that renews leases: the statement is done, the rest of it is not. */
  | 'entering'
  | 'renewing'

export interface Fate {
  at: Moment
  /** The how-many-eth such moment it is. */
  nth: number
  /** Killed, the whole process; or stopped until somebody sends SIGCONT. */
  how: 'dies' | 'stops'
}

export const INSIDE_TRANSACTIONS: ReadonlySet<Moment> = new Set<Moment>(['entering', 'renewing'])

/** As a fated process says it on standard error, just before. */
const FATE_LINE = /^(dies|stops) at (\S+)$/m

export function fateIn(words: string): Pick<Fate, 'at' | 'how'> | undefined {
  const [, how, at] = FATE_LINE.exec(words) ?? []
  return how === undefined ? undefined : { how: how as Fate['how'], at: at as Moment }
}

/** What a worker says when it has answers that it could not report for so long. */
const LATE_LINE = /^unreported for (\d+) ms$/gm

export const lateLine = (ms: number) => `unreported for ${Math.ceil(ms)} ms\n`

export function lateIn(words: string): number[] {
  return [...words.matchAll(LATE_LINE)].map(([, ms]) => Number(ms))
}

/** What a process says when it has brought something, or taken it in, for the first time. */
export const AT_WORK = 'is at work'

export type Role = 'server' | 'worker'

const FATES: Readonly<Record<Role, readonly Pick<Fate, 'at' | 'how'>[]>> = {
  server: [
    { how: 'dies', at: 'inbox-stored' },
    { how: 'dies', at: 'applying' },
    { how: 'dies', at: 'applied' },
    { how: 'dies', at: 'entering' },
    { how: 'dies', at: 'renewing' },
    { how: 'stops', at: 'entering' },
    { how: 'stops', at: 'renewing' },
  ],
  worker: [
    { how: 'dies', at: 'synced' },
    { how: 'dies', at: 'checked-in' },
  ],
}

/** By which a fate is counted. */
export function nameOf(role: Role, { how, at }: Pick<Fate, 'at' | 'how'>): string {
  return how === 'dies' ? `${role} at ${at}` : `${role} stopped past leases, ${at}`
}

/** Moments that matter most: between a sync and its check-in, between the inbox and applying, inside applying. */
const DEATHS: readonly [Role, Moment][] = [
  ['worker', 'synced'],
  ['server', 'inbox-stored'],
  ['server', 'applying'],
]
const STOPS: readonly Moment[] = ['entering', 'renewing']

/** How many there must be of what, by name, when `deaths` are asked for at each moment; stops last long, and are fewer. */
export function wanted(deaths: number): Map<string, number> {
  return new Map([
    ...DEATHS.map(([role, at]) => [nameOf(role, { how: 'dies', at }), deaths] as const),
    ...STOPS.map((at) => [nameOf('server', { how: 'stops', at }), Math.ceil(deaths / 8)] as const),
  ])
}

/** How often a process has a fate at all: most, while moments of its role are lacking; then others shall live to bring about theirs. */
const FATED_SHARE = { lacking: 0.95, enough: 0.3 }
/** How often it is one of those that are lacking. */
const LACKING_SHARE = 0.8
/** A worker needs some to bring anything: sites whose visits are all lost rest for longer each time, and rightly so. */
const MAX_MOMENTS: Readonly<Record<Role, number>> = { server: 3, worker: 6 }

export interface FateWish {
  isLacking(name: string): boolean
  /** False: somebody else is stopped, or will be. With all of them stopped nothing happens at all. */
  mayStop: boolean
  /** Only what is lacking befalls anybody, deaths before stops: who waits for a rare moment lives through the whole crawl. */
  onlyLacking: boolean
}

/** Null: it lives on. */
export function drawFate(role: Role, random: Random, { isLacking, mayStop, onlyLacking }: FateWish): Fate | null {
  const all = FATES[role].filter(({ how }) => mayStop || how === 'dies')
  const lacking = all.filter((fate) => isLacking(nameOf(role, fate)))
  if (random.next() >= FATED_SHARE[lacking.length > 0 ? 'lacking' : 'enough']) return null
  const deaths = lacking.filter(({ how }) => how === 'dies')
  const urgent = onlyLacking && deaths.length > 0 ? deaths : lacking
  const from = urgent.length > 0 && (onlyLacking || random.next() < LACKING_SHARE) ? urgent : all
  return { ...from[random.integer(from.length)], nth: 1 + random.integer(MAX_MOMENTS[role]) }
}
