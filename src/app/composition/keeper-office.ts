/**
 * The keeper's office: of all servers of a crawl one does the periodic work of the house (leases that ended, mirrors, the
 * reverse index, notes of progress). Where a server is alone it holds the office without asking.
 */
import type { Clock, Millis } from '../../base/clock.ts'
import type { Database } from '../../database/database.ts'
import { type Office, tryOffice } from '../../database/postgres/only-one.ts'
import type { PostgresDatabase } from '../../database/postgres/open.ts'

export interface KeeperOffice {
  /** Takes it, if nobody has it. Asked before each round of work. */
  isOurs(): Promise<boolean>
  release(): Promise<void>
}

/** Who does not have it asks again after this: so long nobody keeps the house when the keeper is killed. */
const ASK_EVERY: Millis = 5_000

export function keeperOffice(database: Database, clock: Clock): KeeperOffice {
  if (database.dialect === 'sqlite') return { isOurs: async () => true, release: async () => {} }
  let office: Office | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  return {
    async isOurs() {
      if (office !== undefined && !office.lost.aborted) return true
      if (clock.elapsed() - askedAt < ASK_EVERY) return false
      askedAt = clock.elapsed()
      office = await tryOffice(database as PostgresDatabase, 'keeper').catch(() => undefined)
      return office !== undefined
    },
    async release() {
      await office?.release()
      office = undefined
    },
  }
}
