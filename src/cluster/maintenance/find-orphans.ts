/** Finds orphaned data, one kind after another. Changes nothing. */

import { join } from 'node:path'
import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import { knownEnd } from '../../collection/captures/read-captures.ts'
import { FORGET_LOCATION } from '../../collection/locations/own-locations.ts'
import { volumePath } from '../../collection/volumes/volume-name.ts'
import { bucketOf } from '../../database/bucket.ts'
import type { Database, Tx } from '../../database/database.ts'
import { countOf, queries } from '../../database/queries.ts'
import { readVisitId } from '../../frontier/rules/visit.ts'
import { forgetCalls } from '../server/call-log.ts'
import {
  type CleanerParts,
  type Findings,
  MAX_OF_A_KIND,
  type Orphan,
  type OwnFolder,
  orphansAt,
  orphanVolumes,
  rowsAt,
} from './orphan-volumes.ts'

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
  if ('left' in files) found.notes.push(`files were not checked: ${files.left}`)
  else {
    if (database !== undefined) {
      include(await orphanVolumes(database, files, silentSince))
      include(await lostLocations(database, files))
      for (const location of parts.locations)
        include(await orphansAt(database, files.disk, location, files.owner, silentSince))
    }
    found.orphans.push(...leftoverFiles(files))
  }
  return found
}

/** Sites leased to a worker that is gone. A running server frees them every second; these were left over. */
const READ_ENDED_LEASES = `SELECT name, worker, lease_until AS "until" FROM site
  WHERE lease_until IS NOT NULL AND lease_until <= ? ORDER BY lease_until LIMIT ?`

/** The coordinator frees them by its own rules (a pause, one more loss) when it next opens, not the cleaner. */
async function endedLeases(database: Database, now: Instant, isAtRest: boolean): Promise<Orphan[]> {
  const before = isAtRest ? Number.MAX_SAFE_INTEGER : now
  const leases = await database.read((tx) =>
    queries(tx).all<{ name: string; worker: string | null; until: Instant }>(READ_ENDED_LEASES, before, MAX_OF_A_KIND),
  )
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

const UNFINISHED = 'unfinished: left by a crash'

/** Files of folders inside the collection's that nothing reads. */
const LEFTOVERS: readonly (readonly [inside: string, pattern: RegExp, why: string])[] = [
  ['.', /\.new$/, UNFINISHED],
  ['archive', /\.warc\.gz\.new$/, UNFINISHED],
  ['outbox', /\.parts\.new$/, UNFINISHED],
  ['indexes', /^index\.partial-/, UNFINISHED],
  ['outbox', /\.parts\.refused$/, 'reports that no server accepted; kept for inspection'],
]

function leftoverFiles({ disk, folder }: OwnFolder): Orphan[] {
  return LEFTOVERS.flatMap(([inside, pattern, why]) =>
    disk
      .list(join(folder, inside))
      .filter((name) => pattern.test(name))
      .map((name): Orphan => {
        const path = join(folder, inside, name)
        return {
          kind: 'file',
          name: join(inside, name),
          why,
          bytes: disk.size(path) ?? 0,
          async remove() {
            disk.remove(path)
            await disk.syncFolder(join(folder, inside))
            return true
          },
        }
      }),
  )
}

/** Volumes that should be on this server but are missing: begun and never sent, or removed by hand. */
async function lostLocations(database: Database, { disk, folder, node }: OwnFolder): Promise<Findings> {
  const found: Findings = { orphans: [], notes: [] }
  if (node === undefined) return found
  const archive = join(folder, 'archive')
  for await (const { name, worker, bytes } of rowsAt(database, node)) {
    if (found.orphans.length >= MAX_OF_A_KIND) break
    if (volumePath(disk, archive, name) !== undefined) continue
    if ((await database.read((tx) => knownEnd(tx, name))) > 0) {
      found.notes.push(`${name} is missing here, though captures are in it: run 'orbweaver verify'`)
      continue
    }
    found.orphans.push({
      kind: 'location',
      name,
      why: `worker ${worker} began to send it; it is not here, and no capture names it`,
      bytes,
      remove: () => database.transact(async (tx) => (await queries(tx).run(FORGET_LOCATION, name, node)) > 0),
    })
  }
  return found
}

interface Part {
  bucket: number
  visit: string
  part: number
  fence: number
  site: string
  bytes: number
  corrupt: string | null
}

const COLUMNS = 'bucket, visit, part, fence, site, length(body) AS bytes, corrupt'
const readParts = (which: string) =>
  `SELECT ${COLUMNS} FROM inbox WHERE corrupt IS ${which} ORDER BY visit, part LIMIT ?`
const READ_FENCE = 'SELECT fence FROM site WHERE bucket = ? AND key = ?'
/** Corrupt parts stay corrupt, and an ended visit never returns. If the part was applied meanwhile, its row is gone. */
const REMOVE_PART = 'DELETE FROM inbox WHERE bucket = ? AND visit = ? AND part = ?'

/** Report parts in the inbox that will never be applied: they are corrupt, or their visit is unknown. */
function orphanParts(database: Database): Promise<Orphan[]> {
  return database.read(async (tx) => {
    const found: Orphan[] = []
    const add = (part: Part, why: string) => found.push(orphanOf(database, part, why))
    for (const part of await queries(tx).all<Part>(readParts('NOT NULL'), MAX_OF_A_KIND))
      add(part, `cannot be applied: ${part.corrupt}`)
    for (const part of await queries(tx).all<Part>(readParts('NULL'), MAX_OF_A_KIND)) {
      const why = await whyUnknown(tx, part)
      if (why !== undefined) add(part, why)
    }
    return found
  })
}

async function whyUnknown(tx: Tx, { visit, fence }: Part): Promise<string | undefined> {
  const id = readVisitId(visit)
  if (id === undefined || id.fence !== fence) return 'the visit id is not valid'
  const key = signed64(id.site)
  const site = await queries(tx).get<{ fence: number }>(READ_FENCE, bucketOf(tx.dialect, key), key)
  if (site === undefined) return 'its site is unknown'
  if (site.fence < fence) return 'there was no such visit'
  return site.fence > fence ? 'a later visit has its site' : undefined
}

function orphanOf(database: Database, part: Part, why: string): Orphan {
  const { bucket, visit, bytes, site } = part
  return {
    kind: 'part',
    name: `${visit} part ${part.part} (${site})`,
    why,
    bytes,
    remove: () => database.transact(async (tx) => (await queries(tx).run(REMOVE_PART, bucket, visit, part.part)) > 0),
  }
}

/** Returns those that were removed; the others had stopped being orphans. */
export async function removeOrphans(orphans: readonly Orphan[]): Promise<Set<Orphan>> {
  const removed = new Set<Orphan>()
  for (const orphan of orphans) if (await orphan.remove()) removed.add(orphan)
  return removed
}

/**
 * Keeps barred workers, so that they stay barred, and workers with volumes of their own: in a folder of their machine,
 * at an unknown location (volume names contain the start of the worker's id), or not completely sent.
 */
const IDLE = `state <> 'barred' AND seen_at < ?
  AND NOT EXISTS (SELECT 1 FROM volume_location p WHERE p.worker = worker.id AND (p.sealed = 0 OR p.node LIKE 'dir:%'))
  AND NOT EXISTS (SELECT 1 FROM volume v WHERE v.name LIKE '%-' || substr(worker.id, 1, 8) || '%'
    AND NOT EXISTS (SELECT 1 FROM volume_location p WHERE p.name = v.name))`
const READ_WORKERS = `SELECT id, name, seen_at AS "seenAt" FROM worker WHERE ${IDLE} ORDER BY seen_at LIMIT ?`
const REMOVE_WORKER = `DELETE FROM worker WHERE ${IDLE} AND id = ?`
const READ_SERVERS = `SELECT id, url AS name, seen_at AS "seenAt" FROM server WHERE seen_at < ? ORDER BY seen_at LIMIT ?`
const REMOVE_SERVER = 'DELETE FROM server WHERE seen_at < ? AND id = ?'
const COUNT_CALLS = 'SELECT count(*) AS n FROM worker_call WHERE at < ?'

/** Workers and servers that were silent for very long. */
async function silentMembers(database: Database, silentSince: Instant): Promise<Orphan[]> {
  const members = async (kind: 'worker' | 'server', read: string, remove: string): Promise<Orphan[]> => {
    const rows = await database.read((tx) =>
      queries(tx).all<{ id: string; name: string; seenAt: Instant }>(read, silentSince, MAX_OF_A_KIND),
    )
    return rows.map(({ id, name, seenAt }) => ({
      kind,
      name: `${name} (${id})`,
      why: `last seen ${new Date(seenAt).toISOString()}`,
      remove: () => database.transact(async (tx) => (await queries(tx).run(remove, silentSince, id)) > 0),
    }))
  }
  return [
    ...(await members('worker', READ_WORKERS, REMOVE_WORKER)),
    ...(await members('server', READ_SERVERS, REMOVE_SERVER)),
  ]
}

/** One orphan for all of them. */
async function oldCalls(database: Database, before: Instant): Promise<Orphan[]> {
  const n = await database.read((tx) => countOf(tx, COUNT_CALLS, before))
  if (n === 0) return []
  return [
    {
      kind: 'calls',
      name: 'calls of workers',
      why: `made before ${new Date(before).toISOString()}, past the retention time`,
      count: n,
      async remove() {
        while (await forgetCalls(database, before));
        return true
      },
    },
  ]
}
