/** The cluster as the dashboard shows it: servers, workers with what they hold, the inbox, and where volumes lie. */
import { join } from 'node:path'
import type { Clock, Instant } from '../../base/clock.ts'
import { watchComputer } from '../../base/computer.ts'
import type { Disk } from '../../base/disk.ts'
import { GONE_AFTER, SILENT_AFTER } from '../../cluster/maintenance/problems.ts'
import { type LoggedCall, readCalls } from '../../cluster/server/call-log.ts'
import { sumWorkers, workerOf } from '../../cluster/server/worker-table.ts'
import { knownNodeId } from '../../collection/locations/own-locations.ts'
import type { ClusterFacts } from '../../dashboard/pages/cluster.ts'
import type { Database, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { openPart, partsWaiting, timeOf } from '../../intake/report-parts.ts'
import { clusterStatus } from './status.ts'

type VolumePlace = ClusterFacts['places'][number]

/** Sites that are leased at once, and places of volumes. */
const MAX_HOLDERS = 50_000
const MAX_PLACES = 200
/** Of a larger archive, the rest is not counted: each volume costs a question to the disk. */
const MAX_VOLUMES = 20_000

/** Remembers a disk's counters from one look to the next. */
export function clusterReader(database: Database, clock: Clock, disk: Disk, folder: string) {
  const archive = join(folder, 'archive')
  const look = watchComputer()
  return {
    cluster: ({ skip, atMost }: { skip: number; atMost: number }): Promise<ClusterFacts> =>
      database.read(async (tx) => {
        const now = clock.now()
        const status = await clusterStatus(tx, now, { atMost: atMost + 1, skip })
        const leases = await leasesByWorker(tx)
        const workers = (status?.workers ?? []).map((worker) => ({ ...worker, leases: leases.get(worker.id) ?? 0 }))
        const isRemote = status !== undefined && (status.servers.length > 0 || workers.length > 0)
        return {
          servers: status?.servers ?? [],
          differing: status?.differing ?? [],
          workers: workers.slice(0, atMost),
          sums: {
            ...(await sumWorkers(tx, now - SILENT_AFTER, now - GONE_AFTER)),
            leases: [...leases.values()].reduce((sum, held) => sum + held, 0),
          },
          more: workers.length > atMost,
          threads: isRemote ? [] : [...leases].map(([name, held]) => ({ name, leases: held })),
          inbox: await inboxOf(tx),
          places: [localPlace(disk, archive), ...(await otherPlaces(tx, knownNodeId(disk, folder)))].filter(
            ({ volumes }) => volumes > 0,
          ),
          machine: look(archive),
        }
      }),
    /** Latest first. */
    callsOf: (worker: string, atMost: number, before?: { at: Instant; id: number }): Promise<LoggedCall[]> =>
      database.read((tx) => readCalls(tx, { worker, since: 0, atMost, ...(before && { before }) })),
  }
}

async function leasesByWorker(tx: Tx): Promise<Map<string, number>> {
  const rows = await queries(tx).all<{ worker: string; n: number }>(
    'SELECT worker, count(*) AS n FROM site WHERE worker IS NOT NULL GROUP BY worker ORDER BY worker LIMIT ?',
    MAX_HOLDERS,
  )
  const leases = new Map<string, number>()
  for (const { worker, n } of rows) leases.set(workerOf(worker), (leases.get(workerOf(worker)) ?? 0) + n)
  return leases
}

/** On PostgreSQL an older part may be in another bucket: the first of one is near enough. */
const OLDEST = {
  sqlite: 'SELECT visit, part, body FROM inbox WHERE corrupt IS NULL ORDER BY id LIMIT 1',
  postgres:
    'SELECT visit, part, body FROM inbox WHERE corrupt IS NULL AND out_of_order = 0 ORDER BY bucket, id LIMIT 1',
}

async function inboxOf(tx: Tx): Promise<ClusterFacts['inbox']> {
  const sql = queries(tx)
  const corrupt = await sql.get<{ n: number }>('SELECT count(*) AS n FROM inbox WHERE corrupt IS NOT NULL')
  const oldest = await sql.get<{ visit: string; part: number; body: Uint8Array }>(OLDEST[tx.dialect])
  return {
    waiting: await partsWaiting(tx),
    quarantined: corrupt!.n,
    oldestAt: oldest && collectedAt(oldest),
  }
}

function collectedAt(part: Parameters<typeof openPart>[0]): Instant | undefined {
  try {
    return timeOf(openPart(part))
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function localPlace(disk: Disk, archive: string): VolumePlace {
  const names = disk
    .list(archive)
    .filter((name) => name.includes('.warc.gz'))
    .slice(0, MAX_VOLUMES)
  return {
    place: 'archive/',
    volumes: names.length,
    bytes: names.reduce((sum, name) => sum + (disk.size(join(archive, name)) ?? 0), 0),
    open: names.filter((name) => name.endsWith('.open')).length,
  }
}

/** `here`: this server, whose volumes lie in its archive. */
async function otherPlaces(tx: Tx, here: string | undefined): Promise<VolumePlace[]> {
  const rows = await queries(tx).all<VolumePlace>(
    `SELECT node AS place, count(*) AS volumes, sum(bytes) AS bytes, sum(1 - sealed) AS open
     FROM volume_location WHERE node <> ? GROUP BY node ORDER BY node LIMIT ?`,
    here ?? '',
    MAX_PLACES,
  )
  return rows.map((row) => ({ ...row, place: row.place.includes(':') ? row.place : `server ${row.place}` }))
}
