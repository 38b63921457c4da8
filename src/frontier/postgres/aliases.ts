/**
 * The aliases in memory, as each transaction sees them. Every change of the table, by any server, is a row of `alias_change`.
 * Each transaction first reads those that are not in memory yet, usually none, in one statement. Transactions are numbered
 * when they begin and become visible when they end, in any order, so what began after the oldest one that was running at the
 * last look is read again. After a failover numbers may be used again and changes may be lost: then all is read anew.
 */

import type { SiteName } from '../../contracts/visit.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import { byKey, bySite, column, eachBucket, readBy, runBy } from '../../database/postgres/by-bucket.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { type AliasChange, AliasNames, AliasView, MAX_MOVED } from '../aliases.ts'

/** At least one row, for the snapshot by which they were read. */
export const READ_CHANGES = `
  SELECT s.seen::text AS seen, c.name, c.original, c.how, c.https
  FROM (SELECT pg_current_snapshot() AS seen) s LEFT JOIN alias_change c ON c.changed >= $1::xid8
  ORDER BY c.id`
export const WRITE_ALIASES = `
  INSERT INTO site_alias (bucket, site, name, original, how, https, since, evidence, pending)
  SELECT $1, n.site, n.name, n.original, n.how, n.https, n.since, n.evidence, 1
  FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[])
    AS n (site, name, original, how, https, since, evidence)
  ORDER BY n.site
  ON CONFLICT (bucket, site) DO UPDATE SET original = excluded.original, how = excluded.how, https = excluded.https,
    since = excluded.since, evidence = excluded.evidence, pending = 1`
export const DELETE_ALIASES = `DELETE FROM site_alias WHERE bucket = $1 AND site = ANY($2::bigint[])`
export const READ_ALIASES_AMONG = `SELECT site FROM site_alias WHERE bucket = $1 AND site = ANY($2::bigint[])`
export const READ_PENDING = `SELECT name FROM site_alias WHERE pending = 1 ORDER BY bucket, site LIMIT $1`
/** Most aliases have nothing to move, for they are learnt at their home pages. */
export const READ_IDLE_PENDING = `
  SELECT a.site FROM site_alias a LEFT JOIN site s ON s.bucket = a.bucket AND s.key = a.site
  WHERE a.pending = 1 AND coalesce(s.waiting, 0) = 0 LIMIT $1`
/** A transaction that has locked a row may be adding a waiting URL there. */
export const LOCK_PENDING = `
  SELECT site FROM site_alias WHERE bucket = $1 AND site = ANY($2::bigint[]) AND pending = 1
  ORDER BY site FOR UPDATE SKIP LOCKED`
/** Read again once they are locked: URLs may have been added since. */
export const CLEAR_PENDING = `
  UPDATE site_alias SET pending = 0 WHERE bucket = $1 AND site = ANY($2::bigint[])
    AND NOT EXISTS (SELECT FROM site s WHERE s.bucket = $1 AND s.key = site_alias.site AND s.waiting > 0)`
/**
 * The latest change of an alias is enough: a reader that misses these sees that one. When a server starts, which reads them
 * all: otherwise they would only grow.
 */
export const FORGET_OLD_CHANGES = `DELETE FROM alias_change c WHERE EXISTS (SELECT FROM alias_change n WHERE n.name = c.name AND n.id > c.id)`
export const LOG_CHANGES = `
  INSERT INTO alias_change (changed, name, original, how, https)
  SELECT pg_current_xact_id(), n.name, n.original, n.how, n.https
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS n (name, original, how, https)`

interface ChangeRow {
  seen: string
  name: SiteName | null
  original: SiteName | null
  how: string | null
  https: number | null
}

export class AliasTable {
  readonly #urls: UrlReader
  readonly #names = new AliasNames()
  readonly #views = new WeakMap<PostgresTx, Promise<AliasView>>()
  #seen = NOTHING
  #timeline = 0

  constructor(urls: UrlReader) {
    this.#urls = urls
  }

  /** Read once per transaction, however often it is called. */
  at(tx: PostgresTx): Promise<AliasView> {
    const known = this.#views.get(tx)
    if (known !== undefined) return known
    const view = this.#refresh(tx).then(() => new AliasView(this.#names, this.#urls))
    // Callers that await it see the error; a transaction that failed before must not crash the process.
    view.catch(() => {})
    this.#views.set(tx, view)
    return view
  }

  async #refresh(tx: PostgresTx): Promise<void> {
    const { timeline } = tx
    const known = timeline === this.#timeline ? this.#seen : NOTHING
    const rows = await tx.all<ChangeRow>(READ_CHANGES, known.oldest)
    const seen = readSnapshot(rows[0].seen)
    // Answers may arrive out of order.
    if (timeline < this.#timeline || (timeline === this.#timeline && isBefore(seen, this.#seen))) return
    if (timeline > this.#timeline) this.#names.clear()
    this.#timeline = timeline
    this.#seen = seen
    for (const { name, original, how, https } of rows) {
      if (name === null) continue
      if (original === null) this.#names.delete(name)
      else this.#names.set(name, { to: original, how: how ?? '', https: https === 1 })
    }
  }
}

interface Snapshot {
  /** All transactions before it had ended. */
  oldest: string
  /** No transaction from here on had. */
  next: bigint
  /** How many between them had not. */
  running: number
}

const NOTHING: Snapshot = { oldest: '0', next: 0n, running: 0 }

/** `10:20:10,14,15`, as PostgreSQL writes it. */
function readSnapshot(text: string): Snapshot {
  const [oldest, next, running] = text.split(':')
  return { oldest, next: BigInt(next), running: running === '' ? 0 : running.split(',').length }
}

/** The later of two snapshots sees what the earlier does; if none began between them, fewer are running. */
function isBefore(a: Snapshot, b: Snapshot): boolean {
  return a.next < b.next || (a.next === b.next && a.running > b.running)
}

export async function writeAliases(
  tx: PostgresTx,
  changes: readonly { name: SiteName; change: AliasChange | null }[],
): Promise<void> {
  if (changes.length === 0) return
  const added = changes.flatMap(({ name, change }) =>
    change === null ? [] : { key: siteKeyOf(name), https: Number(change.https), change },
  )
  const dropped = changes.flatMap(({ name, change }) => (change === null ? siteKeyOf(name) : []))
  await Promise.all([
    eachBucket(added, byKey, (bucket, rows) => {
      const all = column(rows, 'change')
      const texts = [column(all, 'name'), column(all, 'to'), column(all, 'how')]
      const rest = [column(rows, 'https'), column(all, 'since'), column(all, 'evidence')]
      return tx.run(WRITE_ALIASES, bucket, column(rows, 'key'), ...texts, ...rest)
    }),
    runBy(tx, DELETE_ALIASES, dropped),
    tx.run(
      LOG_CHANGES,
      column(changes, 'name'),
      changes.map(({ change }) => change?.to ?? null),
      changes.map(({ change }) => change?.how ?? null),
      changes.map(({ change }) => (change === null ? null : Number(change.https))),
    ),
  ])
}

/**
 * The aliases among locked sites. Nothing may be marked as moved at an alias that was dropped while this transaction waited
 * for its lock: it would never wait again.
 */
export async function aliasesAmong(tx: PostgresTx, sites: Iterable<bigint>): Promise<ReadonlySet<bigint>> {
  return new Set(column(await readBy<{ site: bigint }>(tx, READ_ALIASES_AMONG, new Set(sites)), 'site'))
}

export async function readPending(tx: PostgresTx, atMost: number): Promise<SiteName[]> {
  const idle = await tx.allExact<{ site: bigint }>(READ_IDLE_PENDING, MAX_MOVED)
  await eachBucket(idle, bySite, async (bucket, rows) => {
    const locked = await tx.allExact<{ site: bigint }>(LOCK_PENDING, bucket, column(rows, 'site'))
    if (locked.length > 0) await tx.run(CLEAR_PENDING, bucket, column(locked, 'site'))
  })
  return column(await tx.all<{ name: SiteName }>(READ_PENDING, atMost), 'name')
}
