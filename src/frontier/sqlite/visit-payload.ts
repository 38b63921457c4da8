/** What a visit carries beside its site's row. */

import type { AgendaItem } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { rowAt } from '../../database/tables.ts'
import { agendaItem, type Carried, keysFrom, MAX_KNOWN } from '../rules/check-out.ts'
import { looksOf } from '../rules/known-rows.ts'
import type { AgendaRow } from '../rules/mark.ts'
import { chooseAgenda, looksIn } from '../rules/refresh-agenda.ts'
import type { SiteRow } from '../rules/site.ts'
import { memoryOf, type StoredMemory } from '../rules/site-rows.ts'
import { URL_TABLE } from '../rules/url-rows.ts'
import { readKnownDue } from './known-rows.ts'
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

const READ_MEMORY = `
  SELECT m.memory, r.robots, t.traps FROM site_memory m LEFT JOIN site_robots r ON r.site = m.site
  LEFT JOIN site_traps t ON t.site = m.site WHERE m.site = ?`

/** `looks`: known pages in the agenda. */
export function readCarried(work: Work, site: SiteRow, pages: number): Carried & { looks: number } {
  const { tx, now } = work
  const { key, name, known } = site
  const fresh = readAgenda(tx, key, now, pages)
  const agenda = withLooks(work, site, fresh, pages)
  const looks = agenda.looks.length
  // At an alias only what waits there is fetched: what it leads to is entered at the original.
  const isAlias = work.names.originalOf(name) !== undefined
  return {
    agenda: [...agenda.looks, ...agenda.fresh],
    // A visit with looks is short, and a site's keys may be many.
    known: isAlias || looks > 0 || known > MAX_KNOWN ? 'too many' : readKnown(tx, key),
    memory: memoryOf(tx.get<StoredMemory>(READ_MEMORY, key)),
    looks,
  }
}

/** With looks at known pages, when refreshing. */
function withLooks(work: Work, site: SiteRow, fresh: AgendaItem[], pages: number) {
  const { tx, tools, now } = work
  const { refresh } = tools
  if (refresh === undefined || site.refreshing === 0) return { looks: [], fresh }
  const due = readKnownDue(work, refresh, site, looksIn(work, site, pages))
  const chosen = chooseAgenda(work, refresh, site, looksOf(work, site.key), pages, fresh.length, due)
  const looks = chosen.known.flatMap((key) => {
    const row = rowAt(tx, URL_TABLE, { site: site.key, key })
    return row === undefined ? [] : [agendaItem({ ...row, due_at: now, tries: 0 }, readVia(tx, row))]
  })
  return { looks, fresh: fresh.slice(0, chosen.fresh) }
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
