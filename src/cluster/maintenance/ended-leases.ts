/** Sites that are leased to somebody who is gone. A house that runs frees them every second: what is found here is what none did. */
import type { Instant } from '../../base/clock.ts'
import type { Database } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { MOST_OF_A_KIND, type Orphan } from './orphan.ts'

const READ = `SELECT name, worker, lease_until AS "until" FROM site
  WHERE lease_until IS NOT NULL AND lease_until <= ? ORDER BY lease_until LIMIT ?`

interface Lease {
  name: string
  worker: string | null
  until: Instant
}

/** They are freed by the house's own rules (a pause, one more loss), by whoever opens it: not one by one. */
export async function endedLeases(database: Database, now: Instant, isAtRest: boolean): Promise<Orphan[]> {
  const before = isAtRest ? Number.MAX_SAFE_INTEGER : now
  const leases = await database.read((tx) => queries(tx).all<Lease>(READ, before, MOST_OF_A_KIND))
  return leases.map(({ name, worker, until }) => ({
    kind: 'lease',
    name,
    why:
      until <= now
        ? `its lease to ${worker ?? 'a worker'} ended ${new Date(until).toISOString()}`
        : `leased to ${worker ?? 'a worker'}, and no crawl is running`,
    remove: async () => false,
  }))
}
