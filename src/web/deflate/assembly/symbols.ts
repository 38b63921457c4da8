/** Lengths and distances as the format has them: a symbol with a code, then extra bits. */
import { FIRST_CODES, LENGTH_COUNTS, LITERAL_COUNTS } from './memory'

/**
 * Tokens: the text before it has codes, in 32 bits: two literals, a literal alone, or a match. All are written alike,
 * as two codes and extra bits, without a branch.
 *
 *     bits 0–9    0–255: a literal; 256: the end of the block; 257–512: a length of 3–258
 *     bits 10–18  0–29: the symbol of a distance; 30: nothing; 256–511: a second literal
 *     bits 19–31  the extra bits of the distance
 */

export const END_OF_BLOCK: u32 = 256
const NOTHING: u32 = 30
const SECOND_LITERAL: u32 = 256
/** What is added to a length. */
const ADDED_TO_LENGTH: u32 = 254

export function alone(first: u32): u32 {
  return first | (NOTHING << 10)
}

export function pair(literal: u32, second: u32): u32 {
  return literal | ((SECOND_LITERAL | second) << 10)
}

export function match(length: u32, symbol: u32, extra: u32): u32 {
  return (ADDED_TO_LENGTH + length) | (symbol << 10) | (extra << 19)
}

export function lengthOf(token: u32): u32 {
  return (token & 1023) - ADDED_TO_LENGTH
}

/** Four times the index, as addresses need it. */
export function firstOf(token: u32): usize {
  return (token & 1023) << 2
}

export function secondOf(token: u32): usize {
  return (token >> 8) & 0x7fc
}

export function extraOf(token: u32): u32 {
  return token >> 19
}

/** Bytes, the end of the block and the symbols of lengths. */
export const LITERALS: u32 = 286
export const DISTANCES: u32 = 30
/** The first symbol for lengths. */
export const LENGTHS: u32 = END_OF_BLOCK + 1
/** A length of 258 has its own symbol, without extra bits. */
const LONGEST: u32 = 28

/** Lengths 3–10 have symbols of their own, then four for each number of extra bits. */
export function extraOfLength(symbol: u32): u32 {
  return symbol < 8 || symbol === LONGEST ? 0 : (symbol >> 2) - 1
}

export function extraOfDistance(symbol: u32): u32 {
  return symbol < 4 ? 0 : (symbol >> 1) - 1
}

/** Adds the counts by length to the symbols. */
export function countLengthSymbols(): void {
  let at = LENGTH_COUNTS
  for (let symbol: u32 = 0; symbol < LONGEST; symbol++) {
    let count: u32 = 0
    for (const end = at + (4 << extraOfLength(symbol)); at < end; at += 4) count += load<u32>(at)
    store<u32>((LENGTHS + symbol) << 2, count, LITERAL_COUNTS)
  }
  // The last one also counted 258.
  const longest = load<u32>(LENGTH_COUNTS + 4 * 255)
  const other = LITERAL_COUNTS + 4 * (LENGTHS + LONGEST - 1)
  store<u32>(other, load<u32>(other) - longest)
  store<u32>(other, longest, 4)
}

/** Expands the codes of length symbols to codes of lengths, in place: from the last on, none is overwritten unread. */
export function spreadLengthCodes(): void {
  const codes = FIRST_CODES + 4 * LENGTHS
  store<u32>(codes + 4 * 255, load<u32>(codes + 4 * LONGEST))
  let to = codes + 4 * 255
  for (let symbol = LONGEST - 1; symbol >= 8; symbol--) {
    const extraBits = extraOfLength(symbol)
    const code = load<u32>(codes + (symbol << 2)) + (extraBits << 24)
    const codeBits = (code >> 24) - extraBits
    // 258 is not one of the last symbol's 32 lengths.
    for (let extra: u32 = (1 << extraBits) - 1 - u32(symbol === LONGEST - 1); <i32>extra >= 0; extra--) {
      to -= 4
      store<u32>(to, code + (extra << codeBits))
    }
  }
}
