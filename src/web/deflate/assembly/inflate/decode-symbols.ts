/**
 * Decodes bytes and matches until the block ends or something else stops it. While there is enough input it runs
 * unchecked; the rest is decoded one by one.
 *
 * The cost is the chain from one symbol to the next: an index, an entry, a shift. So the bits are kept two positions
 * higher, which makes them an index of four-byte entries without a shift, and the next entry is looked up before a
 * match is copied. (The first took a page's symbols from 17 µs to 16, the second to 15.)
 */
import { allBits, amountOf, END_OF_BLOCK, HIGHER, NOT_PLAIN, SECOND_TABLE } from './decode-table'
import {
  available,
  BLOCK_ENDS,
  bitsAt,
  DAMAGED,
  DISTANCE_TABLE,
  DISTANCE_TABLE_BITS,
  FULL,
  GOING,
  HUNGRY,
  INPUT,
  LITERAL_TABLE,
  LITERAL_TABLE_BITS,
  out,
  position,
  REPEATS,
  STEPS,
  setOut,
  setPosition,
} from './memory'

/** More bytes than two literals and a match take. */
const ENOUGH: usize = 16
/** The longest distance: a code of 15 bits, and 13 more. */
const DISTANCE_BITS: u32 = 28

function literalEntry(bits: u64): u32 {
  return load<u32>(<u32>bits & (((1 << LITERAL_TABLE_BITS) - 1) << HIGHER), LITERAL_TABLE)
}

function distanceEntry(bits: u64): u32 {
  return load<u32>(<u32>bits & (((1 << DISTANCE_TABLE_BITS) - 1) << HIGHER), DISTANCE_TABLE)
}

/** In the second table, by the bits behind those that led to it. */
function secondEntry(entry: u32, bits: u64, table: usize): u32 {
  const index = (entry >> 16) + (<u32>(bits >> HIGHER) & ~((<u32>-1) << ((entry >> 8) & 15)))
  return load<u32>(table + (index << 2))
}

function isLiteral(entry: u32): bool {
  return <i32>entry < 0
}

/** Until `end`, or one match farther. Nothing before `floor` is copied. */
export function decodeSymbols(end: usize, floor: usize): i32 {
  const status = decodeMany(end, floor)
  return status === GOING ? decodeEach(end, floor) : status
}

/**
 * `count` is the number of valid bits; only its lowest six bits count, so whole entries can be subtracted from it. The
 * bits above are input too: loading them again changes nothing. Each round begins with at least 49: two literals from
 * the first table and a length take 42.
 */
function decodeMany(end: usize, floor: usize): i32 {
  const last = INPUT + (available >> 3) - ENOUGH
  let at = INPUT + (position >> 3)
  if (at > last) return GOING
  let to = out
  let status = GOING
  let bits = (load<u64>(at) >> (position & 7)) << HIGHER
  let count: u32 = 56 - (position & 7) + HIGHER
  at += 7
  let entry = literalEntry(bits)
  while (at <= last) {
    if (to >= end) {
      status = FULL
      break
    }
    let before = bits
    bits >>= entry
    count -= entry
    if (isLiteral(entry)) {
      store<u8>(to++, <u8>(entry >> 16))
      entry = literalEntry(bits)
      before = bits
      bits >>= entry
      count -= entry
      if (isLiteral(entry)) {
        store<u8>(to++, <u8>(entry >> 16))
        entry = literalEntry(bits)
        before = bits
        bits >>= entry
        count -= entry
        if (isLiteral(entry)) {
          store<u8>(to++, <u8>(entry >> 16))
          bits |= load<u64>(at) << count
          at += 7 - ((count >> 3) & 7)
          count |= 56
          entry = literalEntry(bits)
          continue
        }
      }
    }
    if (entry & NOT_PLAIN) {
      if (entry & SECOND_TABLE) {
        entry = secondEntry(entry, bits, LITERAL_TABLE)
        before = bits
        bits >>= entry
        count -= entry
        if (isLiteral(entry)) {
          store<u8>(to++, <u8>(entry >> 16))
          bits |= load<u64>(at) << count
          at += 7 - ((count >> 3) & 7)
          count |= 56
          entry = literalEntry(bits)
          continue
        }
      }
      if (entry & NOT_PLAIN) {
        status = entry & END_OF_BLOCK ? BLOCK_ENDS : DAMAGED
        break
      }
    }
    const length = amountOf(entry, before)
    if ((count & 63) < DISTANCE_BITS + HIGHER) {
      bits |= load<u64>(at) << count
      at += 7 - ((count >> 3) & 7)
      count |= 56
    }
    entry = distanceEntry(bits)
    if (entry & NOT_PLAIN) {
      if (entry & SECOND_TABLE) {
        bits >>= DISTANCE_TABLE_BITS
        count -= DISTANCE_TABLE_BITS
        entry = secondEntry(entry, bits, DISTANCE_TABLE)
      }
      if (entry & NOT_PLAIN) {
        status = DAMAGED
        break
      }
    }
    const distance = amountOf(entry, bits)
    if (distance > <u32>(to - floor)) {
      status = DAMAGED
      break
    }
    bits >>= entry
    count -= entry
    bits |= load<u64>(at) << count
    at += 7 - ((count >> 3) & 7)
    count |= 56
    entry = literalEntry(bits)
    copyMatch(to, distance, length)
    to += length
  }
  setPosition(((<u32>(at - INPUT)) << 3) - ((count & 63) - HIGHER))
  setOut(to)
  return status
}

/** A symbol counts only if all of its bits are there; otherwise it is taken back. */
function decodeEach(end: usize, floor: usize): i32 {
  while (out < end) {
    const bits = bitsAt(position) << HIGHER
    const entry = wholeEntry(literalEntry(bits), bits, LITERAL_TABLE, LITERAL_TABLE_BITS)
    let next = position + allBits(entry)
    if (next > available) return HUNGRY
    if (isLiteral(entry)) {
      store<u8>(out, <u8>(entry >> 16))
      setOut(out + 1)
    } else if (entry & NOT_PLAIN) {
      setPosition(next)
      return entry & END_OF_BLOCK ? BLOCK_ENDS : DAMAGED
    } else {
      const behind = bits >> entry
      const second = wholeEntry(distanceEntry(behind), behind, DISTANCE_TABLE, DISTANCE_TABLE_BITS)
      next += allBits(second)
      if (next > available) return HUNGRY
      const distance = amountOf(second, behind)
      if (second & NOT_PLAIN || distance > <u32>(out - floor)) return DAMAGED
      const length = amountOf(entry, bits)
      copyMatch(out, distance, length)
      setOut(out + length)
    }
    setPosition(next)
  }
  return FULL
}

/** As if there were one table: with the bits of both. */
function wholeEntry(entry: u32, bits: u64, table: usize, tableBits: u32): u32 {
  if ((entry & SECOND_TABLE) === 0) return entry
  return secondEntry(entry, bits >> tableBits, table) + tableBits * 0x101
}

/** Copies earlier output, which may overlap the copy. Up to 32 bytes more are written behind it. */

const VECTOR: u32 = 16

export function makeRepeats(): void {
  for (let distance: u32 = 1; distance < VECTOR; distance++) {
    for (let byte: u32 = 0; byte < VECTOR; byte++) store<u8>(REPEATS + distance * VECTOR + byte, <u8>(byte % distance))
    store<u8>(STEPS + distance, <u8>(VECTOR - (VECTOR % distance)))
  }
}

export function copyMatch(to: usize, distance: u32, length: u32): void {
  const end = to + length
  if (distance >= VECTOR) {
    let from = to - distance
    v128.store(to, v128.load(from))
    v128.store(to, v128.load(from, VECTOR), VECTOR)
    for (to += 2 * VECTOR; to < end; to += VECTOR) {
      v128.store(to, v128.load(from, 2 * VECTOR))
      from += VECTOR
    }
  } else {
    const bytes = v128.swizzle(v128.load(to - distance), v128.load(REPEATS + distance * VECTOR))
    const step = <usize>load<u8>(STEPS + distance)
    for (; to < end; to += step) v128.store(to, bytes)
  }
}
