/**
 * `clean --retention`: thins old captures by a rule, and rewrites the volumes that held them. Counting only reads. Removing
 * needs the collection to itself: a worker that is fetching may write a revisit that refers to any capture.
 */
import { type Instant, realClock } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { freshSeed, seededRandom } from '../../base/random.ts'
import { readServers } from '../../cluster/server/worker-table.ts'
import { compactVolumes } from '../../collection/retention/compact-volumes.ts'
import { findVolumes } from '../../collection/retention/find-volumes.ts'
import type { RetentionRule } from '../../collection/retention/rule.ts'
import { thinCaptures } from '../../collection/retention/thin-captures.ts'
import type { Database, Tx } from '../../database/database.ts'
import { lockCollection } from '../../database/lock.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import { partsWaiting } from '../../intake/report-parts.ts'
import { isWorkersFolder, openForSeeding } from '../composition/open-for-writing.ts'
import type { Settings } from '../config/keys.ts'
import { asRead, filesOf, freeLeases, openOtherLocations, sharedNow, takeRole } from './clean.ts'

export type Retained = Awaited<ReturnType<typeof thin>>

export async function retainCaptures(settings: Settings, version: string, rule: RetentionRule) {
  const { collection: folder, database: address } = settings
  if (address === undefined && isWorkersFolder(folder))
    throw new Problem('no-collection', `${folder} is a worker's folder: run this where its server's collection is`)
  const counted = await asRead(settings, async (database) =>
    settings.remove ? undefined : thin(settings, database, rule, async () => {}),
  )
  if (counted !== undefined) return counted
  await using opening = new AsyncDisposableStack()
  const isShared = address !== undefined
  if (isShared) opening.adopt(lockCollection(folder), (lock) => lock.release())
  const { database, clock, ledger } = opening.use(await openForSeeding(settings, version))
  if (isShared) {
    for (const name of ['cleaner', 'maintenance']) await takeRole(opening, database, name, AT_WORK)
    await freeLeases(database, ledger, clock)
  }
  await database.read(nothingUnderWay)
  const begun = isShared ? await sharedNow(database) : 0
  return await thin(settings, database, rule, async (tx) => (isShared ? noServerSince(tx, begun) : undefined))
}

const AT_WORK = 'a server or another cleaner is working on this database: stop all servers and workers first'

async function thin(settings: Settings, database: Database, rule: RetentionRule, guard: (tx: Tx) => Promise<void>) {
  const { collection: folder, remove } = settings
  const files = filesOf(folder, database)
  if ('left' in files) throw new Problem('no-collection', `its volumes cannot be rewritten: ${files.left}`)
  const { disk, node } = files
  const now = database.dialect === 'sqlite' ? realClock.now() : await sharedNow(database)
  const locations = await openOtherLocations(settings, database)
  try {
    const parts = { database, disk, folder, node, locations: locations.list, guard }
    const { located, left } = await findVolumes(parts)
    const volumes = new Set(located.map(({ id }) => id))
    const { needed, elsewhere, ...thinned } = await thinCaptures({ ...parts, rule, now, volumes, remove })
    const notes = notesOn(elsewhere, left)
    /** Captures that the rule does not keep, in volumes that cannot be rewritten from here; the notes say why. */
    const counted = { ...thinned, elsewhere: sumOf(elsewhere.values()) }
    if (!remove) return { ...counted, volumes: 0, freed: 0, notes }
    const random = seededRandom(freshSeed())
    const { bytes, ...done } = await compactVolumes({ ...parts, clock: realClock, random, needed })
    return { ...counted, ...done, freed: bytes, notes: [...notes, ...done.notes] }
  } finally {
    locations.close()
  }
}

const sumOf = (numbers: Iterable<number>): number => [...numbers].reduce((sum, one) => sum + one, 0)

/** `elsewhere`: captures by volume; `left`: why the volume stays. */
export function notesOn(elsewhere: ReadonlyMap<number, number>, left: ReadonlyMap<number, string>): string[] {
  const byReason = Map.groupBy(elsewhere, ([volume]) => left.get(volume))
  return [...byReason].map(([why, counts]) => {
    const sum = sumOf(counts.map(([, n]) => n))
    return `${sum} ${sum === 1 ? 'capture that could go is' : 'captures that could go are'} in volumes ${why}`
  })
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
  const [server] = await readServers(tx, begun, 1)
  if (server !== undefined)
    throw new Problem(
      'collection-in-use',
      `server ${server.url} is running, so the rest was not removed: stop it, and run this again`,
    )
}
