/** What `TextFolder` does, said in the plainest way: what the fast way is compared with. */
import { hash64 } from '../../base/digest.ts'
import { dateWords, KIND, kindsOfCharacters, wordHash } from './characters.ts'

export interface PlainlyFolded {
  text: string
  digest: bigint
  words: number
  simhash: bigint
  shape: bigint
  leftOut: number
  strings: number
  named: number
  lines: Uint32Array
  minima: Uint16Array
}

interface Word {
  hash: number
  isNumber: boolean
}

/** Characters without white space between them; a glyph is one by itself, whatever stands beside it. */
class Piece {
  /** What stands before it: nothing, a space, the end of a line. */
  gap: number
  readonly isGlyph: boolean
  text = ''
  words: string[] = []

  constructor(gap: number, isGlyph: boolean) {
    this.gap = gap
    this.isGlyph = isGlyph
  }
}

const LONGEST = 30
const LONGEST_NAME = 256
const MAX_LETTERS = 64
const GAPS = ['', ' ', '\n']
const KIND_OF = kindsOfCharacters()
const DATES = new Set(dateWords())

/** Texts, and gaps of tags between them. */
export function foldPlainly(parts: readonly (string | 0 | 1 | 2)[]): PlainlyFolded {
  const pieces: Piece[] = []
  let gap = 0
  let inWord = false
  const pieceFor = (isGlyph: boolean): Piece => {
    const last = pieces.at(-1)
    if (last !== undefined && gap === 0 && !isGlyph && !last.isGlyph) return last
    const piece = new Piece(gap, isGlyph)
    pieces.push(piece)
    gap = 0
    return piece
  }
  for (const part of parts) {
    if (typeof part === 'number') {
      if (part > 0) inWord = false
      gap = Math.max(gap, part)
      continue
    }
    for (const letter of part.split('')) {
      const is = KIND_OF[letter.charCodeAt(0)]
      if (is === KIND.nothing) continue
      const isLetter = is === KIND.letter || is === KIND.digit
      if (!isLetter) inWord = false
      if (is === KIND.white) {
        gap = Math.max(gap, 1)
        continue
      }
      const piece = pieceFor(is === KIND.glyph)
      piece.text += letter
      if (is === KIND.glyph) piece.words.push(letter)
      else if (isLetter) {
        if (inWord && piece.words[piece.words.length - 1].length < MAX_LETTERS)
          piece.words[piece.words.length - 1] += letter
        else piece.words.push(letter)
        inWord = true
      }
    }
  }
  return join(pieces)
}

function join(pieces: Piece[]): PlainlyFolded {
  let text = ''
  /** With the strings that are left out. */
  let whole = ''
  let gap = 0
  let textWords = 0
  let leftOut = 0
  let strings = 0
  let data = 0
  const words: Word[] = []
  for (const piece of pieces) {
    whole += (whole === '' ? '' : GAPS[piece.gap]) + piece.text
    gap = Math.max(gap, piece.gap)
    if (isLong(piece)) {
      leftOut += piece.text.length
      strings++
    } else {
      text += (text === '' ? '' : GAPS[gap]) + piece.text
      gap = 0
      textWords += piece.words.length
    }
    if (piece.text.length > LONGEST_NAME) {
      data += piece.text.length
      continue
    }
    for (const word of piece.words) {
      const hash = piece.isGlyph ? word.charCodeAt(0) : wordHash(word)
      words.push({ hash, isNumber: DATES.has(hash) || (!piece.isGlyph && /[0-9]/.test(word)) })
    }
  }
  // Half a pair at the very end is no character.
  text = text.replace(/[\ud800-\udbff]$/, '')
  if (!isLong(pieces.at(-1))) whole = whole.replace(/[\ud800-\udbff]$/, '')
  const [simhash, shape] = [simhashOf(words), simhashOf(shapeOf(words))]
  const lines = Uint32Array.from(text.split('\n').filter(Boolean).slice(0, 8192), lineHash)
  const named = whole.length - data
  const [digest, minima] = [hash64(whole), minimaOf(words)]
  return { text, digest, words: textWords, simhash, shape, leftOut, strings, named, lines, minima }
}

function isLong(piece: Piece | undefined): boolean {
  return piece !== undefined && piece.text.length > LONGEST
}

/** Every run of numbers as one word. */
function shapeOf(words: Word[]): Word[] {
  const shape: Word[] = []
  for (const word of words) {
    if (!word.isNumber) shape.push(word)
    else if (shape.at(-1)?.isNumber !== true) shape.push({ hash: 0x23232323, isNumber: true })
  }
  return shape
}

function simhashOf(words: Word[]): bigint {
  const votes: number[] = new Array(64).fill(0)
  for (let i = 0; i < words.length; i++) {
    const [a, b, c] = [words[i - 2]?.hash ?? 0, words[i - 1]?.hash ?? 0, words[i].hash]
    const low = mix(Math.imul(a, 0x2c1b3c6d) + Math.imul(b, 0x297a2d39) + c)
    const high = mix(Math.imul(a, 0x165667b1) + Math.imul(b, 0x7feb352d) + Math.imul(c, 0x27d4eb2f))
    for (let bit = 0; bit < 64; bit++) votes[bit] += ((bit < 32 ? low : high) >>> (bit & 31)) & 1
  }
  return votes.reduce((hash, count, bit) => (count * 2 > words.length ? hash | (1n << BigInt(bit)) : hash), 0n)
}

function minimaOf(words: Word[]): Uint16Array {
  const minima = new Uint16Array(64).fill(0xffff)
  for (let i = 0; i < words.length; i++) {
    const [a, b, c] = [words[i - 2]?.hash ?? 0, words[i - 1]?.hash ?? 0, words[i].hash]
    const hash = mix(Math.imul(a, 0x2c1b3c6d) + Math.imul(b, 0x297a2d39) + c) >>> 0
    minima[hash % 64] = Math.min(minima[hash % 64], hash >>> 16)
  }
  return minima
}

/** Two characters in each of four lanes, and at least one place behind the last is filled with nothing. */
function lineHash(line: string): number {
  const units = new Uint16Array((Math.floor(line.length / 8) + 1) * 8)
  units.set(line.split('').map((unit) => unit.charCodeAt(0)))
  const pairs = new Int32Array(units.buffer)
  const lanes = [1, 0x2c1b3c6d, 0x297a2d39, 0x165667b1].map((multiplier, lane) => {
    let hash = 0
    for (let i = lane; i < pairs.length; i += 4) {
      hash = Math.imul(hash ^ pairs[i], 0x85ebca6b)
      hash ^= hash >>> 15
    }
    return Math.imul(hash, multiplier)
  })
  return mix(lanes.reduce((sum, lane) => (sum + lane) | 0, line.length))
}

function mix(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
