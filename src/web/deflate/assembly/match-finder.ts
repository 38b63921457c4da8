/**
 * Finds what has occurred before, in one pass, and counts the symbols as it goes.
 *
 * A table has, for each hash of four bytes, the last two places with such bytes. Each step looks for two positions at once, so at
 * up to four places, and takes the longest of their matches (the later position's only if it is longer: half of what is known as
 * lazy matching). Where there is none, both bytes become literals.
 *
 * A step's time is that of a chain: address → bytes → hash → place → bytes there → how many are equal → next address. Some
 * 40 cycles, whatever else is done beside it; so all choices within a step are made by arithmetic, since a branch that is guessed
 * wrongly costs half a step, and the second place, the second position, the insertions and the counting are nearly free. Measured
 * on pages of 15 KB: one place instead of two, 4 % faster and 4 % longer; no insertion within or behind a match, as fast and 2 %
 * longer; comparing words of 8 bytes instead of vectors, 5 to 10 % slower; a table twice as large, as fast and 0.5 % shorter, not
 * worth its share of the cache; a hash of five bytes, as fast, these pages 2 % shorter, HTML from disks and requests 1 % longer.
 */
import {
  COUNTS_END,
  clear,
  DISTANCE_COUNTS,
  HASH_BITS,
  LENGTH_COUNTS,
  LITERAL_COUNTS,
  PLACES,
  TOKENS,
  WINDOW,
} from './memory'
import { alone, END_OF_BLOCK, lengthOf, match, pair } from './symbols'

const HASHED: u32 = 4
const LONGEST: u32 = 258
const VECTOR: u32 = 16
/** After this many bytes without a match it is not text, and fewer positions are searched. */
const DULL: usize = 512

/** Eight times the hash: the offset of two positions. */
function slotOf(bytes: u32): usize {
  return ((bytes * 0x9e3779b1) >> (32 - HASH_BITS - 3)) & ((8 << HASH_BITS) - 8)
}

function insert(bytes: u32, at: usize): void {
  const slot = slotOf(bytes)
  store<u64>(slot, <u64>at | (load<u64>(slot, PLACES) << 32), PLACES)
}

/** How many of the next 16 bytes are equal, from the first on. */
function equalBytes(a: usize, b: usize): u32 {
  return ctz(~i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b))))
}

function countLiteral(literal: u32, times: u32): void {
  store<u32>(literal << 2, load<u32>(literal << 2, LITERAL_COUNTS) + times, LITERAL_COUNTS)
}

function countLength(length: u32, times: u32): void {
  const index = (length - 3) << 2
  store<u32>(index, load<u32>(index, LENGTH_COUNTS) + times, LENGTH_COUNTS)
}

function countDistance(symbol: u32): void {
  store<u32>(symbol << 2, load<u32>(symbol << 2, DISTANCE_COUNTS) + 1, DISTANCE_COUNTS)
}

/**
 * Returns the end of the tokens, the last of which ends the block. Nothing before the floor is used. Two vectors of
 * zeros must follow the end: a match with them is cut off, and the result must not depend on earlier contents.
 */
export function findMatches(start: usize, end: usize, floor: usize): usize {
  clear(LITERAL_COUNTS, COUNTS_END - LITERAL_COUNTS)
  /** The last position where two can be looked up. */
  const last = end - HASHED - 1
  let dull = start + DULL
  let token = TOKENS
  let at = start
  while (at <= last) {
    const bytes = load<u64>(at)
    const bytes0 = <u32>bytes
    const bytes1 = <u32>(bytes >> 8)
    const slot0 = slotOf(bytes0)
    const places0 = load<u64>(slot0, PLACES)
    store<u64>(slot0, <u64>at | (places0 << 32), PLACES)
    const slot1 = slotOf(bytes1)
    const places1 = load<u64>(slot1, PLACES)
    store<u64>(slot1, <u64>(at + 1) | (places1 << 32), PLACES)

    // Positions of other records, or none (zero), are readable addresses too: the comparison rejects them.
    const low = max<usize>(at - WINDOW, floor)
    const new0 = <usize>places0
    const old0 = <usize>(places0 >> 32)
    const new1 = <usize>places1
    const old1 = <usize>(places1 >> 32)
    const newLength0 = select<u32>(equalBytes(at, new0), 0, new0 >= low)
    const oldLength0 = select<u32>(equalBytes(at, old0), 0, old0 >= low)
    const newLength1 = select<u32>(equalBytes(at + 1, new1), 0, new1 > low)
    const oldLength1 = select<u32>(equalBytes(at + 1, old1), 0, old1 > low)
    const length0 = max(newLength0, oldLength0)
    const length1 = max(newLength1, oldLength1)
    const literal = bytes0 & 255
    if (max(length0, length1) < HASHED) {
      store<u32>(token, pair(literal, bytes1 & 255))
      countLiteral(literal, 1)
      countLiteral(bytes1 & 255, 1)
      token += 4
      at += 2
      if (at > dull) {
        const until = putLiterals(token, at, min<usize>(at + ((at - dull) >> 6), last))
        token += (until - at) << 1
        at = until
      }
      continue
    }

    const from0 = select<usize>(old0, new0, oldLength0 > newLength0)
    const from1 = select<usize>(old1, new1, oldLength1 > newLength1)
    insert(<u32>(bytes >> 16), at + 2)
    insert(<u32>(bytes >> 24), at + 3)

    const isLater = u32(length1 > length0)
    store<u32>(token, alone(literal))
    countLiteral(literal, isLater)
    token += isLater << 2
    at += isLater
    const from = select<usize>(from1, from0, isLater)
    let length = select<u32>(length1, length0, isLater)
    if (length === VECTOR) {
      do {
        const more = equalBytes(at + length, from + length)
        length += more
        if (more < VECTOR) break
      } while (length < LONGEST)
      length = min(length, LONGEST)
    }

    // Distances from 1 on: two symbols for each number of extra bits, but four without any.
    const distance = <u32>(at - from) - 1
    const extraBits = 30 - clz(distance | 2)
    const symbol = (extraBits << 1) + (distance >> extraBits)
    store<u32>(token, match(length, symbol, distance & ((1 << extraBits) - 1)))
    countLength(length, 1)
    countDistance(symbol)
    token += 4
    at += length
    dull = at + DULL
    if (at <= last) insert(load<u32>(at - 1), at - 1)
  }
  return putEnd(token, at, end)
}

/** Literals in pairs without a search, until there or one farther. Returns where it ended. */
function putLiterals(token: usize, at: usize, until: usize): usize {
  for (; at < until; at += 2) {
    const literal = load<u8>(at)
    const second = load<u8>(at, 1)
    store<u32>(token, pair(literal, second))
    countLiteral(literal, 1)
    countLiteral(second, 1)
    token += 4
  }
  return at
}

/** Cuts the last match at the end of the text, or makes literals of the last few bytes. */
function putEnd(token: usize, at: usize, end: usize): usize {
  if (at > end) {
    const cut = <u32>(at - end)
    const tooLong = load<u32>(token - 4)
    countLength(lengthOf(tooLong), -1)
    countLength(lengthOf(tooLong) - cut, 1)
    store<u32>(token - 4, tooLong - cut)
  }
  for (; at < end; at++) {
    store<u32>(token, alone(load<u8>(at)))
    countLiteral(load<u8>(at), 1)
    token += 4
  }
  store<u32>(token, alone(END_OF_BLOCK))
  countLiteral(END_OF_BLOCK, 1)
  return token + 4
}
