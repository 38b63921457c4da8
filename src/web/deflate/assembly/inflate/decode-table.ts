/**
 * A table from the lengths of codes. Codes are gone through in their order, which is by length: the table grows with them, and
 * doubling it repeats what is there, which is what bits that do not belong to a code mean. (After libdeflate.)
 */
import { NOT_PLAIN, SECOND_TABLE, withCode } from './entries'
import { COUNTS, PLACES, SORTED, USED } from './memory'

const LONGEST_CODE: u32 = 15

function countOf(length: u32): u32 {
  return load<u32>(length << 2, COUNTS)
}

/** The symbols that have a code: in a page a third of all. Returns where their list ends. */
function listUsed(lengths: usize, symbols: u32): usize {
  let end = USED
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    store<u16>(end, <u16>symbol)
    end += (<usize>(load<u8>(lengths + symbol) !== 0)) << 1
  }
  return end
}

/** Symbols by the length of their code, and how many there are of each. Returns the greatest length. */
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

/** How many codes of the greatest length would still fit in; negative: there are too many. */
function roomLeft(): i32 {
  let left: i32 = 1
  for (let length: u32 = 1; length <= LONGEST_CODE; length++) left = (left << 1) - <i32>countOf(length)
  return left
}

/** The next of the same length, where the first bit of a code is lowest: behind the last is zero. */
function nextCode(code: u32, length: u32): u32 {
  const zeros = code ^ ((1 << length) - 1)
  const bit: u32 = zeros === 0 ? 0 : 0x8000_0000 >> clz(zeros)
  return (code & (bit - 1)) | bit
}

/** It may write three entries too many. */
function double(table: usize, entries: u32): u32 {
  const bytes = (<usize>entries) << 2
  for (let at: usize = 0; at < bytes; at += 16) v128.store(table + bytes + at, v128.load(table + at))
  return entries << 1
}

/**
 * Returns false for lengths that no code has: more codes than there can be, or fewer, unless that is one or none, of at most
 * `longestAlone` bits; what is missing then means `missing`.
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

/** Each as large as its longest code needs, for what the codes that are left have in common in the first table. */
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
