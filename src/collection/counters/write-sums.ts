/** The sums of a transaction's parts, into the catalogue on SQLite. */
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { siteKeyOf } from '../site-key.ts'
import type { CounterSums } from './counter-sums.ts'

const ADD_COUNTER = 'INSERT INTO counter VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value'
const ADD_MINUTE = `
  INSERT INTO minute (minute, requests, documents, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    requests = requests + excluded.requests, documents = documents + excluded.documents, bytes = bytes + excluded.bytes`
const ADD_SERVER = `
  INSERT INTO site_stats (site, name, requests, documents, bytes, first_at, last_at) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, documents = documents + excluded.documents,
    bytes = bytes + excluded.bytes, last_at = max(last_at, excluded.last_at)`

export function writeSums(tx: Tx, { days, minutes, servers }: CounterSums): void {
  const db = sqliteTx(tx)
  for (const [day, sums] of days) for (const [name, value] of sums) db.run(ADD_COUNTER, name, day, value)
  for (const [minute, pace] of minutes) db.run(ADD_MINUTE, minute, pace.requests, pace.documents, pace.bytes)
  for (const [site, sums] of servers)
    db.run(ADD_SERVER, siteKeyOf(site), site, sums.requests, sums.documents, sums.bytes, sums.firstAt, sums.lastAt)
}
