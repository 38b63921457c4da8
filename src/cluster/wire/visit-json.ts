/**
 * The contracts' values as JSON. 64-bit keys are 16 hex digits and `known` is base64 of little-endian words: 100,000 of
 * them, the maximum, take 2–3 ms to write and 1–2 to read, in 1.07 MB. A binary body would save a quarter of the bytes
 * and half of that time, once per visit of minutes.
 */
import Type, { type Static, type TProperties } from 'typebox'
import type { SiteMemory } from '../../contracts/site-memory.ts'
import { type AgendaItem, type KnownPage, MAX_SKETCH, type Visit } from '../../contracts/visit.ts'
import { LONGEST_VALIDATOR } from '../../web/http/validators.ts'
import { MAX_ANSWER_BYTES } from './protocol.ts'

/** What a caller sends: with other fields it is refused. */
export const closed = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })
export const oneOf = <Name extends string>(...names: readonly Name[]) =>
  Type.Unsafe<Name>(Type.Union(names.map((name) => Type.Literal(name))))

/** Longer URLs are not fetched. */
const Url = Type.String({ minLength: 1, maxLength: 10_000 })
const Key = Type.String({ pattern: '^[0-9a-f]{16}$', description: '64 bits in hex' })
const Count = Type.Integer({ minimum: 0 })
const Instant = Type.Number({ description: 'milliseconds since 1970' })
export const Duration = Type.Number({ description: 'milliseconds' })
export const SiteName = Type.String({ minLength: 1, maxLength: 300 })
export const VisitName = Type.String({ pattern: '^[0-9a-f]{16}\\.[1-9][0-9]{0,14}$', description: 'site and fence' })
export const Address = Type.String({ minLength: 2, maxLength: 64, pattern: '^[0-9a-fA-F.:%a-z]+$' })
export const LONGEST_DIGEST = 200
export const Digest = Type.String({ minLength: 1, maxLength: LONGEST_DIGEST, description: 'sha1: and Base32' })

const KnownPageSchema = Type.Object({
  was: oneOf('kept', 'moved', 'read'),
  digest: Digest,
  textDigest: Key,
  simhash: Key,
  etag: Type.Optional(Type.String({ maxLength: LONGEST_VALIDATOR })),
  lastModified: Type.Optional(Type.String({ maxLength: LONGEST_VALIDATOR })),
  captured: Type.Optional(Type.Object({ url: Url, at: Instant })),
  looks: Type.Optional(Count),
  lookedAt: Type.Optional(Instant),
  sketch: Type.Optional(Type.String({ maxLength: 2 * MAX_SKETCH, contentEncoding: 'base64' })),
})

export const ItemSchema = Type.Object({
  url: Url,
  key: Key,
  depth: Count,
  dueAt: Instant,
  via: Type.Optional(Type.String()),
  tries: Count,
  path: Type.String({ maxLength: 50 }),
  before: Type.Optional(KnownPageSchema),
  hint: Type.Optional(Instant),
})

/** Passed through unread; unknown fields are kept. */
const Memory = Type.Unsafe<SiteMemory>(
  Type.Object({
    robots: Type.Object({}),
    fetched: Type.Number(),
    duplicates: Type.Number(),
    deepest: Type.Number(),
    silent: Type.Number(),
  }),
)

export const VisitOnTheWire = Type.Object({
  id: VisitName,
  fence: Type.Integer({ minimum: 1 }),
  site: SiteName,
  address: Type.Optional(Type.String()),
  agenda: Type.Array(ItemSchema),
  known: Type.Union([
    Type.Literal('too many'),
    Type.String({ maxLength: MAX_ANSWER_BYTES, contentEncoding: 'base64', description: 'keys, little-endian' }),
  ]),
  memory: Memory,
  wait: Duration,
  pause: Duration,
  limits: Type.Object({ pages: Count, time: Duration }),
  lease: Duration,
})
export type VisitOnTheWire = Static<typeof VisitOnTheWire>

export const CopyOnTheWire = Type.Object({ url: Type.String(), at: Instant })

/** `NowReading` of the thread's slot. */
export const Reading = Type.Object({
  count: Count,
  visit: VisitName,
  fence: Type.Integer({ minimum: 1 }),
  site: SiteName,
  item: Type.Object({
    url: Url,
    depth: Count,
    via: Type.Optional(Type.String({ maxLength: 10_000 })),
    path: Type.String({ maxLength: 50 }),
    tries: Count,
  }),
})

type ItemOnTheWire = VisitOnTheWire['agenda'][number]
type MemoryOnTheWire = NonNullable<ItemOnTheWire['before']>

export function visitToWire(visit: Visit): VisitOnTheWire {
  return { ...visit, agenda: visit.agenda.map(itemToWire), known: knownToWire(visit.known) }
}

/** Throws a RangeError for invalid keys; the schema has checked everything else. */
export function visitFromWire(visit: VisitOnTheWire): Visit {
  return { ...visit, agenda: visit.agenda.map(itemFromWire), known: knownFromWire(visit.known) }
}

function itemToWire({ key, before, ...item }: AgendaItem): ItemOnTheWire {
  return { ...item, key: hex(key), ...(before === undefined ? {} : { before: memoryToWire(before) }) }
}

function itemFromWire({ key, before, ...item }: ItemOnTheWire): AgendaItem {
  return { ...item, key: fromHex(key), ...(before === undefined ? {} : { before: memoryFromWire(before) }) }
}

const memoryToWire = ({ sketch, ...memory }: KnownPage): MemoryOnTheWire => ({
  ...memory,
  textDigest: hex(memory.textDigest),
  simhash: hex(memory.simhash),
  ...(sketch && { sketch: Buffer.from(sketch).toString('base64') }),
})

const memoryFromWire = ({ sketch, ...memory }: MemoryOnTheWire): KnownPage => ({
  ...memory,
  textDigest: fromHex(memory.textDigest),
  simhash: fromHex(memory.simhash),
  ...(sketch !== undefined && { sketch: Uint8Array.from(Buffer.from(sketch, 'base64')) }),
})

const hex = (key: bigint): string => BigInt.asUintN(64, key).toString(16).padStart(16, '0')
const fromHex = (text: string): bigint => BigInt(`0x${text}`)

function knownToWire(known: Visit['known']): string {
  if (known === 'too many') return known
  return Buffer.from(known.buffer, known.byteOffset, known.byteLength).toString('base64')
}

function knownFromWire(text: string): Visit['known'] {
  if (text === 'too many') return text
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length % 8 !== 0) throw new RangeError('known keys of another length')
  // Copied: words must be aligned to eight bytes, and the visit is transferred to another thread.
  const known = new BigUint64Array(bytes.length / 8)
  new Uint8Array(known.buffer).set(bytes)
  return known
}
