/** All that nobody owns, kind by kind. Changes nothing. */

import type { Instant } from '../../base/clock.ts'
import type { Database } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { leftoverFiles } from './leftover-files.ts'
import { lostLocations } from './lost-locations.ts'
import { type CleanerParts, type Findings, MAX_OF_A_KIND, type Orphan } from './orphan.ts'
import { orphanParts } from './orphan-parts.ts'
import { orphanVolumes } from './orphan-volumes.ts'
import { orphansAt } from './other-locations.ts'
import { oldCalls, silentMembers } from './silent-members.ts'

export async function findOrphans(parts: CleanerParts): Promise<Findings> {
  const { database, files, now, isAtRest } = parts
  const silentSince = now - parts.olderThan
  const found: Findings = { orphans: [], notes: [] }
  const include = ({ orphans, notes }: Findings) => {
    found.orphans.push(...orphans)
    found.notes.push(...notes)
  }
  if (database !== undefined) {
    found.orphans.push(
      ...(await endedLeases(database, now, isAtRest)),
      ...(await orphanParts(database)),
      ...(await silentMembers(database, silentSince)),
      ...(await oldCalls(database, now - parts.keepCallsFor)),
    )
  }
  if ('left' in files) found.notes.push(`files were not looked at: ${files.left}`)
  else {
    if (database !== undefined) {
      include(await orphanVolumes(database, files, silentSince))
      include(await lostLocations(database, files))
      for (const location of parts.locations)
        include(await orphansAt(database, files.disk, location, { own: files.owner, silentSince }))
    }
    found.orphans.push(...leftoverFiles(files))
  }
  return found
}

/** Sites that are leased to somebody who is gone. A house that runs frees them every second: what is found here is what none did. */

const READ = `SELECT name, worker, lease_until AS "until" FROM site
  WHERE lease_until IS NOT NULL AND lease_until <= ? ORDER BY lease_until LIMIT ?`

interface Lease {
  name: string
  worker: string | null
  until: Instant
}

/** They are freed by the coordinator's own rules (a pause, one more loss), by whoever opens it: not one by one. */
async function endedLeases(database: Database, now: Instant, isAtRest: boolean): Promise<Orphan[]> {
  const before = isAtRest ? Number.MAX_SAFE_INTEGER : now
  const leases = await database.read((tx) => queries(tx).all<Lease>(READ, before, MAX_OF_A_KIND))
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
