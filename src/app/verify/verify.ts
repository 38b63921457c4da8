/**
 * Compares volumes, index and catalogue, and computes every digest again. It changes nothing, holds one record in memory, and
 * may run while a crawl does: what that crawl has not reported yet is a note, never a fault.
 */
import { isIndexCurrent, isIndexStale } from '../../collection/captures/index-captures.ts'
import { linksToIndex } from '../../collection/links/index-links.ts'
import { openVolumesIn } from '../../collection/locations/own-locations.ts'
import { locationsOf } from '../../collection/locations/read-volumes.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import { partsWaiting } from '../../intake/report-parts.ts'
import { verifyCatalogue } from './catalogue.ts'
import { INDEX_PATH, verifyIndex } from './cdxj-index.ts'
import { Faults } from './faults.ts'
import { isForeignFolder, type VolumesParts, verifyVolumes } from './volumes.ts'

export interface VerifyParts extends VolumesParts {
  indexes: string
  /** Whether a crawl has the collection open now. */
  running(): Promise<boolean>
}

export async function verifyCollection(parts: VerifyParts, progress: (volume: string) => void) {
  const faults = new Faults()
  const running = await parts.running()
  const crashed = !running && (await wasCutOff(parts))
  if (running) faults.note('collection', 'a crawl is running: what it has not reported yet is not compared')
  if (crashed) {
    faults.note('collection', 'the last crawl was cut off: the next one closes its volumes and completes the index')
  }
  const totals = await verifyVolumes(parts, faults, progress)
  await verifyCatalogue(parts.database, faults, !running)
  const unfinished = await isUnfinished(parts)
  if (isForeignFolder(parts))
    faults.note(INDEX_PATH, 'is not here: it lies with a server, or in the folder of the crawl (name it by -c)')
  else
    await verifyIndex(
      parts,
      faults,
      await isIndexStale(parts.database, parts.server ?? ''),
      async () => running || crashed || unfinished || (await parts.running()) || !(await isIndexed(parts)),
    )
  return { ...totals, faults: faults.all(), notes: faults.notes }
}

/** The index is completed when a crawl ends. A crawl that was killed twice in a row may leave no other trace than waiting URLs. */
function isUnfinished({ database }: VerifyParts): Promise<boolean> {
  return database.read(async (tx) => (await frontierQueries.totals(tx)).urls.waiting > 0)
}

/** Each server has its own index and completes it when it ends, which may have been long before the crawl ended. */
async function isIndexed({ database, server }: VerifyParts): Promise<boolean> {
  return database.dialect === 'sqlite' || server === undefined || (await isIndexCurrent(database, server))
}

/** A crawl that ended in an orderly way leaves none of these, whatever ended it. */
async function wasCutOff(parts: VerifyParts): Promise<boolean> {
  const { database, disk, archive, server } = parts
  for (const name of openVolumesIn(disk, archive)) {
    // A worker that turned to another location leaves a beginning of a volume that was completed there.
    const locations = await database.read((tx) => locationsOf(tx, name))
    if (!locations.some(({ node, sealed }) => sealed && node !== server)) return true
  }
  return database.read(async (tx) => {
    const { sites } = await frontierQueries.totals(tx)
    return sites.leased + sites.returning > 0 || (await partsWaiting(tx)) > 0 || (await linksToIndex(tx)) > 0
  })
}
