/** A block: its tokens in codes of its own or in the fixed ones, or its bytes as they are, whichever is shortest. */

import { buildCode, codesOfLengths, LONGEST_CODE } from './codes'
import {
  ALL_BITS,
  alignToByte,
  CODES_END,
  clear,
  DISTANCE_BITS,
  DISTANCE_COUNTS,
  FIRST_CODES,
  FIXED_CODES,
  HEADER_BITS,
  HEADER_CODES,
  HEADER_COUNTS,
  HEADER_ORDER,
  HEADER_SYMBOLS,
  LITERAL_BITS,
  LITERAL_COUNTS,
  out,
  putBits,
  resumeAt,
  SECOND_CODES,
  TOKENS,
  waiting,
  waitingCount,
} from './memory'
import {
  countLengthSymbols,
  DISTANCES,
  extraOf,
  extraOfDistance,
  extraOfLength,
  firstOf,
  LENGTHS,
  LITERALS,
  secondOf,
  spreadLengthCodes,
} from './symbols'

const STORED: u32 = 0
const FIXED: u32 = 1
const OWN: u32 = 2

const FIXED_DISTANCE: u32 = 5

export function makeFixedCodes(): void {
  memory.fill(LITERAL_BITS, 8, 288)
  memory.fill(LITERAL_BITS + 144, 9, 112)
  memory.fill(LITERAL_BITS + 256, 7, 24)
  codesOfLengths(288, LITERAL_BITS, FIRST_CODES)
  memory.fill(DISTANCE_BITS, <u8>FIXED_DISTANCE, 32)
  codesOfLengths(32, DISTANCE_BITS, SECOND_CODES)
  finishCodes()
  memory.copy(FIXED_CODES, SECOND_CODES, CODES_END - SECOND_CODES)
}

/** From codes of symbols to codes of tokens. For distances: `code | its bits << 16 | all bits << 24`. */
function finishCodes(): void {
  spreadLengthCodes()
  for (let symbol: u32 = 0; symbol < DISTANCES; symbol++) {
    const code = load<u32>(symbol << 2, SECOND_CODES)
    store<u32>(symbol << 2, (code + (extraOfDistance(symbol) << 24)) | ((code >> 24) << 16), SECOND_CODES)
  }
  // A token's second may be nothing, which takes no bits.
  store<u32>(SECOND_CODES + 4 * DISTANCES, 0)
}

function extraBits(): u32 {
  let bits: u32 = 0
  for (let symbol: u32 = 0; symbol < LITERALS - LENGTHS; symbol++)
    bits += load<u32>((LENGTHS + symbol) << 2, LITERAL_COUNTS) * extraOfLength(symbol)
  for (let symbol: u32 = 0; symbol < DISTANCES; symbol++)
    bits += load<u32>(symbol << 2, DISTANCE_COUNTS) * extraOfDistance(symbol)
  return bits
}

/** The number of counters must be a multiple of four. */
function sumOf(counts: usize, counters: u32): u32 {
  let sums = i32x4.splat(0)
  for (const end = counts + (counters << 2); counts < end; counts += 16) sums = i32x4.add(sums, v128.load(counts))
  return (
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3)
  )
}

function fixedBits(): u32 {
  return (
    8 * sumOf(LITERAL_COUNTS, 144) +
    9 * sumOf(LITERAL_COUNTS + 4 * 144, 112) +
    7 * sumOf(LITERAL_COUNTS + 4 * 256, 24) +
    8 * sumOf(LITERAL_COUNTS + 4 * 280, 8) +
    FIXED_DISTANCE * sumOf(DISTANCE_COUNTS, 32)
  )
}

/** At most 48 bits per token, behind at most 7 that wait. */
function putTokens(end: usize): void {
  let bits = waiting
  let count = waitingCount
  let to = out
  for (let at = TOKENS; at < end; at += 4) {
    const token = load<u32>(at)
    const first = load<u32>(firstOf(token), FIRST_CODES)
    const second = load<u32>(secondOf(token), SECOND_CODES)
    // A shift uses only the lowest bits of its count.
    const secondBits = (second & 0xffff) | (extraOf(token) << (second >> 16))
    bits |= (((<u64>secondBits) << (first >> 24)) | <u64>(first & 0xffffff)) << count
    count += (first >> 24) + (second >> 24)
    store<u64>(to, bits)
    to += count >> 3
    bits >>= count & 56
    count &= 7
  }
  resumeAt(bits, count, to)
}

function putStored(start: usize, length: u32): void {
  alignToByte()
  putBits(length | ((length ^ 0xffff) << 16), 32)
  memory.copy(out, start, length)
  resumeAt(0, 0, out + length)
}

export function putBlock(start: usize, length: u32, tokensEnd: usize, isLast: bool): void {
  countLengthSymbols()
  const literals = buildCode(LITERAL_COUNTS, LITERALS, LONGEST_CODE, LITERAL_BITS, FIRST_CODES)
  const distances = buildCode(DISTANCE_COUNTS, DISTANCES, LONGEST_CODE, DISTANCE_BITS, SECOND_CODES)
  const own = literals + distances + prepareHeader()
  const fixed = fixedBits()
  const stored = (length + 4) << 3
  if (min(own, fixed) + extraBits() > stored) {
    putBits(<u32>isLast | (STORED << 1), 3)
    putStored(start, length)
  } else if (own < fixed) {
    putBits(<u32>isLast | (OWN << 1), 3)
    putHeader()
    finishCodes()
    putTokens(tokensEnd)
  } else {
    putBits(<u32>isLast | (FIXED << 1), 3)
    memory.copy(SECOND_CODES, FIXED_CODES, CODES_END - SECOND_CODES)
    putTokens(tokensEnd)
  }
}

/** The header of a block with codes of its own: their lengths, run-length coded, in codes once more. */

/** Lengths 0–15 themselves, then: repeat the last one, zeros, more zeros. */
const AGAIN: u32 = 16
const ZEROS: u32 = 17
const MANY_ZEROS: u32 = 18
const SYMBOLS: u32 = 19
const LONGEST_HEADER_CODE: u32 = 7

let literals: u32 = 0
let distances: u32 = 0
let symbols: u32 = 0
let lengths: u32 = 0

/** The order of the header's own code lengths: rarely needed ones last, where they can be left out. */
export function makeHeaderOrder(): void {
  store<u32>(HEADER_ORDER, AGAIN | (ZEROS << 8) | (MANY_ZEROS << 16))
  for (let step: u32 = 0; step < 8; step++) {
    store<u8>(HEADER_ORDER + 4 + 2 * step, <u8>(8 + step))
    store<u8>(HEADER_ORDER + 5 + 2 * step, <u8>(7 - step))
  }
}

function headerExtraOf(symbol: u32): u32 {
  return symbol < AGAIN ? 0 : symbol === AGAIN ? 2 : symbol === ZEROS ? 3 : 7
}

function usedOf(lengthsAt: usize, count: u32): u32 {
  while (load<u8>(lengthsAt + count - 1) === 0) count--
  return count
}

function add(symbol: u32, extra: u32): void {
  store<u16>(HEADER_SYMBOLS + (symbols++ << 1), <u16>(symbol | (extra << 8)))
  store<u32>(symbol << 2, load<u32>(symbol << 2, HEADER_COUNTS) + 1, HEADER_COUNTS)
}

function addRun(length: u32, run: u32): void {
  if (length === 0) {
    for (; run > 10; run -= min<u32>(run, 138)) add(MANY_ZEROS, min<u32>(run, 138) - 11)
    if (run > 2) {
      add(ZEROS, run - 3)
      return
    }
  } else if (run > 3) {
    add(length, 0)
    for (run--; run > 2; run -= min<u32>(run, 6)) add(AGAIN, min<u32>(run, 6) - 3)
  }
  for (; run > 0; run--) add(length, 0)
}

/** For the current lengths. Returns how many bits it takes. */
export function prepareHeader(): u32 {
  literals = usedOf(LITERAL_BITS, LITERALS)
  distances = usedOf(DISTANCE_BITS, DISTANCES)
  memory.copy(ALL_BITS, LITERAL_BITS, literals)
  memory.copy(ALL_BITS + literals, DISTANCE_BITS, distances)
  store<u8>(ALL_BITS + literals + distances, 255)
  clear(HEADER_COUNTS, 4 * 32)
  symbols = 0
  for (let at: u32 = 0; at < literals + distances; ) {
    const length = load<u8>(at, ALL_BITS)
    let run: u32 = 1
    while (load<u8>(at + run, ALL_BITS) === length) run++
    addRun(length, run)
    at += run
  }
  const bits = buildCode(HEADER_COUNTS, SYMBOLS, LONGEST_HEADER_CODE, HEADER_BITS, HEADER_CODES)
  lengths = SYMBOLS
  while (load<u8>(HEADER_BITS + load<u8>(lengths - 1, HEADER_ORDER)) === 0) lengths--
  return 14 + 3 * lengths + bits + headerExtraBits()
}

function headerExtraBits(): u32 {
  let bits: u32 = 0
  for (let symbol = AGAIN; symbol <= MANY_ZEROS; symbol++)
    bits += load<u32>(symbol << 2, HEADER_COUNTS) * headerExtraOf(symbol)
  return bits
}

export function putHeader(): void {
  putBits((literals - 257) | ((distances - 1) << 5) | ((lengths - 4) << 10), 14)
  for (let at: u32 = 0; at < lengths; at++) putBits(load<u8>(HEADER_BITS + load<u8>(at, HEADER_ORDER)), 3)
  for (let at: u32 = 0; at < symbols; at++) {
    const value = <u32>load<u16>(at << 1, HEADER_SYMBOLS)
    const code = load<u32>((value & 255) << 2, HEADER_CODES)
    const length = code >> 24
    putBits((code & 0xffffff) | ((value >> 8) << length), length + headerExtraOf(value & 255))
  }
}
