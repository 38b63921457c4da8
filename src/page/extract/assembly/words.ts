/**
 * The words of a folded text, as hashes, and its simhash and shape. The text comes in parts, as for its digest.
 *
 * Sixty-four characters at a time become a mask of letters, whose runs are words: begin and length of each are two
 * instructions, and its hash (a sum of letters times powers of 65599) takes eight letters at once. So no branch depends
 * on word ends, which no processor predicts.
 *
 * Only a string that is left out can have more than 64 letters in a row: each 64 of them are a word.
 */
import { aboveLow, areLow, BLOCK, DIGIT, HALF, highKinds, LAST_LOW, LETTER_HIGH, LETTER_LOW, lookUp } from './kinds'
import { DATE_BITS, DATE_SLOTS, DATES } from './memory'

/**
 * A simhash over shingles of three words: for each of 64 bits, in how many shingles' hashes it is set.
 *
 * Four shingles are hashed at a time. Thirty-two additions for each would cost more than all the rest, so eight times
 * four are added as columns of bits (a carry-save adder: five logical operations add one more in all columns), and only
 * the carries of weight eight are counted, four in the bytes of a lane.
 */
/** Words counted at once, and how many one more block of text can add. */
const BATCH: i32 = 1024
const MORE: i32 = 64
const GROUP: i32 = 32

const SHINGLES: usize = memory.data(4 * (BATCH + MORE + GROUP))
/** Byte b of lane i of vector v counts bit 8b + v, of eights. */
const EIGHTS: usize = memory.data(16 * 8)

/**
 * Counts the shingles that end in `count` words, of which the two before them are part, in 64 counters; then the last two words
 * are the two before. No counter of eights overflows: 34 carries come of a batch, and four lanes of them are 136.
 */
function vote(words: usize, count: i32, votes: usize): void {
  hashShingles(words, count, 0x2c1b3c6d, 0x297a2d39, 1)
  if (votes === WORD_VOTES) takeMinima(count)
  addVotes(count, votes)
  hashShingles(words, count, 0x165667b1, 0x7feb352d, 0x27d4eb2f)
  addVotes(count, votes + 4 * 32)
  memory.copy(words - 8, words + 4 * count - 8, 8)
}

/** Each bit as most of the shingles have it. */
function majority(votes: usize, shingles: i32): u64 {
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

/** The smallest hash in each bin: two texts that share a share of their shingles share that share of the minima. */
function takeMinima(count: i32): void {
  const behind = SHINGLES + 4 * count
  for (let at = SHINGLES; at < behind; at += 4) {
    const hash = load<u32>(at)
    const bin = MINIMA + 2 * (hash & (BINS - 1))
    store<u16>(bin, min<u32>(load<u16>(bin), hash >>> 16))
  }
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

/** The word for numbers and dates. */
const NUMBER: i32 = 0x23232323

/** Words waiting to be counted; those before them are in front. */
const WORDS: usize = memory.data(16 + 4 * (BATCH + MORE + 8)) + 16
/** The same with each run of numbers as one. */
const SHAPE: usize = memory.data(16 + 4 * (BATCH + MORE + 8)) + 16

/** The smallest upper half of the hashes of shingles that end in this bin's number; all ones: none. */
export const BINS: i32 = 64
export const MINIMA: usize = memory.data(2 * BINS)

const WORD_VOTES: usize = memory.data(4 * 64)
const SHAPE_VOTES: usize = memory.data(4 * 64)

/** Powers of 65599: of the last eight letters of a word, of the eight before them, and so on. */
const POWERS: usize = memory.data(4 * MORE)
/** Eight times no bits, eight times all. */
const LAST_LETTERS: usize = memory.data(2 * 16)

/** Below U+0100, where one bit is the case. */
const LOWER_CASE = memory.data<u16>([0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20], 16)

/** Words that were counted. */
let count: i32 = 0
let shapeCount: i32 = 0
/** Waiting words, the same number in the shape, and whether the last of them was a number. */
let waiting: i32 = 0
let shapes: i32 = 0
let wasNumber: i32 = 0

let power: i32 = 1
for (let i = 0; i < MORE; i++) {
  store<i32>(POWERS + 32 * (i >> 3) + 4 * (7 - (i & 7)), power)
  power *= 65599
}
memory.fill(LAST_LETTERS + 16, 0xff, 16)

export function beginWords(): void {
  count = 0
  shapeCount = 0
  waiting = 0
  shapes = 0
  wasNumber = 0
  memory.fill(WORDS - 8, 0, 8)
  memory.fill(SHAPE - 8, 0, 8)
  memory.fill(MINIMA, 0xff, 2 * BINS)
  memory.fill(WORD_VOTES, 0, 4 * 64)
  memory.fill(SHAPE_VOTES, 0, 4 * 64)
}

/** Adds a part and returns how many words it has; no part may end within a word. */
export function hashWords(from: usize, to: usize): i32 {
  const before = count + waiting
  for (let at = from; at < to; ) {
    at = hashBlock(at, to)
    if (waiting >= BATCH) countWords()
  }
  return count + waiting - before
}

export function finishWords(): void {
  countWords()
}

/** Each bit as most shingles have it; 0 for a text without words. */
export function simhash(): u64 {
  return majority(WORD_VOTES, count)
}

export function shape(): u64 {
  return majority(SHAPE_VOTES, shapeCount)
}

/** The words of at most 64 characters; returns where to continue: an unfinished word is read again. */
function hashBlock(at: usize, to: usize): usize {
  const low = v128.load(LETTER_LOW)
  const high = v128.load(LETTER_HIGH)
  const half = v128.load(HALF)
  const digit = v128.load(DIGIT)
  const lastLow = v128.load(LAST_LOW)
  const none = i8x16.splat(0)
  let letters: u64 = 0
  let digits: u64 = 0
  let glyphs: u64 = 0
  for (let i = 0; i < MORE; i += BLOCK) {
    const first = v128.load(at + 2 * i)
    const second = v128.load(at + 2 * i, 16)
    const kinds = lookUp(i8x16.narrow_i16x8_u(first, second), low, high, half)
    digits |= (i8x16.bitmask(i8x16.eq(kinds, digit)) as u64) << i
    let some: u32 = ~i8x16.bitmask(i8x16.eq(kinds, none)) & 0xffff
    if (v128.any_true(aboveLow(first, second, lastLow))) {
      const low: u32 = i8x16.bitmask(areLow(first, second, lastLow))
      const masks = highKinds(at + 2 * i, low)
      some = (some & low) | (((masks >> 16) as u32) & 0xffff)
      glyphs |= (masks & 0xffff) << i
    }
    letters |= (some as u64) << i
  }
  const size = min<i32>(MORE, ((to - at) >> 1) as i32)
  const inside = ~(0 as u64) >> ((MORE - size) as u64)
  letters &= inside
  glyphs &= inside
  let next = at + 2 * size
  // The word at the end may continue: it is read again with what follows.
  if (letters >> 63 !== 0 && next < to) {
    const whole = 64 - clz(~letters)
    if (whole > 0) {
      letters &= ((1 as u64) << whole) - 1
      next = at + 2 * (whole as usize)
    }
  }
  const words = WORDS + 4 * waiting
  const before = waiting
  const numbers = hashRuns(at, letters, glyphs, digits)
  const found = waiting - before
  addToShape(words, found, numbers | dates(words, found))
  return next
}

/** Appends the words that runs of letters and single glyphs make, and returns which of them have digits. */
function hashRuns(at: usize, letters: u64, glyphs: u64, digits: u64): u64 {
  const lowerCase = v128.load(LOWER_CASE)
  const powers = v128.load(POWERS)
  const lastPowers = v128.load(POWERS, 16)
  let numbers: u64 = 0
  let bit: u64 = 1
  let to = WORDS + 4 * waiting
  for (;;) {
    const left = letters | glyphs
    if (left === 0) break
    const first = left & -left
    const from = ctz(left)
    if ((glyphs & first) !== 0) {
      glyphs ^= first
      store<i32>(to, load<u16>(at + 2 * (from as usize)))
    } else {
      // What is added to a run's first letter is carried behind its last.
      const others = letters + first
      numbers |= select<u64>(bit, 0, (digits & letters & ~others) !== 0)
      letters &= others
      const behind = ctz(others)
      store<i32>(to, wordHash(at + 2 * (behind as usize), (behind - from) as usize, lowerCase, powers, lastPowers))
    }
    to += 4
    bit <<= 1
  }
  waiting = ((to - WORDS) >> 2) as i32
  return numbers
}

/** Of the letters before `behind`. */
function wordHash(behind: usize, length: usize, lowerCase: v128, powers: v128, lastPowers: v128): i32 {
  const letters = lastLetters(behind, length, lowerCase)
  let hash = i32x4.add(
    i32x4.mul(i32x4.extend_low_i16x8_u(letters), powers),
    i32x4.mul(i32x4.extend_high_i16x8_u(letters), lastPowers),
  )
  for (let i: usize = 8; i < length; i += 8) {
    const before = lastLetters(behind - 2 * i, length - i, lowerCase)
    hash = i32x4.add(hash, i32x4.mul(i32x4.extend_low_i16x8_u(before), v128.load(POWERS + 4 * i)))
    hash = i32x4.add(hash, i32x4.mul(i32x4.extend_high_i16x8_u(before), v128.load(POWERS + 4 * i, 16)))
  }
  const two = i32x4.add(hash, i8x16.shuffle(hash, hash, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7))
  return i32x4.extract_lane(two, 0) + i32x4.extract_lane(two, 1)
}

/** The last eight of so many letters before `behind`, without their case in ASCII and Latin-1; nothing in front of fewer. */
function lastLetters(behind: usize, length: usize, lowerCase: v128): v128 {
  const eight = v128.load(behind - 16)
  const isLatin = i16x8.eq(i16x8.shr_u(eight, 8), i16x8.splat(0))
  return v128.and(v128.or(eight, v128.and(isLatin, lowerCase)), v128.load(LAST_LETTERS + 2 * min<usize>(length, 8)))
}

/** Up to 64 words, and which of them are numbers. */
function addToShape(words: usize, size: i32, numbers: u64): void {
  let to = SHAPE + 4 * shapes
  if (numbers === 0) {
    for (let i = 0; i < size; i += 4) v128.store(to + 4 * i, v128.load(words + 4 * i))
    shapes += size
    if (size > 0) wasNumber = 0
    return
  }
  let last = wasNumber
  for (let i = 0; i < size; i++) {
    const isNumber = (numbers & 1) as i32
    store<i32>(to, select(NUMBER, load<i32>(words + 4 * i), isNumber))
    // A number after a number is no new word.
    to += 4 * (1 - (isNumber & last))
    last = isNumber
    numbers >>= 1
  }
  wasNumber = last
  shapes = ((to - SHAPE) >> 2) as i32
}

function countWords(): void {
  vote(WORDS, waiting, WORD_VOTES)
  vote(SHAPE, shapes, SHAPE_VOTES)
  count += waiting
  shapeCount += shapes
  waiting = 0
  shapes = 0
}

/** Which of up to 64 words are names of months and days. One look rules out nearly all. */
function dates(words: usize, size: i32): u64 {
  let maybe: u64 = 0
  for (let i = 0; i < size; i++) {
    const word = load<u32>(words + 4 * i)
    const bit: u32 = (load<u32>(DATE_BITS + ((word >>> 3) & 0x7fc)) >>> word) & 1
    maybe |= (bit as u64) << i
  }
  let are: u64 = 0
  for (; maybe !== 0; maybe &= maybe - 1) {
    const i = ctz(maybe)
    if (isDate(load<u32>(words + 4 * (i as usize)))) are |= (1 as u64) << i
  }
  return are
}

function isDate(word: u32): bool {
  let slot = word & (DATE_SLOTS - 1)
  let name = load<u32>(DATES + 4 * slot)
  while (name !== word && name !== 0) {
    slot = (slot + 1) & (DATE_SLOTS - 1)
    name = load<u32>(DATES + 4 * slot)
  }
  return name !== 0
}
