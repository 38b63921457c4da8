/** A block: its tokens in codes of its own or in those that the format fixes, or its bytes as they are, whatever is shortest. */
import { alignToByte, out, putBits, resumeAt, waiting, waitingCount } from './bits'
import { buildCode, codesOfLengths, LONGEST_CODE } from './codes'
import { prepareHeader, putHeader } from './header'
import {
  CODES_END,
  DISTANCE_BITS,
  DISTANCE_COUNTS,
  FIRST_CODES,
  FIXED_CODES,
  LITERAL_BITS,
  LITERAL_COUNTS,
  SECOND_CODES,
  TOKENS,
} from './memory'
import {
  countLengthSymbols,
  DISTANCES,
  extraOfDistance,
  extraOfLength,
  LENGTHS,
  LITERALS,
  spreadLengthCodes,
} from './symbols'
import { extraOf, firstOf, secondOf } from './tokens'

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

/** From codes of symbols to what tokens are written with. For those of distances: `code | its bits << 16 | all bits << 24`. */
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

/** Of so many counters, which must be a multiple of four. */
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

/** At most 48 bits for a token, behind at most 7 that wait. */
function putTokens(end: usize): void {
  let bits = waiting
  let count = waitingCount
  let to = out
  for (let at = TOKENS; at < end; at += 4) {
    const token = load<u32>(at)
    const first = load<u32>(firstOf(token), FIRST_CODES)
    const second = load<u32>(secondOf(token), SECOND_CODES)
    // Shifts are by their lowest bits alone.
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
