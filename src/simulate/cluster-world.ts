/** What the machines of a simulated cluster share: the web, the database, the network, time and chance. */
import type { Millis } from '../base/clock.ts'
import { type Random, seededRandom } from '../base/random.ts'
import type { VirtualClock } from '../base/virtual-clock.ts'
import type { Settings } from '../config/keys.ts'
import type { Database } from '../database/database.ts'
import type { RequestLedger } from '../testweb/ledger-of-requests.ts'
import type { TestWeb } from '../testweb/web.ts'
import type { Event } from '../visit/events.ts'
import type { Network } from './network.ts'

/** Mistakes that a simulation must find. */
export type ClusterBug =
  /** Workers do not sync their volumes. */
  | 'no-file-sync'
  /** A server says that parts are stored before they are. */
  | 'told-before-stored'
  /** The monotonic clock of a worker does not count the time in which it stood still, so leases seem to last. */
  | 'time-stands-still'

export interface ClusterWorld {
  web: TestWeb
  ledger: RequestLedger
  clock: VirtualClock
  database: Database
  settings: Settings
  seeds: readonly string[]
  random: Random
  network: Network
  /** Where workers look for a server. */
  servers: readonly string[]
  /** Workers send their volumes to the server, or keep them. */
  uploads: boolean
  /** Who asked for what, by the place in the ledger. */
  askers: string[]
  /** Told of everything that a machine says. */
  journal(machine: string, event: Event): void
  bug?: ClusterBug
  /** What should never happen, in words. */
  troubles: string[]
}

export const VERSION = '0.0.0-simulated'
export const FOLDER = 'collection'

/** Its own numbers, so that what one machine draws does not change what another does. */
export function ownRandom({ random }: Pick<ClusterWorld, 'random'>): Random {
  return seededRandom(random.integer(2 ** 31))
}

/** Most machines are back soon, some only after `longest`. */
export function downTime(random: Random, longest: Millis): Millis {
  return random.integer(random.next() < 0.8 ? Math.min(5000, longest) : longest)
}
