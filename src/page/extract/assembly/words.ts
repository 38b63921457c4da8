/**
 * The words of a folded text, as hashes, and its simhash and shape. The text comes in parts, as it does for its digest.
 *
 * Sixty-four characters at a time become a mask of letters, whose runs are words: where each begins and how long it is are two
 * instructions, and its hash (a sum of letters times powers of 65599) is taken of eight letters at once. So no branch depends
 * on where words end, which no processor foresees.
 *
 * Only a string that is left out can hold more than 64 letters in a row: each 64 of them are a word.
 */
import { aboveLow, areLow, BLOCK, DIGIT, HALF, highKinds, LAST_LOW, LETTER_HIGH, LETTER_LOW, lookUp } from './kinds'
import { DATE_BITS, DATE_SLOTS, DATES } from './memory'
import { BATCH, MORE, majority, vote } from './votes'

/** The word that stands for numbers and dates. */
const NUMBER: i32 = 0x23232323

/** Words on their way to be counted; those before them are in front. */
const WORDS: usize = memory.data(16 + 4 * (BATCH + MORE + 8)) + 16
/** The same with each run of numbers as one. */
const SHAPE: usize = memory.data(16 + 4 * (BATCH + MORE + 8)) + 16

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
/** Words that wait, the same as there are of them in the shape, and whether the last of them was a number. */
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
  memory.fill(WORD_VOTES, 0, 4 * 64)
  memory.fill(SHAPE_VOTES, 0, 4 * 64)
}

/** A part, which says how many words it has; no part may end within a word. */
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

/** The words of at most 64 characters; returns where to go on: a word that may not have ended is read again. */
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
  // The word at the end may go on: it is read with what follows.
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

/** Puts the words that runs of letters and single glyphs are behind those that wait, and says which of them have digits. */
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

/** Which of up to 64 words are names of months and days. Nearly all are told to be none by one look. */
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
