/**
 * What processes leave in the database for others, and for their next start. Texts: the settings of a shared crawl, a pass over
 * all known pages, the last measure of freshness, the order of sites, the rules of URLs. And the price of a look.
 */
import type { Instant } from '../base/clock.ts'
import type { Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'

export type RecordName =
  | 'settings'
  | 'refresh_pass'
  /** Where refreshing stands with `enrol`; empty after a crawl. */
  | 'refresh_enrolled'
  | 'freshness'
  | 'mailed_day'
  | 'order'
  | 'opened_at'
  | 'url_rules'

const ADD = 'INSERT INTO frontier_meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO'

export async function writeRecord(tx: Tx, name: RecordName, text: string): Promise<void> {
  await queries(tx).run(`${ADD} UPDATE SET value = excluded.value`, name, text)
}

/** Unless it is there. */
export async function recordOnce(tx: Tx, name: RecordName, text: string): Promise<void> {
  await queries(tx).run(`${ADD} NOTHING`, name, text)
}

export async function readRecord(tx: Tx, name: RecordName): Promise<string | undefined> {
  return (await queries(tx).get<{ value: string }>('SELECT value FROM frontier_meta WHERE name = ?', name))?.value
}

export async function removeRecord(tx: Tx, name: RecordName): Promise<void> {
  await queries(tx).run('DELETE FROM frontier_meta WHERE name = ?', name)
}

const WRITE_PRICE = `
  INSERT INTO refresh_price (one, price, adapted_at) VALUES (1, ?, ?)
  ON CONFLICT (one) DO UPDATE SET price = excluded.price, adapted_at = excluded.adapted_at`

/** Undefined: none was ever set. */
export async function readPrice(tx: Tx): Promise<number | undefined> {
  return (await queries(tx).get<{ price: number }>('SELECT price FROM refresh_price WHERE one = 1'))?.price
}

export async function writePrice(tx: Tx, price: number, now: Instant): Promise<void> {
  await queries(tx).run(WRITE_PRICE, price, now)
}
