/** Who works on a crawl that is spread over machines: its servers and workers, and how they do. */
import type { Instant, Millis } from '../../base/clock.ts'
import { differingSettings, readServers, readWorkers, type WorkerRow } from '../../cluster/server/worker-table.ts'
import type { Tx } from '../../database/database.ts'
import { type Rechecked, readRechecks } from '../../intake/read-rechecks.ts'

export interface ClusterStanding {
  servers: { url: string; version: string; seenMs: Millis; alive: boolean }[]
  /** Settings in which servers that are alive differ. */
  differing: string[]
  workers: WorkerStanding[]
  /** Captures that were asked for again through another worker; null when none was drawn. */
  rechecks: Rechecked | null
}

export interface WorkerStanding {
  name: string
  id: string
  region: string | null
  version: string
  /** alive; slow: its loop is behind, so its pauses are longer than they need be; silent: may be dead, its leases run out. */
  state: 'alive' | 'slow' | 'silent' | 'left' | 'barred'
  visits: number
  pagesPerSecond: number
  lateMs: Millis
  seenMs: Millis
}

/** Servers and workers say every ten seconds that they are there. */
const SILENT: Millis = 60_000
const SLOW: Millis = 1_000
/** Of those that are gone the last ones are named. */
const MAX_WORKERS = 200
const DAY: Millis = 86_400_000

export async function clusterStanding(tx: Tx, now: Instant): Promise<ClusterStanding | undefined> {
  const servers = await readServers(tx, now - DAY)
  const workers = await readWorkers(tx, MAX_WORKERS)
  if (servers.length + workers.length === 0) return undefined
  const ago = (at: Instant) => Math.max(0, now - at)
  return {
    rechecks: (await readRechecks(tx, MAX_WORKERS)) ?? null,
    differing: differingSettings(servers.filter(({ seenAt }) => ago(seenAt) < SILENT).map(({ settings }) => settings)),
    servers: servers.map(({ url, version, seenAt }) => ({
      url,
      version,
      seenMs: ago(seenAt),
      alive: ago(seenAt) < SILENT,
    })),
    workers: workers.map((row) => {
      const { id, name, region, version, visits, pagesPerSecond, lateMs } = row
      const figures = { visits, pagesPerSecond, lateMs, seenMs: ago(row.seenAt) }
      return { name, id, region, version, state: stateOf(row, ago(row.seenAt)), ...figures }
    }),
  }
}

function stateOf({ state, lateMs }: WorkerRow, seenMs: Millis): WorkerStanding['state'] {
  if (state === 'barred') return 'barred'
  if (state === 'ending') return 'left'
  if (seenMs >= SILENT) return 'silent'
  return lateMs >= SLOW ? 'slow' : 'alive'
}
