/**
 * The lines of the folded text as hashes, so that a later look can say which of them changed (`change/sketch.ts`): eight
 * characters at a time, in four lanes.
 */

/** Text after this many lines counts as one line. */
export const MAX_LINES: i32 = 8192
export const LINES: usize = memory.data(4 * MAX_LINES)
/** Masks of the first 0 to 7 of eight characters. */
const FIRST: usize = memory.data(16 * 8)
for (let count = 0; count < 8; count++) memory.fill(FIRST + 16 * count, 0xff, 2 * count)
const MULTIPLIERS = memory.data<i32>([1, 0x2c1b3c6d, 0x297a2d39, 0x165667b1], 16)

export let lines: i32 = 0

export function hashLines(from: usize, to: usize): void {
  const lineEnd = i16x8.splat(10)
  const prime = i32x4.splat(0x85ebca6b)
  lines = 0
  for (let at = from; at < to; at += 2) {
    const start = at
    let hash = i32x4.splat(0)
    for (;;) {
      let eight = v128.load(at)
      let ends: u32 = i16x8.bitmask(i16x8.eq(eight, lineEnd))
      const left = ((to - at) >> 1) as i32
      if (left < 8) ends |= 1 << left
      const count: i32 = ctz(ends)
      if (ends !== 0) eight = v128.and(eight, v128.load(FIRST + 16 * count))
      hash = i32x4.mul(v128.xor(hash, eight), prime)
      hash = v128.xor(hash, i32x4.shr_u(hash, 15))
      if (ends !== 0) {
        at += 2 * count
        break
      }
      at += 16
    }
    if (at > start) add(finished(i32x4.mul(hash, v128.load(MULTIPLIERS)), ((at - start) >> 1) as i32))
  }
}

function finished(lanes: v128, length: i32): i32 {
  let hash = length + i32x4.extract_lane(lanes, 0) + i32x4.extract_lane(lanes, 1)
  hash += i32x4.extract_lane(lanes, 2) + i32x4.extract_lane(lanes, 3)
  hash = (hash ^ (hash >>> 16)) * 0x85ebca6b
  hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35
  return hash ^ (hash >>> 16)
}

function add(hash: i32): void {
  if (lines < MAX_LINES) store<i32>(LINES + 4 * lines++, hash)
  else store<i32>(LINES + 4 * (MAX_LINES - 1), load<i32>(LINES + 4 * (MAX_LINES - 1)) + hash)
}
