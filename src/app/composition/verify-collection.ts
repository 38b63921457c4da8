/**
 * Whether volumes, index and catalogue agree, with every digest computed again. Changes nothing, holds one record in
 * memory, and may be asked while a crawl runs: what that crawl has not told yet is a note, never a fault.
 */
import { isIndexCurrent } from '../../collection/captures/index-captures.ts'
import { linksToIndex } from '../../collection/links/index-links.ts'
import { isOpenVolume, OPEN } from '../../collection/volumes/volume-name.ts'
import type { FrontierViews } from '../../frontier/views.ts'
import { partsWaiting } from '../../intake/report-parts.ts'
import { locationsOf } from './open-volumes.ts'
import { verifyCatalogue } from './verify-catalogue.ts'
import { type Finding, Findings } from './verify-findings.ts'
import { INDEX_HERE, verifyIndex } from './verify-index.ts'
import { isForeignFolder, type VolumesParts, type VolumesTotals, verifyVolumes } from './verify-volumes.ts'

export interface VerifyParts extends VolumesParts {
  indexes: string
  looks: FrontierViews
  /** Whether a crawl has the collection open now. */
  running(): Promise<boolean>
}

export interface VerifyReport extends VolumesTotals {
  faults: Finding[]
  notes: Finding[]
}

export async function verifyCollection(parts: VerifyParts, tell: (volume: string) => void): Promise<VerifyReport> {
  const findings = new Findings()
  const running = await parts.running()
  const crashed = !running && (await wasCutOff(parts))
  if (running) findings.note('collection', 'a crawl is running: what it has not reported yet is not compared')
  if (crashed) {
    findings.note('collection', 'the last crawl was cut off: the next one closes its volumes and completes the index')
  }
  const totals = await verifyVolumes(parts, findings, tell)
  await verifyCatalogue(parts.database, findings, !running)
  const unfinished = await isUnfinished(parts)
  if (isForeignFolder(parts))
    findings.note(
      INDEX_HERE,
      'is not looked for here: it lies with a server, or in the folder of the crawl (name it by -c)',
    )
  else
    await verifyIndex(
      parts,
      findings,
      async () => running || crashed || unfinished || (await parts.running()) || !(await isIndexed(parts)),
    )
  return { ...totals, faults: findings.all(), notes: findings.notes }
}

/** The index is made when a crawl ends; one that was killed twice in a row may show no other trace than what still waits. */
function isUnfinished({ database, looks }: VerifyParts): Promise<boolean> {
  return database.read(async (tx) => (await looks.totals(tx)).urls.waiting > 0)
}

/** Each server has an index of its own, and brings it up to date when it ends: one may have ended long before the crawl. */
async function isIndexed({ database, server }: VerifyParts): Promise<boolean> {
  return database.dialect === 'sqlite' || server === undefined || (await isIndexCurrent(database, server))
}

/** A crawl that ended in order has left none of these, whatever ended it. */
async function wasCutOff(parts: VerifyParts): Promise<boolean> {
  const { database, disk, archive, looks, server } = parts
  for (const file of disk.list(archive).filter(isOpenVolume)) {
    // A beginning of what was completed elsewhere is left by a worker that turned to another place.
    const locations = await database.read((tx) => locationsOf(tx, file.slice(0, -OPEN.length)))
    if (!locations.some(({ node, sealed }) => sealed && node !== server)) return true
  }
  return database.read(async (tx) => {
    const { sites } = await looks.totals(tx)
    return sites.leased + sites.returning > 0 || (await partsWaiting(tx)) > 0 || (await linksToIndex(tx)) > 0
  })
}
