/** All that nobody owns, kind by kind. Changes nothing. */
import { endedLeases } from './ended-leases.ts'
import { leftoverFiles } from './leftover-files.ts'
import { lostPlaces } from './lost-places.ts'
import type { CleanerParts, Findings } from './orphan.ts'
import { orphanParts } from './orphan-parts.ts'
import { orphanVolumes } from './orphan-volumes.ts'
import { orphansAt } from './other-places.ts'
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
      include(await lostPlaces(database, files))
      for (const place of parts.places)
        include(await orphansAt(database, files.disk, place, { own: files.owner, silentSince }))
    }
    found.orphans.push(...leftoverFiles(files))
  }
  return found
}
