/**
 * Kinds of characters (`KIND` in `text.ts`), sixteen at a time as bit masks.
 *
 * Characters below U+0E00 are classified as bytes: all from U+0100 on are letters, like U+00FF, to which they are
 * narrowed. Each half of a byte is looked up, and the common bits are its kind. Those above are looked up one by one in a
 * table; a page of Han takes a tenth longer for it. A test compares all 65,536 with the table.
 *
 * Constant vectors are loaded from memory, where a loop keeps them: as literals they were made anew each time, which
 * took longer than all the rest.
 */
import { KIND_OF } from './memory'

const LETTER: u8 = 0
const GLYPH: u8 = 3
const WHITE: u8 = 4
const NOTHING: u8 = 5

export const BLOCK: i32 = 16

/** Rows 0, 1, 8, 9 are white, of 2 and A the first, of 7 the last; of A the hyphen that is nothing is 8. */
export const SEEN_HIGH = memory.data<u8>([1, 1, 2, 0, 0, 0, 0, 4, 1, 1, 10, 0, 0, 0, 0, 0], 16)
export const SEEN_LOW = memory.data<u8>([3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9, 1, 5], 16)
export const SOFT_HYPHEN = memory.data<u8>([8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8], 16)
/** Of row 3 digits, which are 1; of 4 and 6 all but the first, of 5 and 7 up to Z; AA, B5, BA; from C0 on all but D7 and F7. */
export const LETTER_HIGH = memory.data<u8>([0, 0, 0, 1, 2, 4, 2, 4, 0, 0, 8, 16, 32, 64, 32, 64], 16)
export const LETTER_LOW = memory.data<u8>(
  [101, 103, 103, 103, 103, 119, 103, 39, 103, 103, 126, 98, 98, 98, 98, 98],
  16,
)
export const DIGIT = memory.data<u8>([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], 16)
export const HALF = memory.data<u8>([15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15], 16)
export const LAST_LOW = memory.data<u16>([0x0dff, 0x0dff, 0x0dff, 0x0dff, 0x0dff, 0x0dff, 0x0dff, 0x0dff], 16)

/** The kinds of sixteen bytes, by the tables of their halves. */
export function lookUp(characters: v128, low: v128, high: v128, half: v128): v128 {
  const upper = v128.and(i16x8.shr_u(characters, 4), half)
  return v128.and(i8x16.swizzle(low, v128.and(characters, half)), i8x16.swizzle(high, upper))
}

/** Not 0 where one of two is too high to be classified as a byte. */
export function aboveLow(first: v128, second: v128, lastLow: v128): v128 {
  return i16x8.sub_sat_u(i16x8.max_u(first, second), lastLow)
}

/** All bits where a character is classified as a byte. */
export function areLow(first: v128, second: v128, lastLow: v128): v128 {
  return i8x16.narrow_i16x8_s(i16x8.le_u(first, lastLow), i16x8.le_u(second, lastLow))
}

/** From U+0E00 on, by the table: glyphs; from bit 16 letters, from bit 32 white space, from bit 48 invisible. `low`: all below. */
export function highKinds(at: usize, low: u32): u64 {
  let masks: u64 = 0
  for (let high = ~low & 0xffff; high !== 0; high &= high - 1) {
    const i = ctz(high)
    const kind = load<u8>(KIND_OF + load<u16>(at + 2 * i))
    if (kind === GLYPH) masks |= (1 as u64) << i
    else if (kind === LETTER) masks |= (1 as u64) << (16 + i)
    else if (kind === WHITE) masks |= (1 as u64) << (32 + i)
    else if (kind === NOTHING) masks |= (1 as u64) << (48 + i)
  }
  return masks
}
