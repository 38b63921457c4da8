/** What the machines of a simulated cluster share: the web, the database, the network, time and chance. */

import type { Settings } from '../../src/app/config/keys.ts'
import type { Millis } from '../../src/base/clock.ts'
import { type Random, seededRandom } from '../../src/base/random.ts'
import type { Database } from '../../src/database/database.ts'
import type { RefreshOptions } from '../../src/frontier/contract.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import type { RequestLedger } from '../web/ledger-of-requests.ts'
import type { TestWeb } from '../web/web.ts'
import type { AppliedLooks } from './applied-looks.ts'
import type { Network } from './network.ts'
import type { Plant } from './plants.ts'
import type { Note, PartsSeen } from './run-journal.ts'

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
  /** The journal of the run. */
  note: Note
  parts: PartsSeen
  /** Known pages are looked at again until then. */
  refresh?: { options: RefreshOptions; until: Millis; looks: AppliedLooks }
  /** Planted bugs; empty in a run that must be right. */
  plant: Partial<Plant>
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
