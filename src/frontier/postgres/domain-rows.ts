/**
 * The domains of a transaction. Their rows count sites of every bucket, so they are not locked for long: counts are added at
 * the end. Only domains with a wildcard, where a limit depends on the counts, are locked from the first read on. A domain
 * that gets its wildcard meanwhile is balanced by the next `reap`.
 */
import type { Instant } from '../../base/clock.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { type DomainRow, domainKey, newDomain } from '../rules/domains.ts'
import { column, eachBucket, itself } from './by-bucket.ts'

const COLUMNS = `key, name, sites::float8 AS sites, unendorsed::float8 AS unendorsed, held::float8 AS held,
    wildcard::float8 AS wildcard, pending::float8 AS pending`
export const READ_DOMAINS = `SELECT ${COLUMNS} FROM domain WHERE shard = $1 AND key = ANY($2::bigint[])`
export const LOCK_DOMAINS = `
  SELECT ${COLUMNS} FROM domain WHERE shard = $1 AND key = ANY($2::bigint[]) ORDER BY key FOR UPDATE`
export const WRITE_DOMAINS = `
  INSERT INTO domain (shard, key, name, sites, unendorsed, held, wildcard, pending, addresses, probed_at)
  SELECT $1::smallint, n.* FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
    $8::bigint[], $9::text[], $10::bigint[]) AS n (key, name, sites, unendorsed, held, wildcard, pending, addresses, probed_at)
  ORDER BY n.key
  ON CONFLICT (shard, key) DO UPDATE SET sites = domain.sites + excluded.sites,
    unendorsed = domain.unendorsed + excluded.unendorsed, held = domain.held + excluded.held,
    wildcard = greatest(domain.wildcard, excluded.wildcard),
    pending = CASE WHEN domain.wildcard > excluded.wildcard THEN 1 ELSE excluded.pending END,
    addresses = coalesce(excluded.addresses, domain.addresses), probed_at = coalesce(excluded.probed_at, domain.probed_at)`

const COUNTS = ['sites', 'unendorsed', 'held'] as const

interface Kept {
  row: DomainRow
  /** What the database has; the difference is added to it. */
  before: DomainRow
  /** It is there, or will be. */
  exists: boolean
}

interface Probe {
  addresses: string
  at: Instant
}

export class DomainRows {
  readonly #tx: PostgresTx
  readonly #kept = new Map<bigint, Kept>()
  readonly #changed = new Set<Kept>()
  readonly #probes = new Map<Kept, Probe>()
  /** Of domains that were only read. */
  readonly #wild = new Map<bigint, boolean>()

  constructor(tx: PostgresTx) {
    this.#tx = tx
  }

  /** `names` may be changed; of the `others` only the wildcard is read. */
  async read(names: Iterable<string>, others: Iterable<string> = []): Promise<void> {
    const wanted = keysOf(names).filter((key) => !this.#kept.has(key))
    const seen = keysOf(others).filter((key) => !this.#kept.has(key) && !this.#wild.has(key))
    const keep = new Set(wanted)
    for (const row of await this.#ask(READ_DOMAINS, [...new Set([...wanted, ...seen])]))
      if (keep.has(row.key)) this.#take(row)
      else this.#wild.set(row.key, row.wildcard === 1)
    await this.lock([...names].filter((name) => keep.has(domainKey(name)) && this.isWild(name)))
    this.#absent(names)
  }

  /** As `read`, and locks them. */
  async lock(names: Iterable<string>): Promise<void> {
    for (const row of await this.#ask(LOCK_DOMAINS, keysOf(names))) this.#take(row)
    this.#absent(names)
  }

  isWild(name: string): boolean {
    const key = domainKey(name)
    const kept = this.#kept.get(key)
    return kept === undefined ? this.#wild.get(key) === true : kept.row.wildcard === 1
  }

  get(name: string): DomainRow | undefined {
    const kept = this.#kept.get(domainKey(name))
    return kept?.exists === true && kept.row.name === name ? kept.row : undefined
  }

  for(name: string): DomainRow | undefined {
    const kept = this.#kept.get(domainKey(name))
    if (kept?.row.name !== name) return undefined
    kept.exists = true
    return kept.row
  }

  change(row: DomainRow, probe?: Probe): void {
    const kept = this.#kept.get(row.key)
    if (kept === undefined) return
    this.#changed.add(kept)
    if (probe !== undefined) this.#probes.set(kept, probe)
  }

  write(): Promise<unknown>[] {
    const writing = eachBucket(
      this.#changed,
      ({ row }) => row.key,
      (shard, all) => {
        const rows = column(all, 'row')
        const more = COUNTS.map((name) => all.map(({ row, before }) => row[name] - before[name]))
        const probes = all.map((kept) => this.#probes.get(kept))
        for (const kept of all) kept.before = { ...kept.row }
        return this.#tx.run(
          WRITE_DOMAINS,
          shard,
          column(rows, 'key'),
          column(rows, 'name'),
          ...more,
          column(rows, 'wildcard'),
          column(rows, 'pending'),
          probes.map((probe) => probe?.addresses ?? null),
          probes.map((probe) => probe?.at ?? null),
        )
      },
    )
    this.#changed.clear()
    return [writing]
  }

  async #ask(sql: string, keys: readonly bigint[]): Promise<DomainRow[]> {
    return (await eachBucket(keys, itself, (shard, some) => this.#tx.allExact<DomainRow>(sql, shard, some))).flat()
  }

  /** A row that is read again has the changes of others, plus what is counted here. */
  #take(read: DomainRow): void {
    const kept = this.#kept.get(read.key)
    if (kept === undefined) {
      this.#kept.set(read.key, { row: read, before: { ...read }, exists: true })
      return
    }
    for (const name of COUNTS) kept.row[name] += read[name] - kept.before[name]
    kept.row.wildcard = Math.max(kept.row.wildcard, read.wildcard)
    kept.row.pending = read.pending
    kept.before = { ...read }
    kept.exists = true
  }

  #absent(names: Iterable<string>): void {
    for (const name of names) {
      const row = newDomain(name)
      if (!this.#kept.has(row.key)) this.#kept.set(row.key, { row, before: { ...row }, exists: false })
    }
  }
}

function keysOf(names: Iterable<string>): bigint[] {
  return [...new Set(names)].map(domainKey)
}
