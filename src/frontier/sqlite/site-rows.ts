/** The rows of sites: read, changed in memory by `../rules`, and written once. */
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { type QueueHead, queueHead, type SiteRow } from '../rules/site.ts'

/**
 * One statement for new and known sites; `holder` alone is written by smaller ones. Only those partial indexes are touched
 * whose condition the row meets before or after.
 */
export const WRITE_SITE = `
  INSERT INTO site (key, bucket, name, state, reason, since, seed, rank, losses, deferral, not_before, polite_at, pause,
    address, holder, fence, worker, lease_until, entered, granted, part, seq, known, waiting, refreshing, stopped)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET state = excluded.state, reason = excluded.reason, since = excluded.since,
    seed = excluded.seed, rank = excluded.rank, losses = excluded.losses, deferral = excluded.deferral,
    not_before = excluded.not_before, polite_at = excluded.polite_at, pause = excluded.pause, address = excluded.address,
    holder = excluded.holder, fence = excluded.fence, worker = excluded.worker, lease_until = excluded.lease_until,
    entered = excluded.entered, granted = excluded.granted, part = excluded.part, seq = excluded.seq,
    known = excluded.known, waiting = excluded.waiting, refreshing = excluded.refreshing,
    stopped = excluded.stopped`

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
    site.refreshing,
    site.stopped,
  )
}

/** SQLite has one bucket; the column is there so that both databases have one shape. */
export const BUCKET = 0

export const READ_SITE = `
  SELECT name, state, reason, since, seed, rank, losses, deferral, not_before, polite_at, pause, address, holder, fence, worker,
    lease_until, entered, granted, part, seq, known, waiting, refreshing, stopped
  FROM site WHERE key = ?`

/**
 * The key is not selected, so that all other columns can be read as plain numbers. It is added to the row in place: copying
 * all columns into another object cost as much as the statement.
 */
export function readSite(tx: SqliteTx, key: bigint): SiteRow | undefined {
  const row = tx.get<Omit<SiteRow, 'key'>>(READ_SITE, key)
  return row === undefined ? undefined : Object.assign(row, { key })
}

export const GROW_SITE = `UPDATE site SET seq = ?, known = ?, waiting = ? WHERE key = ?`

/** Cross-site links lead to sites all over the table, and writing the whole row there cost half of applying a report. */
export function growSite(tx: SqliteTx, site: SiteRow): void {
  tx.run(GROW_SITE, site.seq, site.known, site.waiting, site.key)
}

export const READ_ENDED_LEASES = `SELECT key FROM site WHERE lease_until <= ? ORDER BY lease_until LIMIT 500`
export const READ_LEASES_OF_WORKER = `SELECT key, fence FROM site WHERE worker = ? AND state = 'leased'`
export const READ_OUT = `SELECT key FROM site WHERE lease_until IS NOT NULL LIMIT ?`
export const READ_RESTING = `
  SELECT key FROM site WHERE key > ? AND state IN ('waiting', 'free') ORDER BY key LIMIT ?`
export const FREE_RESERVED_SITES = `UPDATE site SET holder = '' WHERE holder > ''`
export const RENEW = `
  UPDATE site SET lease_until = ? WHERE key = ? AND fence = ? AND worker = ? AND state IN ('leased', 'returning')`

export const READ_FRESH_HEAD = `
  SELECT enqueued_at FROM url WHERE site = ? AND mark = 0 AND due_at = 0 ORDER BY seq LIMIT 1`
export const READ_DUE_HEAD = `
  SELECT due_at FROM url WHERE site = ? AND mark = 0 AND due_at > 0 ORDER BY due_at LIMIT 1`

export function readQueueHead(tx: SqliteTx, site: bigint): QueueHead | undefined {
  const fresh = tx.get<{ enqueued_at: number }>(READ_FRESH_HEAD, site)?.enqueued_at
  return queueHead(fresh, tx.get<{ due_at: number }>(READ_DUE_HEAD, site)?.due_at)
}
