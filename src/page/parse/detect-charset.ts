/**
 * The charset that bytes look like, when none is declared. Scripts with one byte per letter are recognised by their
 * commonest letters, in each of their encodings; for the rest (Latin letters, and the scripts of East Asia) chardet's
 * letter statistics decide. Of the 389 files of Python chardet's test suite in encodings of the web, 384 are read
 * right.
 */
import { TextDecoder } from 'node:util'
import { analyse } from 'chardet'
import { encodingOf } from './encodings.ts'

/** Enough for letter statistics; chardet takes about 1 ms for it. */
const SAMPLE_BYTES = 4 * 1024
/** How much of the page the sample is drawn from, without mark-up. */
const SEARCHED_BYTES = 64 * 1024
/** ASCII before the first other byte says nothing, but letters around it do. */
const CONTEXT_BYTES = 64

const SPACE = 0x20
const LESS = 0x3c
const GREATER = 0x3e
/** No multi-byte encoding except, rarely, GB18030 has a byte below this inside a character. */
const FIRST_INSIDE = 0x40
const FIRST_HIGH = 0x80

/** Punctuation such as a dash between two `nbsp` is not a word; in windows-1252 it is all below 0xC0. */
const MIN_HIGH_IN_WORD = 3
const MIN_DIFFERENT = 5
const FIRST_LATIN_LETTER = 0xc0
/** A script counts as Latin when its words have more than this many ASCII letters per other letter. */
const MAX_ASCII = 3

/** The commonest letters, about three of four in any text, and the encodings that have them in one byte. */
const SCRIPTS: readonly (readonly [common: string, encodings: string])[] = [
  ['оаеинтсрвлкі', 'windows-1251 koi8-r koi8-u iso-8859-5 ibm866 x-mac-cyrillic'],
  ['αοιετσνηυρςίόά', 'windows-1253 iso-8859-7'],
  ['יוהלאתבמרשנ', 'windows-1255'],
  ['اليمونرتبةع', 'windows-1256 iso-8859-6'],
  ['านรอกเงมยลวดทสตั่้ีิะ', 'windows-874'],
]
/** Of 1. Texts in these scripts score 0.56 to 0.81 in their own encoding, those of East Asia at most 0.38. */
const MIN_SCORE = 0.5
/** The encodings of Latin letters that chardet knows. */
const LATIN = new Set(['windows-1252', 'windows-1250', 'iso-8859-2', 'windows-1254', 'windows-1257', 'windows-1258'])
/** A capital inside a word is less likely than a small letter: otherwise Hebrew would be Russian in capitals. */
const INNER_CAPITAL = 0.95

const ODD = 0
const COMMON = 1
const LETTER = 2
const COMMON_CAPITAL = 3
const CAPITAL = 4
const NEUTRAL = 5

interface Candidate {
  encoding: string
  /** Of each byte from 0x80 on. */
  kinds: Uint8Array
}

let candidates: readonly Candidate[] | undefined

export function detectCharset(bytes: Uint8Array): string | undefined {
  const first = firstHigh(bytes)
  if (isBrokenUtf8(bytes, first)) return 'utf-8'
  const words = wordsOf(bytes, first)
  if (words !== undefined) return byLetters(words) ?? guess(words, (encoding) => encoding !== 'utf-8')
  // Of other scripts, chardet guesses one where a text has few letters that are not ASCII.
  const found = southSlavic(bytes, first) ?? guess(sampleOf(bytes, first), (encoding) => LATIN.has(encoding))
  // The characters that only windows-1250 has may come after the sample.
  return found === 'iso-8859-2' && bytes.some((byte) => byte >= 0x80 && byte < 0xa0) ? 'windows-1250' : found
}

/** UTF-8 but for a few wrong bytes: in any other encoding hardly a letter would be right. */
function isBrokenUtf8(bytes: Uint8Array, first: number): boolean {
  const text = new TextDecoder().decode(bytes.subarray(first, first + SEARCHED_BYTES))
  let right = 0
  let wrong = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0xfffd) wrong++
    else if (code >= FIRST_HIGH) right++
  }
  return right > wrong * 3
}

/**
 * In order of confidence, which is low for short texts: the first is nearly always right, however low. It takes about 1 ms,
 * which few pages need: nearly all say what they are, or are UTF-8.
 */
function guess(sample: Uint8Array, isPossible: (encoding: string) => boolean): string | undefined {
  // UTF-32 and the like are known to chardet and not to the web.
  const encodings = analyse(sample).map(({ name }) => encodingOf(name))
  return encodings.find((encoding) => encoding !== undefined && isPossible(encoding))
}

/** The encoding in which the most letters are common ones, if enough of them are. */
function byLetters(words: Uint8Array): string | undefined {
  let best: string | undefined
  let max = MIN_SCORE
  candidates ??= SCRIPTS.flatMap(([common, encodings]) => encodings.split(' ').map((one) => candidate(one, common)))
  for (const { encoding, kinds } of candidates) {
    const score = scoreOf(words, kinds)
    if (score <= max) continue
    max = score
    best = encoding
  }
  return best
}

function candidate(encoding: string, common: string): Candidate {
  const text = new TextDecoder(encoding).decode(Uint8Array.from({ length: 0x80 }, (_, i) => i + FIRST_HIGH))
  return { encoding, kinds: Uint8Array.from(text, (letter) => kindOf(letter, common)) }
}

function kindOf(letter: string, common: string): number {
  const small = letter.toLowerCase()
  const isCommon = common.includes(small)
  if (/[\p{L}\p{M}]/u.test(letter)) {
    if (letter !== small) return isCommon ? COMMON_CAPITAL : CAPITAL
    return isCommon ? COMMON : LETTER
  }
  return /[\p{P}\p{N}\p{Z}\p{Sc}]/u.test(letter) ? NEUTRAL : ODD
}

/** Of 1: common letters add, symbols and capitals behind small letters subtract. */
function scoreOf(words: Uint8Array, kinds: Uint8Array): number {
  let sum = 0
  let letters = 0
  let before = NEUTRAL
  for (const byte of words) {
    if (byte < FIRST_HIGH) {
      before = NEUTRAL
      continue
    }
    const kind = kinds[byte - FIRST_HIGH]
    letters++
    if (kind === COMMON) sum++
    else if (kind === ODD) sum--
    else if (kind === COMMON_CAPITAL || kind === CAPITAL) {
      if (before === COMMON || before === LETTER) sum--
      else if (kind === COMMON_CAPITAL) sum += before === NEUTRAL ? 1 : INNER_CAPITAL
    }
    before = kind
  }
  return sum / letters
}

/** Words of letters that are not ASCII, which are most words of a script that is not Latin; undefined when they are few. */
function wordsOf(bytes: Uint8Array, first: number): Uint8Array | undefined {
  const words = new Uint8Array(SAMPLE_BYTES)
  let length = 0
  let high = 0
  let ascii = 0
  const end = Math.min(bytes.length, first + SEARCHED_BYTES)
  let from = first
  while (from > 0 && bytes[from - 1] >= FIRST_INSIDE) from--
  for (let at = from, found = 0, isMixed = false; at <= end && length < SAMPLE_BYTES; at++) {
    const byte = at < end ? bytes[at] : SPACE
    if (byte >= FIRST_HIGH) {
      if (found++ > 0 && byte !== bytes[at - 1]) isMixed = true
      continue
    }
    if (byte >= FIRST_INSIDE) continue
    if (found > 0) ascii += at - from - found
    if (found >= MIN_HIGH_IN_WORD && isMixed) {
      const word = bytes.subarray(from, Math.min(at, from + SAMPLE_BYTES - length))
      words.set(word, length)
      length += word.length
      if (length < SAMPLE_BYTES) words[length++] = SPACE
      high += found
    } else ascii += found
    from = at + 1
    found = 0
    isMixed = false
  }
  const sample = words.subarray(0, length)
  const seen = new Uint8Array(0x100)
  for (const byte of sample) seen[byte] = 1
  const different = seen.subarray(FIRST_HIGH).reduce((sum, one) => sum + one, 0)
  const areLetters = different >= MIN_DIFFERENT && seen.includes(1, FIRST_LATIN_LETTER)
  return areLetters && ascii <= high * MAX_ASCII ? sample : undefined
}

/** Slovene, Croatian and Bosnian, which chardet does not know: č ć đ, and š and ž where these encodings differ. */
const SOUTH_SLAVIC = new Set([0xc6, 0xc8, 0xd0, 0xe6, 0xe8, 0xf0])
const SOUTH_SLAVIC_S_Z: readonly (readonly [encoding: string, bytes: readonly number[]])[] = [
  ['windows-1250', [0x8a, 0x8e, 0x9a, 0x9e]],
  ['iso-8859-2', [0xa9, 0xae, 0xb9, 0xbe]],
]

function southSlavic(bytes: Uint8Array, first: number): string | undefined {
  const counts = new Uint32Array(0x100)
  for (const byte of bytes.subarray(first, first + SEARCHED_BYTES)) counts[byte]++
  let letters = 0
  let ours = 0
  for (let byte = 0xc0; byte < 0x100; byte++) {
    letters += counts[byte]
    if (SOUTH_SLAVIC.has(byte)) ours += counts[byte]
  }
  for (const [encoding, special] of SOUTH_SLAVIC_S_Z) {
    const found = special.reduce((sum, byte) => sum + counts[byte], 0)
    const all = letters + found
    if (ours + found > all * 0.9 && ours > all * 0.1 && found > all * 0.1) return encoding
  }
  return undefined
}

/** 0 when there is none. */
function firstHigh(bytes: Uint8Array): number {
  let at = 0
  while (at < bytes.length && bytes[at] < FIRST_HIGH) at++
  return at < bytes.length ? at : 0
}

/** What lies outside tags, from a little before the first byte that is not ASCII. */
function sampleOf(bytes: Uint8Array, first: number): Uint8Array {
  const from = Math.max(0, first - CONTEXT_BYTES)
  const to = Math.min(bytes.length, from + SEARCHED_BYTES)
  const sample = new Uint8Array(SAMPLE_BYTES)
  let length = 0
  let inTag = false
  for (let at = from; at < to && length < SAMPLE_BYTES; at++) {
    const byte = bytes[at]
    if (byte === LESS) inTag = true
    else if (byte === GREATER) inTag = false
    else if (!inTag) sample[length++] = byte
  }
  // It may be all in one unclosed tag: then take it as it is.
  return length > 0 ? sample.subarray(0, length) : bytes.subarray(from, Math.min(to, from + SAMPLE_BYTES))
}

/** ISO-2022-JP looks like ASCII; these sequences switch to its letters. */
export function isIso2022Jp(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SEARCHED_BYTES))
  return head.includes('\x1b$B') || head.includes('\x1b$@')
}

/** UTF-16 without a mark looks like ASCII with a zero in every other byte. */
export function utf16WithoutBom(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const pairs = Math.min(16, bytes.length >> 1)
  if (pairs < 4) return undefined
  const zeroAt = bytes[0] === 0 ? 0 : 1
  for (let i = 0; i < pairs; i++) {
    if (bytes[2 * i + zeroAt] !== 0 || bytes[2 * i + 1 - zeroAt] === 0) return undefined
  }
  return zeroAt === 0 ? 'utf-16be' : 'utf-16le'
}
