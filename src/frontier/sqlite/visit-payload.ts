/** What a visit carries beside its site's row. */

import type { AgendaItem } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { agendaItem, type Carried, keysFrom, MAX_KNOWN } from '../rules/check-out.ts'
import type { AgendaRow } from '../rules/mark.ts'
import type { SiteRow } from '../rules/site.ts'
import { readMemory } from './memory.ts'
import { readVia, type WithVia } from './url-rows.ts'
import type { Work } from './work.ts'

export const READ_AGENDA = `
  SELECT key, url, depth, via_site, via_key, path, enqueued_at, due_at, tries, lastmod FROM url
  WHERE site = ? AND mark = 0 AND due_at <= ? ORDER BY due_at, seq LIMIT ?`

/**
 * Losing variants, for 100,000 keys: rows as objects with bigints 77 ms, as arrays 19 ms, decimal text 34 ms. This takes 18
 * ms, and nothing for the garbage collector.
 */
export const READ_KNOWN = `SELECT group_concat(printf('%016x', key), '') AS keys FROM url WHERE site = ?`

export function readCarried({ tx, tools, now }: Work, { key, name, known }: SiteRow, pages: number): Carried {
  // At an alias only what waits there is fetched: what it leads to is entered at the original.
  const isAlias = tools.aliases.originalOf(name) !== undefined
  return {
    agenda: readAgenda(tx, key, now, pages),
    known: isAlias || known > MAX_KNOWN ? 'too many' : readKnown(tx, key),
    memory: readMemory(tx, key),
  }
}

/** The keys of every URL of the site, so that no visit fetches what another did. */
export function readKnown(tx: SqliteTx, site: bigint): BigUint64Array {
  const hex = tx.get<{ keys: string | null }>(READ_KNOWN, site)?.keys ?? ''
  return keysFrom(hex.length / 2, hex)
}

/** Never visited URLs first (W10), in the order in which they were found; then those that are due (again). */
function readAgenda(tx: SqliteTx, site: bigint, now: number, atMost: number): AgendaItem[] {
  const texts = new Map<bigint, string | undefined>()
  return tx.allExact<AgendaRow & WithVia>(READ_AGENDA, site, now, atMost).map((row) => {
    const { via_key } = row
    if (via_key === null) return agendaItem(row, undefined)
    if (!texts.has(via_key)) texts.set(via_key, readVia(tx, row))
    return agendaItem(row, texts.get(via_key))
  })
}
