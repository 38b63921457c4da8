/**
 * What the text has become, before it has codes: 32 bits that hold either two literals, or a literal alone, or a match. All are
 * written alike, as two codes and extra bits, so that nothing has to be asked about them.
 *
 *     bits 0–9    0–255: a literal; 256: the end of the block; 257–512: a length of 3–258
 *     bits 10–18  0–29: the symbol of a distance; 30: nothing; 256–511: a second literal
 *     bits 19–31  the extra bits of the distance
 */

export const END_OF_BLOCK: u32 = 256
const NOTHING: u32 = 30
const SECOND_LITERAL: u32 = 256
/** What is added to a length. */
const LENGTHS: u32 = 254

export function alone(first: u32): u32 {
  return first | (NOTHING << 10)
}

export function pair(literal: u32, second: u32): u32 {
  return literal | ((SECOND_LITERAL | second) << 10)
}

export function match(length: u32, symbol: u32, extra: u32): u32 {
  return (LENGTHS + length) | (symbol << 10) | (extra << 19)
}

export function lengthOf(token: u32): u32 {
  return (token & 1023) - LENGTHS
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
