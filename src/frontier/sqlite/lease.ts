import { assert } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import type { Visit, WorkerId } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { MAX_KNOWN } from '../most-known.ts'
import type { FrontierOptions } from '../options.ts'
import { stateAfter } from '../site.ts'
import { visitId } from '../visit-id.ts'
import { readAgenda } from './read-agenda.ts'
import { readMemory } from './read-memory.ts'
import { readSite } from './read-site.ts'
import type { FrontierTools } from './tools.ts'
import { writeSite } from './write-site.ts'

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
