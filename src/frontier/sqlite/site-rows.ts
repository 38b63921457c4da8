import { assert } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { type SiteRow, stateAfter } from '../rules/site.ts'
import type { FrontierTools } from './tools.ts'

/**
 * One statement for new and known sites. `holder` has its own small ones: it changes without anything else.
 * Of the partial indexes only those are touched whose condition the row fulfils before or after.
 */
export const WRITE_SITE = `
  INSERT INTO site (key, bucket, name, state, reason, since, seed, rank, losses, deferral, not_before, polite_at, pause,
    address, holder, fence, worker, lease_until, entered, granted, part, seq, known, waiting)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET state = excluded.state, reason = excluded.reason, since = excluded.since,
    seed = excluded.seed, rank = excluded.rank, losses = excluded.losses, deferral = excluded.deferral,
    not_before = excluded.not_before, polite_at = excluded.polite_at, pause = excluded.pause, address = excluded.address,
    holder = excluded.holder, fence = excluded.fence, worker = excluded.worker, lease_until = excluded.lease_until,
    entered = excluded.entered, granted = excluded.granted, part = excluded.part, seq = excluded.seq,
    known = excluded.known, waiting = excluded.waiting`

export function writeSite(tx: SqliteTx, site: SiteRow): void {
  tx.run(
    WRITE_SITE,
    site.key,
    BUCKET,
    site.name,
    site.state,
    site.reason,
    site.since,
    site.seed,
    site.rank,
    site.losses,
    site.deferral,
    site.not_before,
    site.polite_at,
    site.pause,
    site.address,
    site.holder,
    site.fence,
    site.worker,
    site.lease_until,
    site.entered,
    site.granted,
    site.part,
    site.seq,
    site.known,
    site.waiting,
  )
}

/** Embedded has one bucket; the column is there so that both databases have one shape. */
export const BUCKET = 0

export const READ_SITE = `
  SELECT name, state, reason, since, seed, rank, losses, deferral, not_before, polite_at, pause, address, holder, fence, worker,
    lease_until, entered, granted, part, seq, known, waiting
  FROM site WHERE key = ?`

/**
 * The key is left out of the statement, so that everything else can be read as plain numbers. It is put into the row that
 * came: copying all columns into another object cost as much as the statement.
 */
export function readSite(tx: SqliteTx, key: bigint): SiteRow | undefined {
  const row = tx.get<Omit<SiteRow, 'key'>>(READ_SITE, key)
  return row === undefined ? undefined : Object.assign(row, { key })
}

export const GROW_SITE = `UPDATE site SET seq = ?, known = ?, waiting = ?, seed = ? WHERE key = ?`

/**
 * More URLs, and nothing else is new: no index is touched. Links abroad lead to sites all over the table, and writing the
 * whole row there cost half of applying a report.
 */
export function growSite(tx: SqliteTx, site: SiteRow): void {
  tx.run(GROW_SITE, site.seq, site.known, site.waiting, site.seed, site.key)
}

/** Until when a waiting site waits, and its rank; one that need not wait is free at once. */
export function beginToWait(tx: SqliteTx, tools: FrontierTools, site: SiteRow): void {
  const now = tools.time.now()
  const head = readQueueHead(tx, site.key)
  assert(head !== undefined, `${site.name} waits with nothing to ask`)
  site.not_before = Math.max(site.polite_at, head.due)
  site.rank = tools.order.rank({
    oldest: head.oldest,
    since: site.since,
    last: site.fence === 0 ? undefined : site.rank,
    known: site.known,
    waiting: site.waiting,
  })
  if (site.not_before <= now) site.state = stateAfter(site.state, { kind: 'due' })
}

export const READ_FRESH_HEAD = `
  SELECT enqueued_at FROM url WHERE site = ? AND mark = 0 AND due_at = 0 ORDER BY seq LIMIT 1`
export const READ_DUE_HEAD = `
  SELECT due_at FROM url WHERE site = ? AND mark = 0 AND due_at > 0 ORDER BY due_at LIMIT 1`

export interface QueueHead {
  /** Since when the oldest unmarked URL waits, or will. */
  oldest: Instant
  /** When the first of them may be asked for; 0 is at once. */
  due: Instant
}

export function readQueueHead(tx: SqliteTx, site: bigint): QueueHead | undefined {
  const fresh = tx.get<{ enqueued_at: number }>(READ_FRESH_HEAD, site)?.enqueued_at
  const due = tx.get<{ due_at: number }>(READ_DUE_HEAD, site)?.due_at
  if (fresh === undefined) return due === undefined ? undefined : { oldest: due, due }
  return { oldest: due === undefined ? fresh : Math.min(fresh, due), due: 0 }
}

/**
 * A site got something to ask: a crawled one waits again, one that waited for a URL to be due may have less to wait.
 * Says whether that changed anything.
 */
export function wake(tx: SqliteTx, tools: FrontierTools, site: SiteRow): boolean {
  const before = site.state
  site.state = stateAfter(before, { kind: 'urls' })
  if (site.state !== 'waiting') return false
  if (before === 'crawled') site.since = tools.time.now()
  else if (site.not_before <= site.polite_at) return false
  beginToWait(tx, tools, site)
  return true
}
