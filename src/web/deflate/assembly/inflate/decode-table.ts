/**
 * Decoding tables. Codes are visited by length: the table grows with them, and doubling repeats its entries, because
 * the extra index bits do not belong to the code. (After libdeflate.)
 */
import {
  available,
  bitsAt,
  CODE_LENGTHS,
  COUNTS,
  DAMAGED,
  DISTANCE_MEANINGS,
  DISTANCE_TABLE,
  DISTANCE_TABLE_BITS,
  FIXED_TABLES,
  GOING,
  HEADER_LENGTHS,
  HEADER_MEANINGS,
  HEADER_ORDER,
  HEADER_TABLE,
  HEADER_TABLE_BITS,
  HUNGRY,
  LITERAL_MEANINGS,
  LITERAL_TABLE,
  LITERAL_TABLE_BITS,
  PLACES,
  SORTED,
  setPosition,
  TABLES_END,
  USED,
} from './memory'

/**
 * Table entries: what a code means, and how to go on behind it.
 *
 *     bits 0–7    bits of the code and its extra bits together
 *     bits 8–11   bits of the code alone; for a second table: the bits of its index
 *     bit  13     the end of the block
 *     bit  14     a second table
 *     bit  15     not plain: one of the two above, or invalid
 *     bits 16–30  a byte; the least length or distance; where the second table begins
 *     bit  31     a byte
 *
 * A shift uses only the lowest five or six bits of its count, so an entry can be the count as it is.
 */

export const LITERAL: u32 = 1 << 31
export const NOT_PLAIN: u32 = 1 << 15
export const SECOND_TABLE: u32 = 1 << 14
export const END_OF_BLOCK: u32 = 1 << 13
/** No code begins with these bits, or an invalid one. */
export const NOTHING: u32 = NOT_PLAIN

/** Header symbols from here on repeat something: bits 24–30 are the least number of repetitions. */
export const REPEAT_LAST: u32 = 16

export function withCode(meaning: u32, codeBits: u32): u32 {
  return meaning + codeBits * 0x101
}

export function allBits(entry: u32): u32 {
  return entry & 255
}

/** How many positions higher the bits are kept while symbols are decoded. */
export const HIGHER: u32 = 2

/** Length or distance, from the bits that the code begins. */
export function amountOf(entry: u32, bits: u64): u32 {
  return (entry >> 16) + ((<u32>(bits >> HIGHER) & ~((<u32>-1) << entry)) >> (entry >> 8))
}

export function makeMeanings(): void {
  for (let byte: u32 = 0; byte < 256; byte++) store<u32>(byte << 2, LITERAL | (byte << 16), LITERAL_MEANINGS)
  store<u32>(LITERAL_MEANINGS + 4 * 256, NOT_PLAIN | END_OF_BLOCK)
  let length: u32 = 3
  for (let symbol: u32 = 0; symbol < 28; symbol++) {
    const extra: u32 = symbol < 8 ? 0 : (symbol >> 2) - 1
    store<u32>((257 + symbol) << 2, (length << 16) | extra, LITERAL_MEANINGS)
    length += 1 << extra
  }
  store<u32>(LITERAL_MEANINGS + 4 * 285, 258 << 16)
  store<u32>(LITERAL_MEANINGS + 4 * 286, NOTHING)
  store<u32>(LITERAL_MEANINGS + 4 * 287, NOTHING)
  let distance: u32 = 1
  for (let symbol: u32 = 0; symbol < 30; symbol++) {
    const extra: u32 = symbol < 4 ? 0 : (symbol >> 1) - 1
    store<u32>(symbol << 2, (distance << 16) | extra, DISTANCE_MEANINGS)
    distance += 1 << extra
  }
  store<u32>(DISTANCE_MEANINGS + 4 * 30, NOTHING)
  store<u32>(DISTANCE_MEANINGS + 4 * 31, NOTHING)
  makeHeaderMeanings()
}

function makeHeaderMeanings(): void {
  for (let symbol: u32 = 0; symbol < REPEAT_LAST; symbol++) store<u32>(symbol << 2, symbol << 16, HEADER_MEANINGS)
  store<u32>(HEADER_MEANINGS + 4 * 16, (3 << 24) | (16 << 16) | 2)
  store<u32>(HEADER_MEANINGS + 4 * 17, (3 << 24) | (17 << 16) | 3)
  store<u32>(HEADER_MEANINGS + 4 * 18, (11 << 24) | (18 << 16) | 7)
  // 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15.
  store<u32>(HEADER_ORDER, 0x0012_1110)
  for (let index: u32 = 4; index < 19; index++) {
    const step = index >> 1
    store<u8>(HEADER_ORDER + index, <u8>((index & 1) === 0 ? 6 + step : 9 - step))
  }
}

const LONGEST_CODE: u32 = 15

function countOf(length: u32): u32 {
  return load<u32>(length << 2, COUNTS)
}

/** The symbols that have a code: in a page a third of all. Returns the end of their list. */
function listUsed(lengths: usize, symbols: u32): usize {
  let end = USED
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    store<u16>(end, <u16>symbol)
    end += (<usize>(load<u8>(lengths + symbol) !== 0)) << 1
  }
  return end
}

/** Sorts symbols by the length of their code, and counts them. Returns the greatest length. */
function sortSymbols(lengths: usize, symbols: u32): u32 {
  for (let at: usize = 0; at < 4 * 16; at += 16) v128.store(COUNTS + at, i64x2.splat(0))
  const usedEnd = listUsed(lengths, symbols)
  for (let used = USED; used < usedEnd; used += 2) {
    const length = (<u32>load<u8>(lengths + <usize>load<u16>(used))) << 2
    store<u32>(length, load<u32>(length, COUNTS) + 1, COUNTS)
  }
  let longest: u32 = 0
  let place: u32 = 0
  for (let length: u32 = 1; length <= LONGEST_CODE; length++) {
    const count = countOf(length)
    store<u32>(length << 2, place, PLACES)
    place += count << 1
    longest = select<u32>(length, longest, count !== 0)
  }
  for (let used = USED; used < usedEnd; used += 2) {
    const symbol = load<u16>(used)
    const length = (<u32>load<u8>(lengths + <usize>symbol)) << 2
    const to = load<u32>(length, PLACES)
    store<u32>(length, to + 2, PLACES)
    store<u16>(to, symbol, SORTED)
  }
  return longest
}

/** How many codes of the greatest length would still fit; negative: there are too many. */
function roomLeft(): i32 {
  let left: i32 = 1
  for (let length: u32 = 1; length <= LONGEST_CODE; length++) left = (left << 1) - <i32>countOf(length)
  return left
}

/** The next code of the same length, first bit lowest; zero behind the last. */
function nextCode(code: u32, length: u32): u32 {
  const zeros = code ^ ((1 << length) - 1)
  const bit: u32 = zeros === 0 ? 0 : 0x8000_0000 >> clz(zeros)
  return (code & (bit - 1)) | bit
}

/** May write three entries too many. */
function double(table: usize, entries: u32): u32 {
  const bytes = (<usize>entries) << 2
  for (let at: usize = 0; at < bytes; at += 16) v128.store(table + bytes + at, v128.load(table + at))
  return entries << 1
}

/**
 * Returns false for impossible lengths: too many codes, or too few, unless there is one or none, of at most
 * `longestAlone` bits; the unused code then means `missing`.
 */
export function buildTable(
  lengths: usize,
  symbols: u32,
  tableBits: u32,
  meanings: usize,
  table: usize,
  longestAlone: u32,
  missing: u32,
): bool {
  const longest = sortSymbols(lengths, symbols)
  const left = roomLeft()
  if (left < 0 || (left > 0 && longest > longestAlone)) return false
  let sorted = SORTED
  const size: u32 = 1 << tableBits
  if (left > 0) {
    const only = longest === 0 ? missing : load<u32>(meanings + ((<u32>load<u16>(sorted)) << 2))
    store<u32>(table, withCode(only, 1))
    store<u32>(table, withCode(missing, 1), 4)
    for (let entries: u32 = 2; entries < size; ) entries = double(table, entries)
    return true
  }

  let code: u32 = 0
  let entries: u32 = 1
  const longestHere = min(longest, tableBits)
  for (let length: u32 = 1; length <= longestHere; length++) {
    entries = double(table, entries)
    for (let count = countOf(length); count > 0; count--) {
      const symbol = <u32>load<u16>(sorted)
      sorted += 2
      store<u32>(table + (code << 2), withCode(load<u32>(meanings + (symbol << 2)), length))
      code = nextCode(code, length)
    }
  }
  while (entries < size) entries = double(table, entries)
  if (longest > tableBits) buildSecondTables(sorted, code, tableBits, longest, meanings, table)
  return true
}

/** Each as large as its longest code needs. */
function buildSecondTables(
  sorted: usize,
  code: u32,
  tableBits: u32,
  longest: u32,
  meanings: usize,
  table: usize,
): void {
  let prefix: u32 = -1
  let start: u32 = 0
  let end: u32 = 1 << tableBits
  for (let length = tableBits + 1; length <= longest; length++) {
    for (let count = countOf(length); count > 0; count--) {
      if ((code & ((1 << tableBits) - 1)) !== prefix) {
        prefix = code & ((1 << tableBits) - 1)
        start = end
        let bits = length - tableBits
        for (let codes = count; codes < (<u32>1) << bits; ) codes = (codes << 1) + countOf(tableBits + ++bits)
        end = start + (1 << bits)
        store<u32>(table + (prefix << 2), (start << 16) | NOT_PLAIN | SECOND_TABLE | (bits << 8) | tableBits)
      }
      const symbol = <u32>load<u16>(sorted)
      sorted += 2
      const entry = withCode(load<u32>(meanings + (symbol << 2)), length - tableBits)
      for (let at = start + (code >> tableBits); at < end; at += 1 << (length - tableBits))
        store<u32>(table + (at << 2), entry)
      code = nextCode(code, length)
    }
  }
}

/** The codes of a block: the fixed ones, or those of its header, which are coded too. */

/** No valid header has more codes than this. */
const MAX_LITERALS: u32 = 286
const MAX_DISTANCES: u32 = 30
const END_SYMBOL: u32 = 256

/**
 * Consecutive fixed blocks need no copies: a body of nothing else, 10 bits each, would cost ten times what zlib takes.
 */
let areFixed = false

function buildTables(literals: u32, distances: u32): bool {
  areFixed = false
  const distanceLengths = CODE_LENGTHS + literals
  return (
    buildTable(CODE_LENGTHS, literals, LITERAL_TABLE_BITS, LITERAL_MEANINGS, LITERAL_TABLE, 1, NOTHING) &&
    buildTable(distanceLengths, distances, DISTANCE_TABLE_BITS, DISTANCE_MEANINGS, DISTANCE_TABLE, 1, NOTHING)
  )
}

export function makeFixedTables(): void {
  memory.fill(CODE_LENGTHS, 8, 288)
  memory.fill(CODE_LENGTHS + 144, 9, 112)
  memory.fill(CODE_LENGTHS + 256, 7, 24)
  memory.fill(CODE_LENGTHS + 288, 5, 32)
  buildTables(288, 32)
  memory.copy(FIXED_TABLES, LITERAL_TABLE, TABLES_END - LITERAL_TABLE)
}

export function takeFixedTables(): void {
  if (areFixed) return
  areFixed = true
  memory.copy(LITERAL_TABLE, FIXED_TABLES, TABLES_END - LITERAL_TABLE)
}

/**
 * Reads the header at this bit. It may read beyond the end of the input, but reports damage only within it, so the
 * result for a stream that is cut off does not depend on what follows in memory.
 */
export function readCodes(at: u32): i32 {
  const numbers = <u32>bitsAt(at)
  at += 14
  if (at > available) return HUNGRY
  const literals = (numbers & 31) + 257
  const distances = ((numbers >> 5) & 31) + 1
  if (literals > MAX_LITERALS || distances > MAX_DISTANCES) return DAMAGED

  const symbols = ((numbers >> 10) & 15) + 4
  v128.store(HEADER_LENGTHS, i64x2.splat(0))
  store<u32>(HEADER_LENGTHS, 0, 16)
  let bits = bitsAt(at)
  for (let index: u32 = 0; index < symbols; index++) {
    store<u8>(HEADER_LENGTHS + <usize>load<u8>(HEADER_ORDER + index), <u8>bits & 7)
    bits >>= 3
  }
  at += symbols * 3
  if (at > available) return HUNGRY
  // If no symbol has a code, zlib takes each bit for a length of zero, and finds the fault behind them.
  if (!buildTable(HEADER_LENGTHS, 19, HEADER_TABLE_BITS, HEADER_MEANINGS, HEADER_TABLE, 0, 0)) return DAMAGED

  const end = CODE_LENGTHS + literals + distances
  let to = CODE_LENGTHS
  while (to < end) {
    const bits = <u32>bitsAt(at)
    const entry = load<u32>(HEADER_TABLE + ((bits & ((1 << HEADER_TABLE_BITS) - 1)) << 2))
    const symbol = (entry >> 16) & 255
    at += allBits(entry)
    if (symbol < REPEAT_LAST) {
      store<u8>(to++, <u8>symbol)
      continue
    }
    if (at > available) return HUNGRY
    const times = (entry >> 24) + ((bits & ~((<u32>-1) << entry)) >> ((entry >> 8) & 15))
    const isLast = symbol === REPEAT_LAST
    if ((isLast && to === CODE_LENGTHS) || to + times > end) return DAMAGED
    const repeated = i8x16.splat(isLast ? load<i8>(to - 1) : 0)
    const until = to + times
    for (; to < until; to += 16) v128.store(to, repeated)
    to = until
  }
  if (at > available) return HUNGRY
  if (load<u8>(CODE_LENGTHS + END_SYMBOL) === 0 || !buildTables(literals, distances)) return DAMAGED
  setPosition(at)
  return GOING
}
