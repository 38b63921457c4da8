/** The crawl's counters: sums of what visits counted, by day. Written with the parts that counted them, so exactly once. */
import type { Instant } from '../../base/clock.ts'
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { CountName } from '../../visit/counts.ts'
import type { Counts } from '../../visit/report.ts'
import type { SiteName } from '../../visit/visit.ts'
import { isoInstant } from '../../web/warc/instant-text.ts'
import { siteKeyOf } from '../site-key.ts'

const MINUTE_MS = 60_000

/** Gathers the counts of the parts of one transaction, so that each counter's row is written once. */
export class CounterSums {
  readonly #days = new Map<string, Map<string, number>>()
  readonly #minutes = new Map<number, { requests: number; documents: number; bytes: number }>()

  add(tx: Tx, site: SiteName, counts: Counts, at: Instant): void {
    if (counts.size === 0) return
    const day = dayOf(at)
    let sums = this.#days.get(day)
    if (sums === undefined) this.#days.set(day, (sums = new Map()))
    for (const [name, value] of counts) sums.set(name, (sums.get(name) ?? 0) + value)
    const pace = {
      requests: counts.get('requests') ?? 0,
      documents: counts.get('documents') ?? 0,
      bytes: counts.get('bytes') ?? 0,
    }
    const minute = Math.floor(at / MINUTE_MS)
    const before = this.#minutes.get(minute) ?? { requests: 0, documents: 0, bytes: 0 }
    this.#minutes.set(minute, {
      requests: before.requests + pace.requests,
      documents: before.documents + pace.documents,
      bytes: before.bytes + pace.bytes,
    })
    addServer(tx, site, pace, at)
  }

  write(tx: Tx): void {
    const db = sqliteTx(tx)
    for (const [day, sums] of this.#days) {
      for (const [name, value] of sums) {
        db.run(
          'INSERT INTO counter VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value',
          name,
          day,
          value,
        )
      }
    }
    for (const [minute, { requests, documents, bytes }] of this.#minutes) {
      db.run(
        `INSERT INTO minute (minute, requests, documents, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
           requests = requests + excluded.requests, documents = documents + excluded.documents,
           bytes = bytes + excluded.bytes`,
        minute,
        requests,
        documents,
        bytes,
      )
    }
  }
}

function addServer(
  tx: Tx,
  site: SiteName,
  pace: { requests: number; documents: number; bytes: number },
  at: Instant,
): void {
  sqliteTx(tx).run(
    `INSERT INTO server (site, name, requests, documents, bytes, first_at, last_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
     ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, documents = documents + excluded.documents,
       bytes = bytes + excluded.bytes, last_at = max(last_at, excluded.last_at)`,
    siteKeyOf(site),
    site,
    pace.requests,
    pace.documents,
    pace.bytes,
    Math.round(at),
  )
}

/** Every counter's sum over all days. */
export function readCounters(tx: Tx): Map<string, number> {
  const rows = sqliteTx(tx).all<{ name: string; value: number }>(
    'SELECT name, sum(value) AS value FROM counter GROUP BY name',
  )
  return new Map(rows.map(({ name, value }) => [name, value]))
}

/** One counter's sum: `documents` for the bound on a crawl's pages. */
export function readCounter(tx: Tx, name: CountName): number {
  const sql = 'SELECT coalesce(sum(value), 0) AS value FROM counter WHERE name = ?'
  return sqliteTx(tx).get<{ value: number }>(sql, name)!.value
}

/** UTC. */
export function dayOf(at: Instant): string {
  return isoInstant(at).slice(0, 10)
}
