/** The rows of sites: read, changed in memory by `../rules`, and written once. */
import { columnTypes } from '../../database/schema/columns.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { replaced, rowWriter, writeRow } from '../../database/write-rows.ts'
import { type QueueHead, queueHead, type SiteRow } from '../rules/site.ts'

/**
 * One statement for new and known sites; `holder` alone is written by smaller ones. Only those partial indexes are touched
 * whose condition the row meets before or after. A name stays: setting it would write its index anew.
 */
const COLUMNS = [...columnTypes('site').keys()] as (keyof SiteRow)[]
const CHANGING = COLUMNS.filter((column) => column !== 'key' && column !== 'name')
const SITE = rowWriter<SiteRow>('site', COLUMNS, 'key', replaced(CHANGING))
export const WRITE_SITE = SITE.sqlite

export function writeSite(tx: SqliteTx, site: SiteRow): void {
  writeRow(tx, SITE, site)
}

/** SQLite has one bucket; the column is there so that both databases have one shape. */
export const BUCKET = 0

export const READ_SITE = `SELECT ${SITE.fields.filter((name) => name !== 'key').join(', ')} FROM site WHERE key = ?`

/**
 * The key is not selected, so that all other columns can be read as plain numbers. It is added to the row in place: copying
 * all columns into another object cost as much as the statement.
 */
export function readSite(tx: SqliteTx, key: bigint): SiteRow | undefined {
  const row = tx.get<Omit<SiteRow, 'key'>>(READ_SITE, key)
  return row === undefined ? undefined : Object.assign(row, { key })
}

export const GROW_SITE = `UPDATE site SET seq = ?, known = ?, waiting = ? WHERE key = ?`

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
