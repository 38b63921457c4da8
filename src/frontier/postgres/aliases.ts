/**
 * The aliases in memory, as each transaction sees them. Every change of the table, by any server, is a row of `alias_change`.
 * Each transaction first reads those that are not in memory yet, usually none, in one statement. Transactions are numbered
 * when they begin and become visible when they end, in any order, so what began after the oldest one that was running at the
 * last look is read again. After a failover numbers may be used again and changes may be lost: then all is read anew.
 */

import type { SiteName } from '../../contracts/visit.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import {
  type AliasAnswer,
  AliasNames,
  LEARNT,
  LONGEST_EVIDENCE,
  type NamedAs,
  type Names,
  type NewAlias,
  type Original,
  objectionTo,
  originalIn,
} from '../aliases.ts'
import { keyOf } from '../rules/site.ts'
import { byKey, column, eachBucket, itself } from './by-bucket.ts'

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
/** The latest change of an alias is enough: a reader that misses these sees that one. */
const FORGET_OLD_CHANGES = `
  DELETE FROM alias_change c WHERE EXISTS (SELECT FROM alias_change n WHERE n.name = c.name AND n.id > c.id)`
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

interface Change extends NamedAs {
  name: SiteName
  since: number
  evidence: string
}

/** What all servers know, and what this transaction has changed. */
export class AliasView implements Names {
  readonly #names: AliasNames
  readonly #urls: UrlReader
  /** null: dropped. */
  readonly #own = new Map<SiteName, Change | null>()
  readonly #unwritten = new Set<SiteName>()

  constructor(names: AliasNames, urls: UrlReader) {
    this.#names = names
    this.#urls = urls
  }

  get isEmpty(): boolean {
    return this.#names.isEmpty && this.#own.size === 0
  }

  originalOf(site: SiteName): Original | undefined {
    return originalIn(site, (name) => this.#find(name))
  }

  learntNamesOf(original: SiteName): readonly SiteName[] {
    const known = this.#names.learntNamesOf(original)
    if (this.#own.size === 0) return known
    const own = [...this.#own.values()].flatMap((one) => (one?.to === original && one.how === LEARNT ? one.name : []))
    return [...known.filter((name) => !this.#own.has(name)), ...own]
  }

  /** `isBarred`: whether a site was given up. The next `write` writes it. */
  add(given: NewAlias, now: number, isBarred: (site: SiteName) => boolean): AliasAnswer {
    const { name, original, how, https = false, evidence = '' } = given
    const objection = objectionTo(given, this.#urls, this.#names.size + this.#own.size, (site) => this.#find(site))
    if (objection !== undefined) return objection
    if (isBarred(original)) return 'refused'
    const change = { name, to: original, how, https, since: now, evidence: evidence.slice(0, LONGEST_EVIDENCE) }
    this.#own.set(name, change)
    this.#unwritten.add(name)
    return 'taken'
  }

  /** False: it was not an alias. */
  drop(name: SiteName): boolean {
    if (this.#find(name) === undefined) return false
    this.#own.set(name, null)
    this.#unwritten.add(name)
    return true
  }

  /** Whether this transaction has added it. */
  isNew(name: SiteName): boolean {
    return this.#own.get(name) != null
  }

  /** Undoes what was added and dropped since the last `write`. */
  takeBack(): void {
    for (const name of this.#unwritten) this.#own.delete(name)
    this.#unwritten.clear()
  }

  async write(tx: PostgresTx): Promise<void> {
    if (this.#unwritten.size === 0) return
    const names = [...this.#unwritten]
    this.#unwritten.clear()
    const changes = names.map((name) => ({ name, key: keyOf(name), change: this.#own.get(name) ?? null }))
    const added = changes.flatMap(({ key, change }) =>
      change === null ? [] : { key, https: Number(change.https), change },
    )
    const dropped = changes.flatMap(({ key, change }) => (change === null ? key : []))
    await Promise.all([
      eachBucket(added, byKey, (bucket, rows) => {
        const all = column(rows, 'change')
        const texts = [column(all, 'name'), column(all, 'to'), column(all, 'how')]
        const rest = [column(rows, 'https'), column(all, 'since'), column(all, 'evidence')]
        return tx.run(WRITE_ALIASES, bucket, column(rows, 'key'), ...texts, ...rest)
      }),
      eachBucket(dropped, itself, (bucket, keys) => tx.run(DELETE_ALIASES, bucket, keys)),
      tx.run(
        LOG_CHANGES,
        names,
        changes.map(({ change }) => change?.to ?? null),
        changes.map(({ change }) => change?.how ?? null),
        changes.map(({ change }) => (change === null ? null : Number(change.https))),
      ),
    ])
  }

  #find(name: SiteName): NamedAs | undefined {
    const own = this.#own.get(name)
    return own === undefined ? this.#names.get(name) : (own ?? undefined)
  }
}

/** When a server starts, which reads them all: otherwise they would only grow. */
export async function forgetOldChanges(tx: PostgresTx): Promise<void> {
  await tx.run(FORGET_OLD_CHANGES)
}

/**
 * The aliases among locked sites. Nothing may be marked as moved at an alias that was dropped while this transaction waited
 * for its lock: it would never wait again.
 */
export async function aliasesAmong(tx: PostgresTx, sites: Iterable<bigint>): Promise<ReadonlySet<bigint>> {
  const rows = await eachBucket(new Set(sites), itself, (bucket, some) =>
    tx.allExact<{ site: bigint }>(READ_ALIASES_AMONG, bucket, some),
  )
  return new Set(rows.flat().map(({ site }) => site))
}
