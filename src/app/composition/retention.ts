/**
 * `clean --retention`: thins old captures by a rule, and rewrites the volumes that held them. Counting only reads. Removing
 * needs the collection to itself: a worker that is fetching may write a revisit that refers to any capture.
 */
import type { Instant } from '../../base/clock.ts'
import { realClock } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { freshSeed, seededRandom } from '../../base/random.ts'
import { realDisk } from '../../base/real-disk.ts'
import { compactVolumes, ownVolumes } from '../../collection/retention/compact-volumes.ts'
import type { RetentionRule } from '../../collection/retention/rule.ts'
import { type Thinned, thinCaptures } from '../../collection/retention/thin-captures.ts'
import type { Database, Tx } from '../../database/database.ts'
import { type Lock, lockCollection } from '../../database/lock.ts'
import { type HeldRole, tryRole } from '../../database/postgres/election.ts'
import type { PostgresDatabase } from '../../database/postgres/open.ts'
import { queries } from '../../database/queries.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import { partsWaiting } from '../../intake/report-parts.ts'
import type { Settings } from '../config/keys.ts'
import { databaseToRead } from '../reader/open.ts'
import { filesOf, freeLeases, isWorkersFolder, sharedNow } from './clean.ts'
import { openForSeeding } from './open-for-writing.ts'

export interface Retained extends Omit<Thinned, 'needed'> {
  /** Rewritten or removed, and what that freed; nothing without --remove. */
  volumes: number
  freed: number
  notes: string[]
}

export async function retainCaptures(settings: Settings, version: string, rule: RetentionRule): Promise<Retained> {
  const { collection: folder, database: address } = settings
  if (address === undefined && isWorkersFolder(folder))
    throw new Problem('no-collection', `${folder} is a worker's folder: run this where its server's collection is`)
  const database = await databaseToRead(folder, address)
  try {
    if (!settings.remove) return await thin(settings, database, rule, async () => {})
  } finally {
    await database.close()
  }
  return address === undefined ? removeHere(settings, version, rule) : removeShared(settings, version, rule)
}

async function removeHere(settings: Settings, version: string, rule: RetentionRule): Promise<Retained> {
  const { database, close } = await openForSeeding(settings, version)
  try {
    await database.read(nothingUnderWay)
    return await thin(settings, database, rule, async () => {})
  } finally {
    await close()
  }
}

async function removeShared(settings: Settings, version: string, rule: RetentionRule): Promise<Retained> {
  const lock: Lock = lockCollection(settings.collection)
  const roles: HeldRole[] = []
  try {
    const { database, ledger, close } = await openForSeeding(settings, version)
    try {
      for (const name of ['cleaner', 'maintenance']) {
        const role = await tryRole(database as PostgresDatabase, name)
        if (role === undefined)
          throw new Problem(
            'collection-in-use',
            'a server or another cleaner is working on this database: stop all servers and workers first',
          )
        roles.push(role)
      }
      await freeLeases(database, ledger)
      await database.read(nothingUnderWay)
      const begun = await sharedNow(database)
      return await thin(settings, database, rule, (tx) => noServerSince(tx, begun))
    } finally {
      for (const role of roles) await role.release()
      await close()
    }
  } finally {
    lock.release()
  }
}

async function thin(
  settings: Settings,
  database: Database,
  rule: RetentionRule,
  guard: (tx: Tx) => Promise<void>,
): Promise<Retained> {
  const { collection: folder, remove } = settings
  const files = filesOf(folder, database)
  if ('left' in files) throw new Problem('no-collection', `its volumes cannot be rewritten: ${files.left}`)
  const { disk, node } = files
  const now = database.dialect === 'sqlite' ? realClock.now() : await sharedNow(database)
  const own = await ownVolumes({ database, disk, folder, node })
  const volumes = new Set(own.map(({ id }) => id))
  const { needed, ...thinned } = await thinCaptures({ database, rule, now, volumes, remove, guard })
  if (!remove) return { ...thinned, volumes: 0, freed: 0, notes: [] }
  const random = seededRandom(freshSeed())
  const { bytes, ...done } = await compactVolumes({
    ...{ database, disk: realDisk, clock: realClock, random, folder, node, needed, guard },
  })
  return { ...thinned, ...done, freed: bytes }
}

/** Reports that are still to come may refer to any capture. */
async function nothingUnderWay(tx: Tx): Promise<void> {
  const { sites } = await frontierQueries.totals(tx)
  const [visits, parts] = [sites.leased + sites.returning, await partsWaiting(tx)]
  if (visits + parts > 0)
    throw new Problem(
      'collection-in-use',
      `${visits} visits of workers and ${parts} report parts are under way: let them end, or stop the workers and wait until their leases have ended`,
    )
}

async function noServerSince(tx: Tx, begun: Instant): Promise<void> {
  const sql = 'SELECT url FROM server WHERE seen_at >= ? LIMIT 1'
  const server = await queries(tx).get<{ url: string }>(sql, begun)
  if (server !== undefined)
    throw new Problem(
      'collection-in-use',
      `server ${server.url} is running, so the rest was not removed: stop it, and run this again`,
    )
}
