/** The memory layout of the inflater: constants, without stack, heap and static data. */

/** How far back a match may lie. */
export const WINDOW: u32 = 32768
/** Longer input comes piece by piece. A header, which is read whole or not at all, has at most 600 bytes. */
export const INPUT_BYTES: u32 = 65536
/** Output per call; a window of it is kept for what follows. */
export const OUTPUT_BYTES: u32 = 256 * 1024
/** Words are read and vectors are written beyond the end, behind a match that may begin right before it. */
const BEYOND: usize = 512

export const INPUT: usize = 1024
export const OUTPUT: usize = INPUT + INPUT_BYTES + BEYOND
export const OUTPUT_END: usize = OUTPUT + OUTPUT_BYTES

/**
 * First tables, indexed by so many bits. Longer codes continue in second tables behind them: at worst 294 entries more
 * of literals and lengths, 146 more of distances.
 */
export const LITERAL_TABLE_BITS: u32 = 11
export const DISTANCE_TABLE_BITS: u32 = 8
export const HEADER_TABLE_BITS: u32 = 7
export const LITERAL_TABLE: usize = OUTPUT_END + BEYOND
export const DISTANCE_TABLE: usize = LITERAL_TABLE + 4 * ((1 << LITERAL_TABLE_BITS) + 304)
export const TABLES_END: usize = DISTANCE_TABLE + 4 * ((1 << DISTANCE_TABLE_BITS) + 160)
/** The same for the fixed codes. */
export const FIXED_TABLES: usize = TABLES_END
export const HEADER_TABLE: usize = FIXED_TABLES + TABLES_END - LITERAL_TABLE

/** Meanings of symbols, as table entries without the bits of their codes. */
export const LITERAL_MEANINGS: usize = HEADER_TABLE + 4 * ((1 << HEADER_TABLE_BITS) + 16)
export const DISTANCE_MEANINGS: usize = LITERAL_MEANINGS + 4 * 288
export const HEADER_MEANINGS: usize = DISTANCE_MEANINGS + 4 * 32

/**
 * Code lengths: of literals and lengths, right behind them those of distances, and room for what a run writes too much.
 */
export const CODE_LENGTHS: usize = HEADER_MEANINGS + 4 * 32
export const HEADER_LENGTHS: usize = CODE_LENGTHS + 352
export const HEADER_ORDER: usize = HEADER_LENGTHS + 32

/** While a table is built: the used symbols, counts by length, where each length begins, and all by length. */
export const USED: usize = HEADER_ORDER + 32
export const COUNTS: usize = USED + 2 * 304
export const PLACES: usize = COUNTS + 4 * 16
export const SORTED: usize = PLACES + 4 * 16

/** For distances below 16: the bytes that make a vector, and how many of these are whole repetitions. */
export const REPEATS: usize = SORTED + 2 * 288
export const STEPS: usize = REPEATS + 16 * 16
export const END: usize = STEPS + 16

/** Why decoding stopped. */

/** There is not enough input to go on. */
export const HUNGRY: i32 = 0
/** The output is full, perhaps by a match more. */
export const FULL: i32 = 1
export const DONE: i32 = 2
export const DAMAGED: i32 = 3
/** Not at the end: it may go on. */
export const GOING: i32 = 4
export const BLOCK_ENDS: i32 = 5

/** How far the input has been read, in bits, and where the output goes. */

/** From the beginning of the present input. */
export let position: u32 = 0
/** Bits of the present input. */
export let available: u32 = 0
/** Where the next byte goes. */
export let out: usize = OUTPUT

export function setPosition(bit: u32): void {
  position = bit
}

export function setAvailable(bits: u32): void {
  available = bits
}

export function setOut(at: usize): void {
  out = at
}

/** At least 57 bits; those behind the end of the input are undefined. */
export function bitsAt(bit: u32): u64 {
  return load<u64>(INPUT + (bit >> 3)) >> (bit & 7)
}
