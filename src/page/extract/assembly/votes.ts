/**
 * A simhash over shingles of three words: for each of 64 bits, in how many shingles' hashes it is set.
 *
 * Four shingles are hashed at a time. Thirty-two additions for each would cost more than all the rest, so eight times four are
 * added as columns of bits (a carry-save adder: five logical operations add one more in all columns), and only the carries of
 * weight eight are counted, four in the bytes of a lane.
 */
/** Words that are counted at once, and what one more block of text can add. */
export const BATCH: i32 = 1024
export const MORE: i32 = 64
const GROUP: i32 = 32

const SHINGLES: usize = memory.data(4 * (BATCH + MORE + GROUP))
/** Byte b of lane i of vector v counts bit 8b + v, of eights. */
const EIGHTS: usize = memory.data(16 * 8)

/**
 * Counts the shingles that end in `count` words, of which the two before them are part, in 64 counters; then the last two words
 * are the two before. No counter of eights overflows: 34 carries come of a batch, and four lanes of them are 136.
 */
export function vote(words: usize, count: i32, votes: usize): void {
  hashShingles(words, count, 0x2c1b3c6d, 0x297a2d39, 1)
  addVotes(count, votes)
  hashShingles(words, count, 0x165667b1, 0x7feb352d, 0x27d4eb2f)
  addVotes(count, votes + 4 * 32)
  memory.copy(words - 8, words + 4 * count - 8, 8)
}

/** Each bit as most of the shingles have it. */
export function majority(votes: usize, shingles: i32): u64 {
  let word: u64 = 0
  for (let bit = 0; bit < 64; bit++) {
    if (load<i32>(votes + 4 * bit) * 2 > shingles) word |= (1 as u64) << bit
  }
  return word
}

/** Every bit of the words reaches every bit of the hash (the finalizer of MurmurHash3, which is in the public domain). */
function hashShingles(words: usize, count: i32, before: i32, last: i32, own: i32): void {
  const a = i32x4.splat(before)
  const b = i32x4.splat(last)
  const c = i32x4.splat(own)
  const m = i32x4.splat(0x85ebca6b)
  const n = i32x4.splat(0xc2b2ae35)
  const behind = SHINGLES + 4 * count
  for (let to = SHINGLES; to < behind; to += 16) {
    let hash = i32x4.add(i32x4.mul(v128.load(words - 8), a), i32x4.mul(v128.load(words - 4), b))
    hash = i32x4.add(hash, i32x4.mul(v128.load(words), c))
    hash = i32x4.mul(v128.xor(hash, i32x4.shr_u(hash, 16)), m)
    hash = i32x4.mul(v128.xor(hash, i32x4.shr_u(hash, 13)), n)
    v128.store(to, v128.xor(hash, i32x4.shr_u(hash, 16)))
    words += 16
  }
  // The rest of a group counts for nothing.
  memory.fill(behind, 0, 4 * GROUP)
}

function addVotes(count: i32, votes: usize): void {
  memory.fill(EIGHTS, 0, 16 * 8)
  let ones = i32x4.splat(0)
  let twos = i32x4.splat(0)
  let fours = i32x4.splat(0)
  const one = i32x4.splat(0x01010101)
  const behind = SHINGLES + 4 * count
  for (let at = SHINGLES; at < behind; at += 4 * GROUP) {
    // Seven adders: each takes three columns of one weight and leaves one of that weight and one of the next.
    let a = v128.load(at)
    let b = v128.load(at, 16)
    let either = v128.xor(ones, a)
    const twoA = v128.or(v128.and(ones, a), v128.and(either, b))
    ones = v128.xor(either, b)
    a = v128.load(at, 32)
    b = v128.load(at, 48)
    either = v128.xor(ones, a)
    const twoB = v128.or(v128.and(ones, a), v128.and(either, b))
    ones = v128.xor(either, b)
    a = v128.load(at, 64)
    b = v128.load(at, 80)
    either = v128.xor(ones, a)
    const twoC = v128.or(v128.and(ones, a), v128.and(either, b))
    ones = v128.xor(either, b)
    a = v128.load(at, 96)
    b = v128.load(at, 112)
    either = v128.xor(ones, a)
    const twoD = v128.or(v128.and(ones, a), v128.and(either, b))
    ones = v128.xor(either, b)
    either = v128.xor(twos, twoA)
    const fourA = v128.or(v128.and(twos, twoA), v128.and(either, twoB))
    twos = v128.xor(either, twoB)
    either = v128.xor(twos, twoC)
    const fourB = v128.or(v128.and(twos, twoC), v128.and(either, twoD))
    twos = v128.xor(either, twoD)
    either = v128.xor(fours, fourA)
    let eight = v128.or(v128.and(fours, fourA), v128.and(either, fourB))
    fours = v128.xor(either, fourB)
    for (let to = EIGHTS; to < EIGHTS + 16 * 8; to += 16) {
      v128.store(to, i8x16.add(v128.load(to), v128.and(eight, one)))
      eight = i32x4.shr_u(eight, 1)
    }
  }
  for (let bit = 0; bit < 8; bit++) {
    const four = i8x16.shl(v128.and(i32x4.shr_u(fours, bit), one), 2)
    const two = i8x16.shl(v128.and(i32x4.shr_u(twos, bit), one), 1)
    const few = lanes(i8x16.add(four, i8x16.add(two, v128.and(i32x4.shr_u(ones, bit), one))))
    const eights = lanes(v128.load(EIGHTS + 16 * bit))
    for (let byte = 0; byte < 4; byte++) {
      const to = votes + 4 * (8 * byte + bit)
      store<i32>(to, load<i32>(to) + ((few >> (8 * byte)) & 0xff) + 8 * ((eights >> (8 * byte)) & 0xff))
    }
  }
}

/** The four lanes together, byte by byte. */
function lanes(counts: v128): u32 {
  const two = i8x16.add(counts, i8x16.shuffle(counts, counts, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7))
  return i32x4.extract_lane(two, 0) + i32x4.extract_lane(two, 1)
}
