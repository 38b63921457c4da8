/**
 * A collection made before domains were counted: its sites take their places, some thousand at a time. Those that were
 * visited count as vouched for; of the others, who found them first is remembered, and speaks.
 */
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { registerInDomain } from './domains.ts'
import { READ_META, WRITE_META } from './recover.ts'
import { readSite, writeSite } from './site-rows.ts'
import type { FrontierTools } from './tools.ts'
import { readUrlText } from './visit-payload.ts'

export const FORGET_META = `DELETE FROM frontier_meta WHERE name = ?`
export const READ_SITES_FROM = `SELECT key FROM site WHERE key >= ? ORDER BY key LIMIT ?`
export const READ_FIRST_VIA = `
  SELECT via_site, via_key FROM url WHERE site = ? AND mark = 0 ORDER BY due_at, seq LIMIT 1`
const COUNTED_TO = 'domains_counted_to'
const MAX_AT_ONCE = 2000
const FIRST_KEY = -(2n ** 63n)

/** True when there are more, else undefined. */
export function countDomains(tx: SqliteTx, tools: FrontierTools): true | undefined {
  const counted = tx.get<{ value: string }>(READ_META, COUNTED_TO)?.value
  if (counted === undefined) return undefined
  const from = counted === '' ? FIRST_KEY : BigInt(counted) + 1n
  const keys = tx.allExact<{ key: bigint }>(READ_SITES_FROM, from, MAX_AT_ONCE)
  for (const { key } of keys) countOne(tx, tools, key)
  if (keys.length < MAX_AT_ONCE) tx.run(FORGET_META, COUNTED_TO)
  else tx.run(WRITE_META, COUNTED_TO, String(keys[keys.length - 1].key))
  return keys.length === MAX_AT_ONCE ? true : undefined
}

function countOne(tx: SqliteTx, tools: FrontierTools, key: bigint): void {
  const site = readSite(tx, key)
  if (site === undefined) return
  const { deferral } = site
  registerInDomain(tx, tools, site, site.fence > 0 ? NO_REFERRER : finderOf(tx, key), site.seed === 1)
  if (site.deferral !== deferral) writeSite(tx, site)
}

/** Who names no page is vouched for. */
const NO_REFERRER = [{ via: '' }]

function finderOf(tx: SqliteTx, key: bigint): { via: string }[] {
  const first = tx.getExact<{ via_site: bigint | null; via_key: bigint | null }>(READ_FIRST_VIA, key)
  if (first === undefined || first.via_site === null || first.via_key === null) return NO_REFERRER
  const via = readUrlText(tx, first.via_site, first.via_key)
  return via === undefined ? [] : [{ via }]
}
