/**
 * `clean`: lists orphaned data, and removes it with --remove. Listing only reads. For removing, a collection in a folder is
 * opened like a crawl does, which gives up the leases of the dead and applies the inbox. A shared database is cleaned while its
 * servers work, by one cleaner at a time; the files of a server's folder only while no server works in it.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, realClock } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { realDisk } from '../../base/real-disk.ts'
import { findOrphans, removeOrphans } from '../../cluster/maintenance/find-orphans.ts'
import type { CleanerParts, Findings, Orphan } from '../../cluster/maintenance/orphan-volumes.ts'
import { locationNodes } from '../../cluster/maintenance/orphan-volumes.ts'
import { noteLost } from '../../collection/counters/last-visits.ts'
import { folderLocation, type OtherLocation, storeLocation } from '../../collection/locations/other-locations.ts'
import { EMBEDDED_OWNER, knownNodeId } from '../../collection/locations/own-locations.ts'
import { DIR } from '../../collection/locations/volume-locations.ts'
import type { Database } from '../../database/database.ts'
import { isLocked, type Lock, lockCollection } from '../../database/lock.ts'
import { tryRole } from '../../database/postgres/election.ts'
import type { PostgresDatabase } from '../../database/postgres/open.ts'
import type { Ledger } from '../../frontier/contract.ts'
import { settledSites } from '../../intake/postgres/inbox.ts'
import { isWorkersFolder, openForSeeding } from '../composition/open-for-writing.ts'
import { openStores, s3AccessOf } from '../composition/volume-sources.ts'
import type { Settings } from '../config/keys.ts'
import { databaseToRead } from '../reader/open.ts'

export interface Cleaned {
  orphans: (Omit<Orphan, 'remove'> & { removed: boolean })[]
  notes: string[]
}

const IN_USE = 'a crawl, a server or a worker is using the folder; stop it first'
const NO_SERVERS_FOLDER = 'no server of this database was ever started in the folder (name it by -c)'
const OTHERS_FOLDER = 'the folder has a collection of its own, beside the database that was named'

export async function cleanCollection(settings: Settings, version: string): Promise<Cleaned> {
  if (settings.database === undefined && isWorkersFolder(settings.collection)) return cleanWorkersFolder(settings)
  const found = await asRead(settings, (database) =>
    withOrphans(settings, database, isLocked(settings.collection), (all) => all),
  )
  if (!settings.remove) return resultOf(found, new Set())
  await using opening = new AsyncDisposableStack()
  const isShared = settings.database !== undefined
  const lock = isShared ? opening.adopt(lockIfFree(settings.collection), (held) => held?.release()) : undefined
  const { database, clock, ledger } = opening.use(await openForSeeding(settings, version))
  if (isShared) {
    await takeRole(opening, database, 'cleaner', 'another cleaner is working on this database: wait until it has ended')
    await freeLeases(database, ledger, clock)
  }
  return await remove(settings, database, found, !isShared || lock !== undefined)
}

/** Asks a collection that is opened only to be read. */
export async function asRead<T>(settings: Settings, ask: (database: Database) => Promise<T>): Promise<T> {
  const database = await databaseToRead(settings.collection, settings.database)
  try {
    return await ask(database)
  } finally {
    await database.close()
  }
}

/** Of the shared database, until the stack is disposed of. */
export async function takeRole(opening: AsyncDisposableStack, database: Database, name: string, taken: string) {
  const role = await tryRole(database as PostgresDatabase, name)
  if (role === undefined) throw new Problem('collection-in-use', taken)
  opening.defer(() => role.release())
}

/** Opening the database gave up orphaned leases, so those that are still there are not orphaned. */
async function remove(settings: Settings, database: Database, before: Findings, ours: boolean): Promise<Cleaned> {
  return withOrphans(settings, database, !ours, async ({ orphans, notes }) => {
    const left = new Set(orphans.filter(isLease).map(({ name }) => name))
    const leases = before.orphans.filter(isLease)
    const others = orphans.filter((orphan) => !isLease(orphan))
    const removed = await removeOrphans(others)
    for (const lease of leases) if (!left.has(lease.name)) removed.add(lease)
    return resultOf({ orphans: [...leases, ...others], notes }, removed)
  })
}

/** Locations can be reached only while `work` runs. */
async function withOrphans<T>(
  settings: Settings,
  database: Database,
  isInUse: boolean,
  work: (found: Findings) => T | Promise<T>,
): Promise<T> {
  const { collection: folder, olderThan, keepCalls } = settings
  const isAtRest = database.dialect === 'sqlite' && !isInUse && !isLocked(folder)
  const files = isInUse ? { left: IN_USE } : filesOf(folder, database)
  const now = database.dialect === 'sqlite' ? realClock.now() : await sharedNow(database)
  const locations = await openOtherLocations(settings, database)
  const others = 'left' in files ? [] : locations.list
  const parts = { database, files, locations: others, now, olderThan, keepCallsFor: keepCalls, isAtRest }
  try {
    return await work(await findOrphans(parts))
  } finally {
    locations.close()
  }
}

export async function sharedNow(database: Database): Promise<number> {
  const { databaseNow } = await import('../../database/postgres/clock.ts')
  return databaseNow(database)
}

/** In a folder that belongs to another database every file would look orphaned. */
export function filesOf(folder: string, { dialect }: Database): CleanerParts['files'] {
  const node = knownNodeId(realDisk, folder)
  if (dialect === 'postgres' && realDisk.size(join(folder, 'collection.db')) !== undefined)
    return { left: OTHERS_FOLDER }
  if (dialect === 'postgres' && node === undefined) return { left: NO_SERVERS_FOLDER }
  return { disk: realDisk, folder, node, owner: node ?? EMBEDDED_OWNER }
}

/** What servers do themselves, for when none is running. */
export async function freeLeases(database: Database, ledger: Ledger, clock: Clock): Promise<void> {
  for (let isDone = false; !isDone; )
    isDone = await database.transact(async (tx) => {
      const lost = await ledger.reap(tx, undefined, (sites) => settledSites(tx, sites))
      await noteLost(tx, lost, clock.now())
      return lost.length === 0
    })
}

/** Only its outbox: its volumes and reports are the servers' to clean. */
async function cleanWorkersFolder(settings: Settings): Promise<Cleaned> {
  const { collection: folder, olderThan, keepCalls } = settings
  const lock = settings.remove ? lockCollection(folder) : undefined
  try {
    const files =
      lock === undefined && isLocked(folder)
        ? { left: IN_USE }
        : { disk: realDisk, folder, node: undefined, owner: EMBEDDED_OWNER }
    const parts = { database: undefined, files, locations: [], now: realClock.now(), isAtRest: false }
    const found = await findOrphans({ ...parts, olderThan, keepCallsFor: keepCalls })
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

/** Locations of volumes outside the collection's folder: folders of this machine, and stores. */
export async function openOtherLocations(settings: Settings, database: Database) {
  const stores = openStores(() => s3AccessOf(settings))
  const scratch = join(settings.collection, 'archive')
  const list = (await locationNodes(database)).map((node) =>
    node.startsWith(DIR) ? folderHere(node) : storeLocation(realDisk, node, scratch, () => stores.open(node)),
  )
  return { list, close: stores.close }
}

function folderHere(node: string): OtherLocation {
  const folder = node.slice(DIR.length)
  const location = folderLocation(realDisk, folder)
  return {
    ...location,
    async list() {
      // An unmounted disk, or a folder of another machine: what is missing there is not lost.
      if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new Error('there is no such folder here')
      return location.list()
    },
  }
}
