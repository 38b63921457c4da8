/**
 * A collection made before domains were counted: its sites take their places, some thousand at a time. Those that were
 * visited count as vouched for; of the others, who found them first is remembered, and speaks.
 */
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { enrol } from './enrol.ts'
import { readUrlText } from './read-agenda.ts'
import { readSite } from './read-site.ts'
import { READ_META, WRITE_META } from './recover.ts'
import type { Rules } from './rules.ts'
import { writeSite } from './write-site.ts'

export const FORGET_META = `DELETE FROM frontier_meta WHERE name = ?`
export const READ_SITES_FROM = `SELECT key FROM site WHERE key >= ? ORDER BY key LIMIT ?`
export const READ_FIRST_VIA = `
  SELECT via_site, via_key FROM url WHERE site = ? AND mark = 0 ORDER BY due_at, seq LIMIT 1`
const COUNTED_TO = 'domains_counted_to'
const MOST_AT_ONCE = 2000
const FIRST_KEY = -(2n ** 63n)

/** True when there are more, else undefined. */
export function countDomains(tx: SqliteTx, rules: Rules): true | undefined {
  const counted = tx.get<{ value: string }>(READ_META, COUNTED_TO)?.value
  if (counted === undefined) return undefined
  const from = counted === '' ? FIRST_KEY : BigInt(counted) + 1n
  const keys = tx.allExact<{ key: bigint }>(READ_SITES_FROM, from, MOST_AT_ONCE)
  for (const { key } of keys) countOne(tx, rules, key)
  if (keys.length < MOST_AT_ONCE) tx.run(FORGET_META, COUNTED_TO)
  else tx.run(WRITE_META, COUNTED_TO, String(keys[keys.length - 1].key))
  return keys.length === MOST_AT_ONCE ? true : undefined
}

function countOne(tx: SqliteTx, rules: Rules, key: bigint): void {
  const site = readSite(tx, key)
  if (site === undefined) return
  const { crowd } = site
  enrol(tx, rules, site, site.fence > 0 ? THE_HOUSE : finderOf(tx, key), site.seed === 1)
  if (site.crowd !== crowd) writeSite(tx, site)
}

/** Who names no page is vouched for. */
const THE_HOUSE = [{ via: '' }]

function finderOf(tx: SqliteTx, key: bigint): { via: string }[] {
  const first = tx.getExact<{ via_site: bigint | null; via_key: bigint | null }>(READ_FIRST_VIA, key)
  if (first === undefined || first.via_site === null || first.via_key === null) return THE_HOUSE
  const via = readUrlText(tx, first.via_site, first.via_key)
  return via === undefined ? [] : [{ via }]
}
