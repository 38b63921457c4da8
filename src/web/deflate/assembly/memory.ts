/**
 * The memory layout. The module uses no stack, no heap and no static data: addresses are constants, which the compiler
 * folds into the instructions. What a page touches (32 KB of positions, its text, its tokens) nearly fits into the
 * first cache.
 */

/** How far back a match may lie. */
export const WINDOW: u32 = 32768
/** A chunk becomes one block: as much as one stored block can hold, so it can always be written. */
export const CHUNK: u32 = 65535
/** Vectors are read and words are written beyond the end; no match is longer. */
const BEYOND: usize = 320

/** By hash: the last two addresses with such bytes. */
export const HASH_BITS: u32 = 12
export const PLACES: usize = 1024
export const PLACES_END: usize = PLACES + (8 << HASH_BITS)

/** The input, one record after the other until it is full. */
export const ARENA: usize = PLACES_END
export const ARENA_END: usize = ARENA + 256 * 1024
/** Four bytes each; at worst one for each byte of a chunk, and the end of the block. */
export const TOKENS: usize = ARENA_END + BEYOND
/** At worst a stored block, with the header and the trailer of gzip. */
export const OUTPUT: usize = TOKENS + 4 * (<usize>CHUNK + 1) + BEYOND

/** The codes of tokens: see symbols.ts for the indices, codes.ts for the values. */
export const SECOND_CODES: usize = (OUTPUT + CHUNK + BEYOND) & ~15
export const FIRST_CODES: usize = SECOND_CODES + 4 * 256
export const CODES_END: usize = FIRST_CODES + 4 * 528
/** The same for the fixed codes. */
export const FIXED_CODES: usize = CODES_END

/** Counts of symbols; lengths are counted by length, then added to their symbols behind the literals. */
export const LITERAL_COUNTS: usize = FIXED_CODES + CODES_END - SECOND_CODES
export const LENGTH_COUNTS: usize = LITERAL_COUNTS + 4 * 288
export const DISTANCE_COUNTS: usize = LENGTH_COUNTS + 4 * 256
export const COUNTS_END: usize = DISTANCE_COUNTS + 4 * 32

/** Code lengths of literals and lengths, and those of distances. */
export const LITERAL_BITS: usize = COUNTS_END
export const DISTANCE_BITS: usize = LITERAL_BITS + 288
/** Both in a row as in the header, and a sentinel that ends the last run. */
export const ALL_BITS: usize = DISTANCE_BITS + 32

/** The header of a block says how long the codes are, in symbols that have codes too. */
export const HEADER_SYMBOLS: usize = ALL_BITS + 320
export const HEADER_COUNTS: usize = HEADER_SYMBOLS + 2 * 320
export const HEADER_BITS: usize = HEADER_COUNTS + 4 * 32
export const HEADER_CODES: usize = HEADER_BITS + 32
export const HEADER_ORDER: usize = HEADER_CODES + 4 * 32

/** While a code is built: the used symbols, in order and as nodes of a tree; counts by frequency and by length. */
export const USED: usize = HEADER_ORDER + 32
export const NODES: usize = USED + 4 * 288
export const SORTED: usize = NODES + 4 * 288
export const BUCKETS: usize = SORTED + 4 * 288
export const BITS_COUNTS: usize = BUCKETS + 4 * 64
export const NEXT_CODES: usize = BITS_COUNTS + 4 * 16

export const REVERSED: usize = NEXT_CODES + 4 * 16
export const END: usize = REVERSED + 256

/**
 * With vectors: the fill instruction leaves the module, which costs as much as half a kilobyte. Both are multiples of
 * 16.
 */
export function clear(at: usize, bytes: usize): void {
  for (const end = at + bytes; at < end; at += 16) v128.store(at, i64x2.splat(0))
}

/** Bits on their way to the output: fewer than eight wait between two writes. */

export let waiting: u64 = 0
export let waitingCount: u32 = 0
/** Where the next byte goes. */
export let out: usize = OUTPUT

export function beginStream(): void {
  resumeAt(0, 0, OUTPUT)
}

/** The output has been taken; waiting bits stay. */
export function beginOutput(): void {
  out = OUTPUT
}

/** For callers that keep the three in locals while they write much. */
export function resumeAt(bits: u64, count: u32, to: usize): void {
  waiting = bits
  waitingCount = count
  out = to
}

/** At most 56. */
export function putBits(bits: u64, count: u32): void {
  waiting |= bits << waitingCount
  waitingCount += count
  store<u64>(out, waiting)
  out += waitingCount >> 3
  waiting >>= waitingCount & 56
  waitingCount &= 7
}

/** Fills the current byte. */
export function alignToByte(): void {
  putBits(0, -waitingCount & 7)
}
