/** Why something came to its end. */

/** What is there is not enough to know what follows: only this is taken back. */
export const HUNGRY: i32 = 0
/** As much came out as was asked for, or up to a match and some bytes more. */
export const FULL: i32 = 1
export const DONE: i32 = 2
export const DAMAGED: i32 = 3
/** Not yet at the end: nothing stands against going on. */
export const GOING: i32 = 4
export const BLOCK_ENDS: i32 = 5
