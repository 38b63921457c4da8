/** Values on their way to PostgreSQL and back. */
import { arrayBytes, type ElementType, storable } from './arrays.ts'
import type { PgScalar, PgValue } from './tx.ts'

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
  // A Uint8Array of its own, as SQLite's: a Buffer may be a window on memory that others use.
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
