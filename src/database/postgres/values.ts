/** Converts values to and from PostgreSQL. */
import { assert } from '../../base/assert.ts'

/** What the client library sends as it is: text, or bytes in the binary format. */
export type Bound = string | Buffer | null

/** `element`: what an array holds, when the statement says so. */
export function bound(value: PgValue, element?: ElementType): Bound {
  if (value === null) return null
  if (typeof value === 'string') return storable(value)
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (typeof value !== 'object') return String(value)
  return element === undefined ? arrayText(value) : arrayBytes(value, element)
}

function arrayText(values: readonly PgScalar[]): string {
  return `{${values.map(elementText).join(',')}}`
}

function elementText(value: PgScalar): string {
  if (value === null) return 'NULL'
  if (typeof value === 'string') return `"${storable(value).replace(/["\\]/g, '\\$&')}"`
  if (value instanceof Uint8Array)
    return `"\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}"`
  return String(value)
}

export type Parser = (text: string) => unknown

const BOOL = 16
const BYTEA = 17
const INT8 = 20
const INT2 = 21
const INT4 = 23
const OID = 26
const FLOAT4 = 700
const FLOAT8 = 701
const NUMERIC = 1700

const asIs: Parser = (text) => text
const shared: Readonly<Record<number, Parser>> = {
  [BOOL]: (text) => text === 't',
  // A copy, as from SQLite: a Buffer may share its memory.
  [BYTEA]: (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex')),
  [INT2]: Number,
  [INT4]: Number,
  [OID]: Number,
  [FLOAT4]: Number,
  [FLOAT8]: Number,
}
const parsers = (int8: Parser, numeric: Parser): { getTypeParser(oid: number): Parser } => {
  const all: Readonly<Record<number, Parser>> = { ...shared, [INT8]: int8, [NUMERIC]: numeric }
  return { getTypeParser: (oid) => all[oid] ?? asIs }
}

/** How answers are read: int8 as numbers, or as bigints. */
export const PLAIN = parsers(safeInteger, (text) => (isWhole(text) ? safeInteger(text) : Number(text)))
export const EXACT = parsers(BigInt, (text) => (isWhole(text) ? BigInt(text) : Number(text)))

function isWhole(text: string): boolean {
  return /^-?\d+$/.test(text)
}

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number: read it exactly`)
  return value
}

/**
 * Arrays are sent in PostgreSQL's binary format: 10,000 rows of (bigint, text, bytea) take 5.6 ms, as text 8.5 and by the
 * client library 10, and the server reads them in half the time. The format needs the element type, which the cast in the
 * statement gives (`$1::bigint[]`). Without a cast an array is sent as text.
 */

export type PgScalar = null | number | bigint | string | boolean | Uint8Array
export type PgValue = PgScalar | readonly PgScalar[]

export type ElementType = 'int2' | 'int4' | 'int8' | 'float8' | 'bool' | 'text' | 'bytea'

const NAMES: Readonly<Record<string, ElementType>> = {
  smallint: 'int2',
  int2: 'int2',
  integer: 'int4',
  int: 'int4',
  int4: 'int4',
  bigint: 'int8',
  int8: 'int8',
  'double precision': 'float8',
  float8: 'float8',
  boolean: 'bool',
  bool: 'bool',
  text: 'text',
  bytea: 'bytea',
}

/** By the number of the placeholder, if every use of it has the same cast. */
export function arrayTypesOf(sql: string): ReadonlyMap<number, ElementType> {
  const types = new Map<number, ElementType | undefined>()
  for (const [, number, name] of sql.matchAll(/\$(\d+)(?:::(\w+(?: precision)?)\[\])?/gi)) {
    const placeholder = Number(number)
    const type = name === undefined ? undefined : NAMES[name.toLowerCase()]
    types.set(placeholder, types.has(placeholder) && types.get(placeholder) !== type ? undefined : type)
  }
  return new Map([...types].filter((entry): entry is [number, ElementType] => entry[1] !== undefined))
}

interface Element {
  readonly oid: number
  size(value: NonNullable<PgScalar>): number
  /** Returns the number of bytes written. */
  put(into: Buffer, value: NonNullable<PgScalar>, at: number): number
}

const integer = (oid: number, bytes: 2 | 4): Element => ({
  oid,
  size: () => bytes,
  put(into, value, at) {
    const number = Number(value)
    assert(Number.isInteger(number), `${number} in an array of integers`)
    into.writeIntBE(number, at, bytes)
    return bytes
  },
})

const ELEMENTS: Readonly<Record<ElementType, Element>> = {
  int2: integer(21, 2),
  int4: integer(23, 4),
  int8: {
    oid: 20,
    size: () => 8,
    put(into, value, at) {
      into.writeBigInt64BE(typeof value === 'bigint' ? value : BigInt(value as number), at)
      return 8
    },
  },
  float8: {
    oid: 701,
    size: () => 8,
    put(into, value, at) {
      into.writeDoubleBE(Number(value), at)
      return 8
    },
  },
  bool: {
    oid: 16,
    size: () => 1,
    put(into, value, at) {
      into[at] = value === true ? 1 : 0
      return 1
    },
  },
  text: {
    oid: 25,
    size: (value) => Buffer.byteLength(storable(String(value))),
    put: (into, value, at) => into.write(storable(String(value)), at, 'utf8'),
  },
  bytea: {
    oid: 17,
    size: (value) => (value as Uint8Array).length,
    put(into, value, at) {
      into.set(value as Uint8Array, at)
      return (value as Uint8Array).length
    },
  },
}

const HEAD_BYTES = 20
const NULL_LENGTH = -1

export function arrayBytes(values: readonly PgScalar[], type: ElementType): Buffer {
  const { oid, size, put } = ELEMENTS[type]
  let bytes = HEAD_BYTES
  let hasNulls = 0
  for (const value of values) {
    bytes += 4
    if (value === null) hasNulls = 1
    else bytes += size(value)
  }
  const into = Buffer.allocUnsafe(bytes)
  const dimensions = values.length === 0 ? 0 : 1
  into.writeInt32BE(dimensions, 0)
  into.writeInt32BE(hasNulls, 4)
  into.writeInt32BE(oid, 8)
  into.writeInt32BE(values.length, 12)
  into.writeInt32BE(1, 16)
  if (dimensions === 0) return into.subarray(0, 12)
  let at = HEAD_BYTES
  for (const value of values) {
    const length = value === null ? NULL_LENGTH : put(into, value, at + 4)
    into.writeInt32BE(length, at)
    at += 4 + Math.max(0, length)
  }
  return into
}

/** PostgreSQL has no U+0000 in texts. */
export function storable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text
}
