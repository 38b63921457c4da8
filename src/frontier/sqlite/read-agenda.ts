import type { Instant } from '../../base/clock.ts'
import { unsigned64 } from '../../base/digest.ts'
import type { AgendaItem } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'

export const READ_AGENDA = `
  SELECT key, url, depth, via_site, via_key, path, enqueued_at, due_at, tries, lastmod FROM url
  WHERE site = ? AND mark = 0 AND due_at <= ? ORDER BY due_at, seq LIMIT ?`
export const READ_URL_TEXT = `SELECT url FROM url WHERE site = ? AND key = ?`

interface AgendaRow {
  key: bigint
  url: string
  depth: bigint
  via_site: bigint | null
  via_key: bigint | null
  path: string
  enqueued_at: bigint
  due_at: bigint
  tries: bigint
  lastmod: bigint | null
}

/** Never visited URLs first (W10), in the order in which they were found; then those that are due (again). */
export function readAgenda(tx: SqliteTx, site: bigint, now: Instant, atMost: number): AgendaItem[] {
  const texts = new Map<bigint, string | undefined>()
  return tx.allExact<AgendaRow>(READ_AGENDA, site, now, atMost).map((row) => {
    const item: AgendaItem = {
      url: row.url,
      key: unsigned64(row.key),
      depth: Number(row.depth),
      dueAt: Number(row.due_at === 0n ? row.enqueued_at : row.due_at),
      tries: Number(row.tries),
      path: row.path,
    }
    if (row.lastmod !== null) item.hint = Number(row.lastmod)
    if (row.via_site !== null && row.via_key !== null) {
      if (!texts.has(row.via_key)) texts.set(row.via_key, readUrlText(tx, row.via_site, row.via_key))
      const via = texts.get(row.via_key)
      if (via !== undefined) item.via = via
    }
    return item
  })
}

export function readUrlText(tx: SqliteTx, site: bigint, key: bigint): string | undefined {
  return tx.get<{ url: string }>(READ_URL_TEXT, site, key)?.url
}
