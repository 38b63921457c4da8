/** Lengths and distances as the format has them: a symbol with a code, then extra bits as they are. */
import { FIRST_CODES, LENGTH_COUNTS, LITERAL_COUNTS } from './memory'
import { END_OF_BLOCK } from './tokens'

/** Bytes, the end of the block and the symbols of lengths. */
export const LITERALS: u32 = 286
export const DISTANCES: u32 = 30
/** The first of those for lengths. */
export const LENGTHS: u32 = END_OF_BLOCK + 1
/** A length of 258 has one for itself, without extra bits. */
const LONGEST: u32 = 28

/** Lengths 3–10 have symbols of their own, then there are four for each number of extra bits. */
export function extraOfLength(symbol: u32): u32 {
  return symbol < 8 || symbol === LONGEST ? 0 : (symbol >> 2) - 1
}

export function extraOfDistance(symbol: u32): u32 {
  return symbol < 4 ? 0 : (symbol >> 1) - 1
}

/** What was counted by length is brought to the symbols. */
export function countLengthSymbols(): void {
  let at = LENGTH_COUNTS
  for (let symbol: u32 = 0; symbol < LONGEST; symbol++) {
    let count: u32 = 0
    for (const end = at + (4 << extraOfLength(symbol)); at < end; at += 4) count += load<u32>(at)
    store<u32>((LENGTHS + symbol) << 2, count, LITERAL_COUNTS)
  }
  // The last has counted 258 as one of its own.
  const longest = load<u32>(LENGTH_COUNTS + 4 * 255)
  const other = LITERAL_COUNTS + 4 * (LENGTHS + LONGEST - 1)
  store<u32>(other, load<u32>(other) - longest)
  store<u32>(other, longest, 4)
}

/**
 * The codes of the symbols of lengths become codes of lengths with their extra bits. They lie where those go; from the last on,
 * none is overwritten before it is read.
 */
export function spreadLengthCodes(): void {
  const codes = FIRST_CODES + 4 * LENGTHS
  store<u32>(codes + 4 * 255, load<u32>(codes + 4 * LONGEST))
  let to = codes + 4 * 255
  for (let symbol = LONGEST - 1; symbol >= 8; symbol--) {
    const extraBits = extraOfLength(symbol)
    const code = load<u32>(codes + (symbol << 2)) + (extraBits << 24)
    const codeBits = (code >> 24) - extraBits
    // Of the last symbol's 32 lengths, 258 is not one.
    for (let extra: u32 = (1 << extraBits) - 1 - <u32>(symbol === LONGEST - 1); <i32>extra >= 0; extra--) {
      to -= 4
      store<u32>(to, code + (extra << codeBits))
    }
  }
}
