/**
 * Tables whose rows belong to a site, or to a site and a key: whole rows are read, written and removed, by statements that are
 * made from the schema. On SQLite row by row; on PostgreSQL all of a bucket in one statement.
 */
import { assert } from '../base/assert.ts'
import type { Dialect, Tx } from './database.ts'
import { bySite, eachBucket } from './postgres/by-bucket.ts'
import { columnsOf, postgresTx } from './postgres/tx.ts'
import { columnTypes, KEYS, keyed, selected } from './schema/columns.ts'
import { type SqliteTx, sqliteTx } from './sqlite/tx.ts'
import { type RowWriter, unnested, wholeRowWriter, writeBucket, writeRow } from './write-rows.ts'

/** Where rows are. */
export interface At {
  readonly site: bigint
  readonly key?: bigint
}

export interface Table<Row extends object> {
  readonly at: readonly (keyof At)[]
  readonly read: Record<Dialect, string>
  readonly remove: Record<Dialect, string>
  readonly write: RowWriter<Row>
  /** Columns beside `at` hold 64 bits, too. */
  readonly isExact: boolean
}

/** `more`: what tells the rows of one place apart; they are read in its order. */
export function tableOf<Row extends At>(
  name: string,
  at: readonly (keyof At)[],
  ...more: (keyof Row & string)[]
): Table<Row> {
  const types = columnTypes(name)
  const others = [...types.keys()].filter((column) => !at.includes(column as keyof At))
  const here = at.map((column) => `${column} = ?`).join(' AND ')
  const order = (by: readonly string[]) => (more.length === 0 ? '' : ` ORDER BY ${by.join(', ')}`)
  const given = `${unnested(types, at)} AS n (${at.join(', ')})`
  const matching = ['t.bucket = $1', ...at.map((column) => `t.${column} = n.${column}`)].join(' AND ')
  return {
    at,
    read: {
      sqlite: `SELECT ${others.join(', ')} FROM ${name} WHERE ${here}${order(more)}`,
      postgres: `SELECT ${selected(types, 't')} FROM ${given} JOIN ${name} t ON ${matching}${order([...at, ...more].map((column) => `t.${column}`))}`,
    },
    remove: {
      sqlite: `DELETE FROM ${name} WHERE ${here}`,
      postgres: `DELETE FROM ${name} t USING ${given} WHERE ${matching}`,
    },
    write: wholeRowWriter<Row>(name, ...(at as (keyof Row & string)[]), ...more),
    isExact: others.some((column) => KEYS.has(column)),
  }
}

/** The row of one place. The keys are not selected, so that all other columns can be read as plain numbers. */
export function rowAt<Row extends At>(tx: SqliteTx, { read, at, isExact }: Table<Row>, place: At): Row | undefined {
  const values = valuesOf(at, place)
  const row = isExact ? tx.getExact<Row>(read.sqlite, ...values) : tx.get<Row>(read.sqlite, ...values)
  return row && placed(isExact ? keyed(row) : row, at, place)
}

/** All rows of one place, in their order. */
export function rowsAt<Row extends At>(tx: SqliteTx, { read, at }: Table<Row>, place: At): Row[] {
  return tx.allExact<Row>(read.sqlite, ...valuesOf(at, place)).map((row) => placed(keyed(row), at, place))
}

/** In place: copying all columns into another object cost as much as the statement. */
function placed<Row extends object>(row: Row, at: readonly (keyof At)[], { site, key }: At): Row {
  return Object.assign(row, at.length === 1 ? { site } : { site, key })
}

/** The rows of some places on PostgreSQL. */
export async function readRows<Row extends At>(tx: Tx, { read, at }: Table<Row>, places: Iterable<At>): Promise<Row[]> {
  const db = postgresTx(tx)
  const rows = await eachBucket(places, bySite, (bucket, some) =>
    db.allExact<Row>(read.postgres, bucket, ...keysOf(some, at)),
  )
  return rows.flat()
}

/** Rows that are there already are replaced. */
export async function writeAll<Row extends At>(
  tx: Tx,
  { write }: Pick<Table<Row>, 'write'>,
  rows: readonly Row[],
): Promise<void> {
  if (tx.dialect === 'sqlite') for (const row of rows) writeRow(sqliteTx(tx), write, row)
  else await eachBucket(rows, bySite, (bucket, some) => writeBucket(postgresTx(tx), write, bucket, some))
}

export async function removeAll(
  tx: Tx,
  { remove, at }: Pick<Table<object>, 'remove' | 'at'>,
  places: readonly At[],
): Promise<void> {
  if (tx.dialect === 'sqlite') for (const place of places) sqliteTx(tx).run(remove.sqlite, ...valuesOf(at, place))
  else
    await eachBucket(places, bySite, (bucket, some) => postgresTx(tx).run(remove.postgres, bucket, ...keysOf(some, at)))
}

/** Of one place. */
function valuesOf(at: readonly (keyof At)[], { site, key }: At): bigint[] {
  return at.length === 1 ? [site] : [site, key!]
}

function keysOf(places: readonly At[], at: readonly (keyof At)[]): bigint[][] {
  return columnsOf(places, ...at) as bigint[][]
}

/** Which places may have a row that was not read: the others need no look-up. */
export interface PlaceFilter {
  mayHave(place: At): boolean
  add(place: At): void
}

/**
 * The rows of one table in a transaction, one for each place: read, changed in memory, and written together. On SQLite a row is
 * read when it is asked for; on PostgreSQL `read` comes before.
 */
export class TableRows<Row extends At> {
  readonly #tx: Tx
  readonly #table: Table<Row>
  readonly #filter: PlaceFilter | undefined
  /** null: it does not exist. */
  readonly #rows = new Map<bigint | string, Row | null>()
  readonly #changed = new Set<Row>()
  readonly #removed = new Map<bigint | string, At>()

  constructor(tx: Tx, table: Table<Row>, filter?: PlaceFilter) {
    this.#tx = tx
    this.#table = table
    this.#filter = filter
  }

  get(place: At): Row | undefined {
    const name = nameOf(place)
    const known = this.#rows.get(name)
    if (known !== undefined) return known ?? undefined
    if (this.#filter?.mayHave(place) === false) return undefined
    assert(this.#tx.dialect === 'sqlite', 'a row that was not read')
    const row = rowAt(sqliteTx(this.#tx), this.#table, place)
    this.#rows.set(name, row ?? null)
    return row
  }

  isRead(place: At): boolean {
    return this.#rows.has(nameOf(place))
  }

  /** On PostgreSQL, those that were not read before. */
  async read(places: Iterable<At>): Promise<void> {
    if (this.#tx.dialect === 'sqlite') return
    const missing = new Map([...places].map((place) => [nameOf(place), place]))
    for (const name of missing.keys())
      if (this.#rows.has(name)) missing.delete(name)
      else this.#rows.set(name, null)
    for (const row of await readRows(this.#tx, this.#table, missing.values())) this.keep(row)
  }

  /** It equals the row in the database. */
  keep(row: Row): Row {
    this.#rows.set(nameOf(row), row)
    return row
  }

  /** It is new, or was changed. */
  put(row: Row): void {
    const before = this.#rows.get(nameOf(row))
    if (before != null) this.#changed.delete(before)
    this.#changed.add(this.keep(row))
    this.#filter?.add(row)
  }

  remove(place: At): void {
    const name = nameOf(place)
    const before = this.#rows.get(name)
    if (before != null) this.#changed.delete(before)
    this.#rows.set(name, null)
    this.#removed.set(name, place)
  }

  /** What was changed since the last time. */
  async write(): Promise<void> {
    const removed = [...this.#removed.values()].sort(compare)
    const changed = [...this.#changed].sort(compare)
    this.#removed.clear()
    this.#changed.clear()
    await Promise.all([removeAll(this.#tx, this.#table, removed), writeAll(this.#tx, this.#table, changed)])
  }
}

function nameOf({ site, key }: At): bigint | string {
  return key === undefined ? site : `${site} ${key}`
}

/** In the order of their keys rows go in faster. */
function compare(a: At, b: At): number {
  return a.site < b.site ? -1 : a.site > b.site ? 1 : (a.key ?? 0n) < (b.key ?? 0n) ? -1 : 1
}
