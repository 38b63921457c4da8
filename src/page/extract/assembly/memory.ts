/**
 * The memory layout. Characters are UTF-16 code units. Vectors are read beyond both ends of a text, so each area has a
 * margin.
 */
export const MAX_TEXT: i32 = 1_000_000
/** After this many characters the room left is checked, and strings to be left out are shortened. */
export const PIECE: i32 = 1024
/** Characters of a page in memory at once; most pages have fewer. */
export const WINDOW: i32 = 64 * 1024
/** Characters beside the window: decoded references, and texts of their own. */
export const ASIDE: i32 = 8 * 1024
/** Runs that wait to be folded. */
export const MAX_RUNS: i32 = 4096

const MARGIN: i32 = 128

/** By code unit: its kind (`kinds.ts`). Filled from outside. */
export const KIND_OF: usize = memory.data(0x10000)
/**
 * Names of months and days, by their hashes: one bit for each of 16,384 remainders, and the hashes, each in the first
 * free slot from its remainder on. Filled from outside.
 */
export const DATE_BITS: usize = memory.data(2048)
export const DATE_SLOTS: i32 = 512
export const DATES: usize = memory.data(4 * DATE_SLOTS)

/** Two numbers per run: its address and the gap before it, its length. */
export const RUNS: usize = memory.data(8 * MAX_RUNS)
export const WINDOW_AT: usize = memory.data(2 * WINDOW + MARGIN)
export const ASIDE_AT: usize = memory.data(2 * ASIDE + MARGIN)

const TEXT_AT: usize = memory.data(MARGIN + 2 * MAX_TEXT + MARGIN)
export const TEXT: usize = TEXT_AT + MARGIN

export const RESULT: usize = memory.data(64)
