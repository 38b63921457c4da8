/**
 * The keeper's office: of all servers of a crawl one does the periodic work of the coordinator (leases that ended, mirrors, the
 * reverse index, notes of progress). Where a server is alone it holds the office without asking.
 */
import type { Clock, Millis } from '../../base/clock.ts'
import type { Database } from '../../database/database.ts'
import { type HeldRole, tryRole } from '../../database/postgres/election.ts'
import type { PostgresDatabase } from '../../database/postgres/open.ts'

export interface MaintenanceRole {
  /** Takes it, if nobody has it. Asked before each round of work. */
  isOurs(): Promise<boolean>
  release(): Promise<void>
}

/** Who does not have it asks again after this: so long nobody keeps the coordinator when the keeper is killed. */
const ASK_EVERY: Millis = 5_000

export function maintenanceRole(database: Database, clock: Clock): MaintenanceRole {
  if (database.dialect === 'sqlite') return { isOurs: async () => true, release: async () => {} }
  let role: HeldRole | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  return {
    async isOurs() {
      if (role !== undefined && !role.lost.aborted) return true
      if (clock.elapsed() - askedAt < ASK_EVERY) return false
      askedAt = clock.elapsed()
      role = await tryRole(database as PostgresDatabase, 'keeper').catch(() => undefined)
      return role !== undefined
    },
    async release() {
      await role?.release()
      role = undefined
    },
  }
}
