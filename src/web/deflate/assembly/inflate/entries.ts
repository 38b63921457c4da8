/**
 * Entries of tables: what a code means, with all that is needed to go on behind it.
 *
 *     bits 0–7    of the code and the extra bits behind it together
 *     bits 8–11   of the code alone; where there is a second table: what that one is indexed by
 *     bit  13     the end of the block
 *     bit  14     a second table
 *     bit  15     not plain: one of the two above, or nothing that may come
 *     bits 16–30  a byte; the least length or distance; where the second table begins
 *     bit  31     a byte
 *
 * Shifts are by the lowest five or six bits alone, so that an entry can be shifted by as it is.
 */
import { DISTANCE_MEANINGS, HEADER_MEANINGS, HEADER_ORDER, LITERAL_MEANINGS } from './memory'

export const LITERAL: u32 = 1 << 31
export const NOT_PLAIN: u32 = 1 << 15
export const SECOND_TABLE: u32 = 1 << 14
export const END_OF_BLOCK: u32 = 1 << 13
/** No code begins with these bits, or one that stands for nothing. */
export const NOTHING: u32 = NOT_PLAIN

/** Symbols of the header from here on repeat something: they have a number to begin with in the bits 24–30. */
export const REPEAT_LAST: u32 = 16

export function withCode(meaning: u32, codeBits: u32): u32 {
  return meaning + codeBits * 0x101
}

export function allBits(entry: u32): u32 {
  return entry & 255
}

/** How much higher than they could the next bits lie where symbols are decoded. */
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
