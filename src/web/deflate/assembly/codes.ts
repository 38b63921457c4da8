/**
 * Huffman codes of limited length. The tree is built in place from the sorted frequencies (after Moffat and Katajainen,
 * 1995); where it is too deep, what exceeds the limit moves to the deepest free slot above it, which is rare and costs
 * next to nothing. Only symbols that occur are visited: in a page a third of all.
 *
 * A code is `bits | length << 24`, its first bit lowest, as it is written.
 */
import { BITS_COUNTS, BUCKETS, clear, NEXT_CODES, NODES, REVERSED, SORTED, USED } from './memory'

export const LONGEST_CODE: u32 = 15
/** Symbols at least this frequent are few: they are sorted one by one. */
const BUCKET_COUNT: u32 = 64
/** A node: its frequency, later its parent, then its depth, above the symbol. */
const SYMBOL_BITS: u32 = 9
const SYMBOL: u32 = (1 << SYMBOL_BITS) - 1

export function makeReversed(): void {
  for (let byte: u32 = 0; byte < 256; byte++) {
    let reversed: u32 = 0
    for (let bit: u32 = 0; bit < 8; bit++) reversed |= ((byte >> bit) & 1) << (7 - bit)
    store<u8>(REVERSED + byte, reversed)
  }
}

function sorted(index: u32): u32 {
  return load<u32>(index << 2, SORTED)
}

function setSorted(index: u32, node: u32): void {
  store<u32>(index << 2, node, SORTED)
}

function frequencyOf(index: u32): u32 {
  return sorted(index) >> SYMBOL_BITS
}

function setAbove(index: u32, value: u32): void {
  setSorted(index, (value << SYMBOL_BITS) | (sorted(index) & SYMBOL))
}

/** The symbols that occur, at least two: a decoder may refuse an incomplete code. */
function listUsed(counts: usize, symbols: u32): u32 {
  let used: u32 = 0
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    const frequency = load<u32>(counts + (symbol << 2))
    store<u32>(used << 2, symbol, USED)
    store<u32>(used << 2, (frequency << SYMBOL_BITS) | symbol, NODES)
    used += u32(frequency !== 0)
  }
  if (used >= 2) return used
  store<u32>(counts + (load<u32>(counts) === 0 ? 0 : 4), 1)
  return listUsed(counts, symbols)
}

/** The rarest first; among equals the lower symbol. */
function sortNodes(used: u32): void {
  clear(BUCKETS, BUCKET_COUNT << 2)
  for (let index: u32 = 0; index < used; index++) {
    const bucket = min(load<u32>(index << 2, NODES) >> SYMBOL_BITS, BUCKET_COUNT - 1) << 2
    store<u32>(bucket, load<u32>(bucket, BUCKETS) + 1, BUCKETS)
  }
  let before: u32 = 0
  let frequent: u32 = 0
  for (let bucket: u32 = 0; bucket < BUCKET_COUNT; bucket++) {
    const size = load<u32>(bucket << 2, BUCKETS)
    store<u32>(bucket << 2, before, BUCKETS)
    frequent = before
    before += size
  }
  for (let index: u32 = 0; index < used; index++) {
    const node = load<u32>(index << 2, NODES)
    const bucket = min(node >> SYMBOL_BITS, BUCKET_COUNT - 1) << 2
    const to = load<u32>(bucket, BUCKETS)
    store<u32>(bucket, to + 1, BUCKETS)
    setSorted(to, node)
  }
  for (let index = frequent + 1; index < used; index++) {
    const node = sorted(index)
    let to = index
    for (; to > frequent && sorted(to - 1) > node; to--) setSorted(to, sorted(to - 1))
    setSorted(to, node)
  }
}

/** The two rarest nodes without a parent get one, again and again. The last branch is the root. */
function buildTree(used: u32): void {
  let leaf: u32 = 0
  let branch: u32 = 0
  for (let made: u32 = 0; made < used - 1; made++) {
    let frequency: u32 = 0
    for (let child = 0; child < 2; child++) {
      if (branch === made || (leaf < used && frequencyOf(leaf) <= frequencyOf(branch))) {
        frequency += frequencyOf(leaf++)
      } else {
        frequency += frequencyOf(branch)
        setAbove(branch++, made)
      }
    }
    setAbove(made, frequency)
  }
}

/** How many codes of each length there are. */
function countDepths(used: u32, limit: u32): void {
  clear(BITS_COUNTS, 16 << 2)
  store<u32>(1 << 2, 2, BITS_COUNTS)
  setAbove(used - 2, 0)
  for (let index = <i32>used - 3; index >= 0; index--) {
    const depth = (sorted(sorted(index) >> SYMBOL_BITS) >> SYMBOL_BITS) + 1
    setAbove(index, depth)
    // A branch replaces a code of its depth by two longer ones.
    let at = min(depth, limit - 1)
    while (load<u32>(at << 2, BITS_COUNTS) === 0) at--
    store<u32>(at << 2, load<u32>(at << 2, BITS_COUNTS) - 1, BITS_COUNTS)
    store<u32>((at + 1) << 2, load<u32>((at + 1) << 2, BITS_COUNTS) + 2, BITS_COUNTS)
  }
}

/** The rarest symbols get the longest codes. */
function spreadLengths(limit: u32, lengths: usize): void {
  let index: u32 = 0
  for (let length = limit; length > 0; length--) {
    for (let left = load<u32>(length << 2, BITS_COUNTS); left > 0; left--)
      store<u8>(lengths + (sorted(index++) & SYMBOL), <u8>length)
  }
}

/** Codes by length, among equals by symbol: so the lengths determine them. */
function assignCodes(used: u32, lengths: usize, codes: usize): void {
  let first: u32 = 0
  for (let length: u32 = 1; length <= LONGEST_CODE; length++) {
    store<u32>(length << 2, first, NEXT_CODES)
    first = (first + load<u32>(length << 2, BITS_COUNTS)) << 1
  }
  for (let index: u32 = 0; index < used; index++) {
    const symbol = load<u32>(index << 2, USED)
    const length = <u32>load<u8>(lengths + symbol)
    const code = load<u32>(length << 2, NEXT_CODES)
    store<u32>(length << 2, code + 1, NEXT_CODES)
    const reversed = ((<u32>load<u8>(code & 255, REVERSED)) << 8) | <u32>load<u8>(code >> 8, REVERSED)
    store<u32>(codes + (symbol << 2), (reversed >> (16 - length)) | (length << 24))
  }
}

/** How many bits they take together. */
function bitsOf(used: u32, counts: usize, lengths: usize): u32 {
  let bits: u32 = 0
  for (let index: u32 = 0; index < used; index++) {
    const symbol = load<u32>(index << 2, USED)
    bits += load<u32>(counts + (symbol << 2)) * <u32>load<u8>(lengths + symbol)
  }
  return bits
}

/**
 * Lengths of all symbols (zero: unused; there is room for 16 too many), codes of those used. Returns the bits of all.
 */
export function buildCode(counts: usize, symbols: u32, limit: u32, lengths: usize, codes: usize): u32 {
  clear(lengths, (symbols + 15) & ~15)
  const used = listUsed(counts, symbols)
  sortNodes(used)
  buildTree(used)
  countDepths(used, limit)
  spreadLengths(limit, lengths)
  assignCodes(used, lengths, codes)
  return bitsOf(used, counts, lengths)
}

/** Codes for lengths that are given, one for each symbol. */
export function codesOfLengths(symbols: u32, lengths: usize, codes: usize): void {
  clear(BITS_COUNTS, 16 << 2)
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    const length = (<u32>load<u8>(lengths + symbol)) << 2
    store<u32>(length, load<u32>(length, BITS_COUNTS) + 1, BITS_COUNTS)
    store<u32>(symbol << 2, symbol, USED)
  }
  assignCodes(symbols, lengths, codes)
}
