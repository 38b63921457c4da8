/**
 * Kinds of characters (`KIND` in `text.ts`), sixteen at a time as bit masks.
 *
 * Characters below U+0E00 are classified as bytes: all from U+0100 on are letters, like U+00FF, to which they are
 * narrowed. Each half of a byte is looked up, and the common bits are its kind. Above, the common glyphs, letters and
 * marks are found by comparisons; any other sends its block to the table. A test compares all 65,536 with the table.
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

/** From where, and how many more: glyphs are Thai to Myanmar, Kana to Yi, full width; letters Hangul, and halves of pairs. */
const GLYPHS = memory.data<u16>([0x0e00, 0x029f, 0x3021, 0x74ae, 0xff00, 0x00ef])
const LETTERS = memory.data<u16>([0xaa80, 0x4e7f])
/** Dashes and quotes, more of them, arrows and shapes; commas and brackets of Han. */
const MARKS = memory.data<u16>([0x2010, 0x0017, 0x2030, 0x002e, 0x2190, 0x0a6f, 0x3001, 0x0002, 0x3008, 0x0018])

/** From U+0E00 on: glyphs; from bit 16 letters, from bit 32 white space, from bit 48 invisible. `low`: all below. */
export function highKinds(at: usize, low: u32): u64 {
  const first = v128.load(at)
  const second = v128.load(at, 16)
  const glyphs = among(first, second, GLYPHS, 3)
  const letters = among(first, second, LETTERS, 1)
  if ((low | glyphs | letters | among(first, second, MARKS, 5)) === 0xffff) return (glyphs | (letters << 16)) as u64
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

/** Which of sixteen are in one of some ranges. */
function among(first: v128, second: v128, ranges: usize, count: i32): u32 {
  let inFirst = i16x8.splat(0)
  let inSecond = i16x8.splat(0)
  for (let i = 0; i < count; i++) {
    const from = v128.load16_splat(ranges + 4 * i)
    const more = v128.load16_splat(ranges + 4 * i, 2)
    inFirst = v128.or(inFirst, i16x8.le_u(i16x8.sub(first, from), more))
    inSecond = v128.or(inSecond, i16x8.le_u(i16x8.sub(second, from), more))
  }
  return i8x16.bitmask(i8x16.narrow_i16x8_s(inFirst, inSecond))
}
