/** A visit as JSON carries it, and back. */
import type { AgendaItem, PageMemory, Visit } from '../../contracts/visit.ts'
import type { VisitOnTheWire } from './treaty.ts'

type ItemOnTheWire = VisitOnTheWire['agenda'][number]
type MemoryOnTheWire = NonNullable<ItemOnTheWire['before']>

export function visitToWire(visit: Visit): VisitOnTheWire {
  return { ...visit, agenda: visit.agenda.map(itemToWire), known: knownToWire(visit.known) }
}

/** RangeError for keys that are none: everything else has been checked by the schema. */
export function visitFromWire(visit: VisitOnTheWire): Visit {
  return { ...visit, agenda: visit.agenda.map(itemFromWire), known: knownFromWire(visit.known) }
}

function itemToWire({ key, before, ...item }: AgendaItem): ItemOnTheWire {
  return { ...item, key: hex(key), ...(before === undefined ? {} : { before: memoryToWire(before) }) }
}

function itemFromWire({ key, before, ...item }: ItemOnTheWire): AgendaItem {
  return { ...item, key: fromHex(key), ...(before === undefined ? {} : { before: memoryFromWire(before) }) }
}

const memoryToWire = (memory: PageMemory): MemoryOnTheWire => ({
  ...memory,
  textDigest: hex(memory.textDigest),
  simhash: hex(memory.simhash),
})

const memoryFromWire = (memory: MemoryOnTheWire): PageMemory => ({
  ...memory,
  textDigest: fromHex(memory.textDigest),
  simhash: fromHex(memory.simhash),
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
  // Copied, because words must lie at multiples of eight, and the visit goes to another thread as it is.
  const known = new BigUint64Array(bytes.length / 8)
  new Uint8Array(known.buffer).set(bytes)
  return known
}
