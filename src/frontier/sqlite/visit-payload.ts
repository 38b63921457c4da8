import { assert } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import { unsigned64 } from '../../base/digest.ts'
import type { AgendaItem, Visit, WorkerId } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { FrontierOptions } from '../options.ts'
import { MAX_KNOWN } from '../rules/check-out.ts'
import { stateAfter } from '../rules/site.ts'
import { visitId } from '../rules/visit.ts'
import { readMemory } from './memory.ts'
import { readSite, writeSite } from './site-rows.ts'
import type { FrontierTools } from './tools.ts'

/** A free site becomes a visit. */
export function lease(
  tx: SqliteTx,
  tools: FrontierTools,
  slice: FrontierOptions['slice'],
  key: bigint,
  worker: WorkerId,
  pages: number,
  now: Instant,
): Visit {
  const site = readSite(tx, key)
  assert(site !== undefined, 'a free site that is not there')
  site.state = stateAfter(site.state, { kind: 'checked-out' })
  site.fence++
  site.worker = worker
  site.lease_until = now + tools.leaseMs
  site.holder = ''
  site.entered = null
  site.granted = pages
  site.part = 0
  writeSite(tx, site)
  return {
    id: visitId(key, site.fence),
    fence: site.fence,
    site: site.name,
    ...(site.address === null ? {} : { address: site.address }),
    agenda: readAgenda(tx, key, now, pages),
    // Of another name of a site only what waits there is asked for: what it leads to is entered at the original.
    known: tools.aliases.originalOf(site.name) === undefined ? readKnown(tx, key, site.known) : 'too many',
    memory: readMemory(tx, key),
    wait: Math.max(0, site.polite_at - now),
    pause: tools.pauseOf(site),
    limits: { pages, time: slice.time },
    lease: tools.leaseMs,
  }
}

/**
 * Losing variants, for 100,000 keys: rows as objects with bigints 77 ms, as arrays 19 ms, decimal text 34 ms; this 18 ms,
 * and nothing for the garbage collector.
 */
export const READ_KNOWN = `SELECT group_concat(printf('%016x', key), '') AS keys FROM url WHERE site = ?`

/** The keys of every URL of the site, so that no visit fetches what another did. */
export function readKnown(tx: SqliteTx, site: bigint, known: number): BigUint64Array | 'too many' {
  if (known > MAX_KNOWN) return 'too many'
  const hex = tx.get<{ keys: string | null }>(READ_KNOWN, site)?.keys ?? ''
  const keys = new BigUint64Array(hex.length / 16)
  const bytes = Buffer.from(keys.buffer)
  bytes.write(hex, 'hex')
  // Written with the highest digit first; typed arrays have the machine's order, the lowest byte first.
  bytes.swap64()
  return keys
}

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
