/**
 * Prepared statements that are sent together, in one piece and with one Sync. With a Sync each, as the client library sends
 * them, the server answers each by a system call of its own, and describes its columns every time.
 */
import type { Writable } from 'node:stream'
import pg from 'pg'
import { assert } from '../../base/assert.ts'
import { type Bound, EXACT, PLAIN } from './values.ts'

export interface QueryResult {
  readonly rows: object[]
  /** Rows changed or returned. */
  readonly count: number
  /** PostgreSQL's command tag: a COMMIT that failed is answered by ROLLBACK. */
  readonly command: string
}

export interface BatchedStatement {
  readonly text: string
  /** Under which it is prepared. */
  readonly name: string
  readonly values: readonly Bound[]
  /** int8 as bigint. */
  readonly exact: boolean
  resolve(result: QueryResult): void
  reject(error: unknown): void
}

/** The statements of a connection, by their names. */
export type Prepared = Map<string, PreparedStatement>

interface PreparedStatement {
  /** What it returns, if it was asked and does. */
  columns?: Columns
}

type Parser = (text: string) => unknown

interface Columns {
  readonly names: readonly string[]
  /** Rows that are copies of one object are made and read faster. */
  readonly empty: Readonly<Record<string, unknown>>
  readonly plain: readonly Parser[]
  readonly exact: readonly Parser[]
}

/** Returns the columns of its cursor. Those of other statements never change: PostgreSQL refuses them then. */
const VARIES = /^FETCH /

/** The protocol counts them in 16 bits. */
const MAX_VALUES = 65_535

/** As if PostgreSQL itself had been asked after the failure: in_failed_sql_transaction. */
const AFTER_A_FAILURE = '25P02'

/** The client library refuses other classes while statements are pipelined: one may answer no more than one Sync. */
export class Batch extends pg.Query {
  readonly query_timeout: number
  readonly #prepared: Prepared
  readonly #statements: BatchedStatement[] = []
  /** The same as they are prepared. */
  readonly #used: PreparedStatement[] = []
  /** Prepared by this batch: the place of the first statement that uses it. */
  readonly #preparing = new Map<string, number>()
  /** How many are answered. */
  #answered = 0
  #rows: object[] = []
  #misread: { error: unknown } | undefined

  constructor(prepared: Prepared, timeoutMs: number) {
    super('', () => {})
    this.#prepared = prepared
    this.query_timeout = timeoutMs
    this.submit = ({ stream }: { stream: Writable }) => {
      if (stream.writable) stream.write(this.#message())
    }
  }

  get size(): number {
    return this.#statements.length
  }

  /** Throws before anything of it is sent. */
  add(statement: BatchedStatement): void {
    assert(statement.values.length <= MAX_VALUES, 'a statement with too many values')
    this.#statements.push(statement)
  }

  #message(): Buffer {
    const writer = new Writer()
    for (const [place, { text, name, values }] of this.#statements.entries()) {
      const known = this.#prepared.get(name)
      const statement = known ?? {}
      this.#used.push(statement)
      if (known === undefined) {
        this.#prepared.set(name, statement)
        this.#preparing.set(name, place)
        // An earlier batch may have failed after it was prepared. It is no error when there is none.
        writer.message('C', () => writer.text('S').cString(name))
        writer.message('P', () => writer.cString(name).cString(text).int16(0))
      }
      writer.message('B', () => bind(writer, name, values))
      if (known === undefined || VARIES.test(text)) writer.message('D', () => writer.text('P').cString(''))
      writer.message('E', () => writer.cString('').int32(0))
    }
    writer.message('S', () => writer)
    return writer.bytes()
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    const names = fields.map(({ name }) => name)
    this.#used[this.#answered].columns = {
      names,
      empty: Object.fromEntries(names.map((name) => [name, null])),
      plain: fields.map(({ dataTypeID }) => PLAIN.getTypeParser(dataTypeID)),
      exact: fields.map(({ dataTypeID }) => EXACT.getTypeParser(dataTypeID)),
    }
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    if (this.#misread !== undefined) return
    try {
      const { columns } = this.#used[this.#answered]
      // Another batch was to describe it, failed, and this one was sent already. In a transaction this one fails too.
      assert(columns !== undefined, 'an answer whose columns are not known')
      const { names, empty } = columns
      const parsers = this.#statements[this.#answered].exact ? columns.exact : columns.plain
      const row = { ...empty }
      for (let at = 0; at < fields.length; at++) {
        const text = fields[at]
        if (text !== null) row[names[at]] = parsers[at](text)
      }
      this.#rows.push(row)
    } catch (error) {
      this.#misread = { error }
    }
  }

  /** `SELECT 3`, `INSERT 0 2`, `CREATE TABLE`, `BEGIN`. */
  handleCommandComplete({ text }: { text: string }): void {
    const count = Number(/\d+$/.exec(text)?.[0] ?? 0)
    const [command] = text.split(' ')
    const { resolve, reject } = this.#statements[this.#answered++]
    if (this.#misread === undefined) resolve({ rows: this.#rows, count, command })
    else reject(this.#misread.error)
    this.#misread = undefined
    this.#rows = []
  }

  /** The answer to a statement that is empty but for comments. */
  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  /** The server skips the rest. */
  handleError(error: Error): void {
    const [failed, ...rest] = this.#statements.slice(this.#answered)
    for (const [name, place] of this.#preparing) if (place >= this.#answered) this.#prepared.delete(name)
    this.#answered = this.#statements.length
    failed?.reject(error)
    for (const { reject } of rest)
      reject(Object.assign(new Error('an earlier statement has failed'), { code: AFTER_A_FAILURE }))
    this.#end(error)
  }

  handleReadyForQuery(): void {
    this.#end(null)
  }

  /** The library stops its timer. */
  #end(error: Error | null): void {
    ;(this as unknown as { callback(error: Error | null): void }).callback(error)
  }
}

const BYTES = 1

function bind(writer: Writer, name: string, values: readonly Bound[]): void {
  writer.cString('').cString(name).int16(values.length)
  for (const value of values) writer.int16(typeof value === 'object' && value !== null ? BYTES : 0)
  writer.int16(values.length)
  for (const value of values)
    if (value === null) writer.int32(-1)
    else if (typeof value === 'string') writer.sized(value)
    else writer.int32(value.length).buffer(value)
  // All answers as text.
  writer.int16(0)
}

/** Messages of PostgreSQL's protocol, one behind the other. */
class Writer {
  #into = Buffer.allocUnsafe(4096)
  #at = 0

  bytes(): Buffer {
    return this.#into.subarray(0, this.#at)
  }

  message(code: string, fill: () => unknown): void {
    this.text(code)
    const from = this.#at
    this.int32(0)
    fill()
    this.#into.writeInt32BE(this.#at - from, from)
  }

  int16(value: number): this {
    this.#at = this.#room(2).writeUInt16BE(value, this.#at)
    return this
  }

  int32(value: number): this {
    this.#at = this.#room(4).writeInt32BE(value, this.#at)
    return this
  }

  text(value: string): this {
    const bytes = value.length < SHORT ? value.length * MAX_UTF8 : Buffer.byteLength(value)
    this.#at += this.#room(bytes).write(value, this.#at)
    return this
  }

  cString(value: string): this {
    this.text(value)
    this.#at = this.#room(1).writeUInt8(0, this.#at)
    return this
  }

  buffer(value: Buffer): this {
    this.#at += value.copy(this.#room(value.length), this.#at)
    return this
  }

  /** With its length before it. */
  sized(value: string): this {
    const from = this.#at
    this.int32(0).text(value)
    this.#into.writeInt32BE(this.#at - from - 4, from)
    return this
  }

  #room(bytes: number): Buffer {
    if (this.#at + bytes > this.#into.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#into.length, this.#at + bytes))
      this.#into.copy(larger, 0, 0, this.#at)
      this.#into = larger
    }
    return this.#into
  }
}

/** Bytes per UTF-16 unit. Counting them takes longer than copying a short text. */
const MAX_UTF8 = 3
const SHORT = 1000
