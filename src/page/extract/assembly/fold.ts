/**
 * Folds runs of a page's characters into its text: white space folded, one line per block, long strings left out.
 *
 * Sixteen characters at a time become a mask of white space. Where no two white ones are adjacent, which is most of a
 * page, the block is copied as it is; otherwise up to the second of them, and so on.
 *
 * A string that is left out still distinguishes pages, so it is hashed together with the text before it when it goes:
 * the digest is that of the text with all its strings. Pages without such strings, which are most, are hashed at once
 * in the end.
 */
import { beginDigest, digest } from './digest'
import { aboveLow, areLow, BLOCK, HALF, highKinds, LAST_LOW, lookUp, SEEN_HIGH, SEEN_LOW, SOFT_HYPHEN } from './kinds'
import { PIECE, TEXT } from './memory'
import { beginWords, hashWords } from './words'

/** Characters of a string that may be a word. */
const LONGEST_WORD: i32 = 30
/** Characters of a string that may be a name made of words, like identifiers and URLs; longer ones are data. */
const LONGEST_NAME: i32 = 256
const SPACE: u16 = 32
const LF: u16 = 10
const SPACES = memory.data<u16>([32, 32, 32, 32, 32, 32, 32, 32], 16)

/** Behind the last character of the text. */
let end: usize = TEXT
export let leftOut: i32 = 0
export let strings: i32 = 0
/** Characters of strings that are longer than a name. */
export let data: i32 = 0
/** Of the text. */
export let words: i32 = 0
export let isCut: bool = false
let most: i32 = 0
/** What separates the text from what follows: nothing, a space, a line end. */
let gap: i32 = 0
/** Characters of the current or last string; a short one may be counted shorter. */
let string: i32 = 0
/** Up to here the text is hashed. */
let hashed: usize = TEXT

export function beginText(limit: i32): void {
  end = TEXT
  leftOut = 0
  strings = 0
  data = 0
  words = 0
  isCut = false
  most = limit
  // White space before the first letter is none.
  gap = 1
  string = 0
  hashed = TEXT
  beginDigest()
  beginWords()
}

export function textLength(): i32 {
  return ((end - TEXT) >> 1) as i32
}

export function addRun(at: usize, count: i32, gapBefore: i32): void {
  if (gapBefore > gap) gap = gapBefore
  for (let left = count; left > 0 && !isCut; left -= PIECE) {
    if (string > PIECE) shorten()
    const size = fitting(min(left, PIECE))
    fold(at, size)
    at += 2 * size
  }
}

export function endText(): void {
  if (string > LONGEST_WORD) {
    leaveOut(0, end)
    if (end > TEXT && load<u16>(end - 2) <= SPACE) end -= 2
  }
  words += hashWords(hashed, end)
  // A surrogate pair cut by the limit is left out.
  if (end > TEXT && (load<u16>(end - 2) & 0xfc00) === 0xd800) end -= 2
  digest(hashed, end)
}

/** Drops the string at the end of the text, with so many more characters behind; it is digested up to `behind`. */
function leaveOut(more: i32, behind: usize): void {
  const from = end - 2 * string
  words += hashWords(hashed, from)
  if (string + more <= LONGEST_NAME) hashWords(from, end + 2 * more)
  else data += string + more
  digest(hashed, behind)
  hashed = from
  end = from
  leftOut += string + more
  strings++
  string = 0
}

/** A string that will be left out need not fill the text: only its last characters stay, too many for a name. */
function shorten(): void {
  const from = end - 2 * string
  const rest = end - 2 * (LONGEST_NAME + 1)
  words += hashWords(hashed, from)
  digest(hashed, rest)
  hashed = from
  memory.copy(from, rest, end - rest)
  const less = rest - from
  leftOut += (less >> 1) as i32
  data += (less >> 1) as i32
  string -= (less >> 1) as i32
  end -= less
}

/** How many characters fit into the text: one each, and one for the gap before the first. */
function fitting(count: i32): i32 {
  const left = max(0, most - textLength() - 1)
  if (count <= left) return count
  isCut = true
  return left
}

/** One gap: where a string was left out, the one before it serves for both, except in the digest. */
function closeGap(): void {
  const white = gap === 1 ? SPACE : LF
  const isLong = string > LONGEST_WORD
  if (isLong) {
    store<u16>(end, white)
    leaveOut(0, end + 2)
  }
  string = 0
  if (end > TEXT) {
    if (load<u16>(end - 2) > SPACE) {
      store<u16>(end, white)
      end += 2
    } else if (gap === 2) store<u16>(end - 2, LF)
  }
  if (isLong) hashed = end
  gap = 0
}

function fold(at: usize, count: i32): void {
  const seenHigh = v128.load(SEEN_HIGH)
  const seenLow = v128.load(SEEN_LOW)
  const half = v128.load(HALF)
  const lastLow = v128.load(LAST_LOW)
  const softHyphen = v128.load(SOFT_HYPHEN)
  const space = v128.load(SPACES)
  while (count > 0) {
    let size = min(count, BLOCK)
    const first = v128.load(at)
    const second = v128.load(at, 16)
    const kinds = lookUp(i8x16.narrow_i16x8_u(first, second), seenLow, seenHigh, half)
    let visible = i8x16.eq(kinds, i8x16.splat(0))
    let inside: u32 = (1 << size) - 1
    let white: u32 = ~i8x16.bitmask(visible) & inside
    /** What ends a string: white space, glyphs. */
    let ends = white
    let rareWhite: u32 = 0
    let nothing: u32 = 0
    if (v128.any_true(v128.or(aboveLow(first, second, lastLow), v128.and(kinds, softHyphen)))) {
      const areKnown = areLow(first, second, lastLow)
      const low: u32 = i8x16.bitmask(areKnown)
      const high = highKinds(at, low)
      // Narrowed, some high characters look white.
      visible = v128.or(visible, v128.not(areKnown))
      rareWhite = ((high >> 32) as u32) & inside & 0xffff
      nothing = ((i8x16.bitmask(i8x16.eq(kinds, softHyphen)) & low) | ((high >> 48) as u32)) & inside
      white = (white & low & ~nothing) | rareWhite
      ends = white | ((high as u32) & inside & 0xffff)
    }
    if (gap !== 0) {
      const seen = inside & ~(white | nothing)
      if (seen === 0) {
        at += 2 * size
        count -= size
        continue
      }
      closeGap()
      const from = ctz(seen)
      if (from > 0) {
        at += 2 * from
        count -= from
        continue
      }
    }
    if (nothing !== 0) {
      // Up to an invisible character, which is then skipped.
      size = ctz(nothing)
      if (size === 0) {
        at += 2
        count--
        continue
      }
      inside = (1 << size) - 1
    }
    const pairs = white & (white << 1) & inside
    if (pairs !== 0) {
      // The last of them is white, and begins a gap.
      size = ctz(pairs)
      inside = (1 << size) - 1
    }
    white &= inside
    ends &= inside
    v128.store(end, v128.bitselect(first, space, i16x8.extend_low_i8x16_s(visible)))
    v128.store(end, v128.bitselect(second, space, i16x8.extend_high_i8x16_s(visible)), 16)
    for (; rareWhite !== 0; rareWhite &= rareWhite - 1) store<u16>(end + 2 * ctz(rareWhite), SPACE)
    const taken = take(size, white, ends)
    at += 2 * taken
    count -= taken
  }
}

/**
 * Adds so many characters behind the text to it, given those that are white and those that end a string; returns how
 * many are done. Only the first string can be too long: another one in the same block has fewer than sixteen
 * characters.
 */
function take(size: i32, white: u32, ends: u32): i32 {
  if (ends === 0) {
    end += 2 * size
    string += size
    return size
  }
  const stringEnd: i32 = ctz(ends)
  if (string + stringEnd > LONGEST_WORD) {
    if (((white >> stringEnd) & 1) === 0) {
      leaveOut(stringEnd, end + 2 * stringEnd)
      return stringEnd
    }
    // Left out when something comes behind the gap.
    end += 2 * stringEnd
    string += stringEnd
    gap = 1
    return stringEnd + 1
  }
  if (((white >> (size - 1)) & 1) !== 0) {
    end += 2 * (size - 1)
    string = 0
    gap = 1
  } else {
    end += 2 * size
    string = size - 32 + clz(ends)
  }
  return size
}
