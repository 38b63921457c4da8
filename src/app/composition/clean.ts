/**
 * What `clean` does. Looking needs nothing but reading. For removing, a collection in a folder is held by this process alone: its
 * house is opened, which frees the leases of the dead and applies what waits in the inbox, as the next crawl would. A database
 * that many machines share is cleaned while they work, by one cleaner at a time; the files of a server's folder only when no server works in it.
 */
import { join } from 'node:path'
import { type Instant, realClock } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { realDisk } from '../../base/real-disk.ts'
import { findOrphans, removeOrphans } from '../../cluster/maintenance/find-orphans.ts'
import type { CleanerParts, Findings, Orphan } from '../../cluster/maintenance/orphan.ts'
import { locationNodes } from '../../cluster/maintenance/orphan-volumes.ts'
import type { Database } from '../../database/database.ts'
import { isLocked, type Lock, lockCollection } from '../../database/lock.ts'
import { tryRole } from '../../database/postgres/only-one.ts'
import type { PostgresDatabase } from '../../database/postgres/open.ts'
import { queries } from '../../database/queries.ts'
import type { Ledger } from '../../frontier/ledger.ts'
import { quietBuckets } from '../../intake/postgres/inbox.ts'
import type { Settings } from '../config/keys.ts'
import { openLocationsToClean } from './cleaning-locations.ts'
import { knownNodeId } from './node-id.ts'
import { databaseToRead, isRunning } from './open-database.ts'
import { openForSeeding } from './open-for-seeding.ts'
import { EMBEDDED_OWNER } from './own-locations.ts'

export interface Cleaned {
  orphans: (Omit<Orphan, 'remove'> & { removed: boolean })[]
  notes: string[]
}

const IN_USE = 'a crawl, a server or a worker works in the folder; stop it first'
const NO_SERVERS_FOLDER = 'no server of this database was ever started in the folder (name it by -c)'
const OTHERS_FOLDER = 'the folder has a collection of its own, beside the database that was named'

export async function cleanCollection(settings: Settings, version: string): Promise<Cleaned> {
  if (settings.database === undefined && isWorkersFolder(settings.collection)) return cleanWorkersFolder(settings)
  const database = await databaseToRead(settings.collection, settings.database)
  let found: Findings
  try {
    found = await view(settings, database, isLocked(settings.collection), (all) => all)
  } finally {
    await database.close()
  }
  if (!settings.remove) return resultOf(found, new Set())
  return settings.database === undefined ? removeHere(settings, version, found) : removeShared(settings, version, found)
}

async function removeHere(settings: Settings, version: string, before: Findings): Promise<Cleaned> {
  const { database, close } = await openForSeeding(settings, version)
  try {
    return await remove(settings, database, before, true)
  } finally {
    await close()
  }
}

async function removeShared(settings: Settings, version: string, before: Findings): Promise<Cleaned> {
  const lock = lockIfFree(settings.collection)
  try {
    const { database, ledger, close } = await openForSeeding(settings, version)
    try {
      const role = await tryRole(database as PostgresDatabase, 'cleaner')
      if (role === undefined)
        throw new Problem('collection-in-use', 'another cleaner is at work on this database: wait for its end')
      try {
        await freeLeases(database, ledger)
        return await remove(settings, database, before, lock !== undefined)
      } finally {
        await role.release()
      }
    } finally {
      await close()
    }
  } finally {
    lock?.release()
  }
}

/** The leases were freed when the coordinator was opened: those that are still there were not. */
async function remove(settings: Settings, database: Database, before: Findings, ours: boolean): Promise<Cleaned> {
  return view(settings, database, !ours, async ({ orphans, notes }) => {
    const left = new Set(orphans.filter(isLease).map(({ name }) => name))
    const leases = before.orphans.filter(isLease)
    const others = orphans.filter((orphan) => !isLease(orphan))
    const removed = await removeOrphans(others)
    for (const lease of leases) if (!left.has(lease.name)) removed.add(lease)
    return resultOf({ orphans: [...leases, ...others], notes }, removed)
  })
}

/** `work` is done with what is found: as long as it lasts, places can be reached. */
async function view<T>(
  settings: Settings,
  database: Database,
  isInUse: boolean,
  work: (found: Findings) => T | Promise<T>,
): Promise<T> {
  const { collection: folder, olderThan, keepCalls } = settings
  const isAtRest = database.dialect === 'sqlite' && !isInUse && !(await isRunning(database, folder))
  const files = isInUse ? { left: IN_USE } : filesOf(folder, database)
  const now = await nowOf(database)
  const locations = openLocationsToClean(settings, 'left' in files ? [] : await locationNodes(database))
  const parts = { database, files, locations: locations.list, now, olderThan, keepCallsFor: keepCalls, isAtRest }
  try {
    return await work(await findOrphans(parts))
  } finally {
    locations.close()
  }
}

/** A folder that is not this database's own would lose all that it has: nothing in it is named there. */
function filesOf(folder: string, { dialect }: Database): CleanerParts['files'] {
  const node = knownNodeId(realDisk, folder)
  if (dialect === 'postgres' && realDisk.size(join(folder, 'collection.db')) !== undefined)
    return { left: OTHERS_FOLDER }
  if (dialect === 'postgres' && node === undefined) return { left: NO_SERVERS_FOLDER }
  return { disk: realDisk, folder, node, owner: node ?? EMBEDDED_OWNER }
}

/** The time of all who share it. */
async function nowOf(database: Database): Promise<Instant> {
  if (database.dialect === 'sqlite') return realClock.now()
  const sql = 'SELECT (extract(epoch FROM now()) * 1000)::bigint AS now'
  return (await database.read((tx) => queries(tx).get<{ now: Instant }>(sql)))!.now
}

/** As servers do it, for when none runs. */
async function freeLeases(database: Database, ledger: Ledger): Promise<void> {
  for (let lost = 1; lost > 0; )
    lost = await database.transact(async (tx) => {
      const buckets = await quietBuckets(tx)
      return buckets.length === 0 ? 0 : (await ledger.reap(tx, undefined, buckets)).length
    })
}

const isWorkersFolder = (folder: string): boolean =>
  realDisk.size(join(folder, 'worker.json')) !== undefined && realDisk.size(join(folder, 'collection.db')) === undefined

/** Its volumes and reports are the servers' to judge; what is looked at here is its outbox. */
async function cleanWorkersFolder(settings: Settings): Promise<Cleaned> {
  const { collection: folder, olderThan, keepCalls } = settings
  const lock = settings.remove ? lockCollection(folder) : undefined
  try {
    const files =
      lock === undefined && isLocked(folder)
        ? { left: IN_USE }
        : { disk: realDisk, folder, node: undefined, owner: EMBEDDED_OWNER }
    const now = realClock.now()
    const found = await findOrphans({
      database: undefined,
      files,
      locations: [],
      now,
      olderThan,
      keepCallsFor: keepCalls,
      isAtRest: false,
    })
    return resultOf(found, settings.remove ? await removeOrphans(found.orphans) : new Set())
  } finally {
    lock?.release()
  }
}

function lockIfFree(folder: string): Lock | undefined {
  if (realDisk.list(folder).length === 0) return undefined
  try {
    return lockCollection(folder)
  } catch (error) {
    if (error instanceof Problem && error.code === 'collection-in-use') return undefined
    throw error
  }
}

const isLease = ({ kind }: Orphan): boolean => kind === 'lease'

function resultOf({ orphans, notes }: Findings, removed: ReadonlySet<Orphan>): Cleaned {
  return {
    orphans: orphans.map((orphan) => {
      const { remove: _, ...shown } = orphan
      return { ...shown, removed: removed.has(orphan) }
    }),
    notes,
  }
}
