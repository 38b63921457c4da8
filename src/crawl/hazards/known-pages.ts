/**
 * What the last pages of the site said, by their URL: a few characters a page, so that a later one can be held against the
 * page whose URL is its own without a part, and against all the others.
 */
import type { Content } from './content.ts'
import { HALF, kindOf, LETTER } from './letters.ts'
import { EMPTY, mark, markOn, mix, ones } from './marks.ts'
import { isDigit } from './segments.ts'

/** In characters of six bits: the URL and its pictures, what it is about, the shape, the length. */
const KEY = 4
const TOPIC = 2
const SKETCH = 6
const SIZE = 2
const WIDTH = KEY + TOPIC + SKETCH + SIZE
const MAX = 160

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const VALUE = new Uint8Array(128)
for (let at = 0; at < LETTERS.length; at++) VALUE[LETTERS.charCodeAt(at)] = at

/** Bits of 36 that may differ, and steps of the length (1/256 of a doubling): one word in twenty and 6 %, one in ten and 8 %. */
const CLOSE = { bits: 3, steps: 20 }
const ROUGH = { bits: 5, steps: 30 }

export function addKnown(known: string | undefined, path: string, content: Content): string {
  const entry = keyOf(mark(path), content) + write2(topicOf(path)) + sketchOf(content) + write2(stepsOf(content))
  const all = (known ?? '') + entry
  return all.length <= MAX * WIDTH ? all : all.slice(WIDTH)
}

/** The page at the URL of that mark said nearly the same, or something else; undefined when it is not known, or had other pictures. */
export function saidAt(known: string, url: number, content: Content, roughly = false): 'same' | 'other' | undefined {
  const key = keyOf(url, content)
  // Nearly always there is none; forwards, that is found out a dozen times faster.
  if (!known.includes(key)) return undefined
  for (let at = known.lastIndexOf(key); at >= 0; at = at === 0 ? -1 : known.lastIndexOf(key, at - 1)) {
    if (at % WIDTH === 0) return isNear(known, at, content, roughly ? ROUGH : CLOSE) ? 'same' : 'other'
  }
  return undefined
}

/** Some page of late with the same name in its URL said roughly the same; pictures may always be others. */
export function isKnown(known: string, path: string, content: Content): boolean {
  if (content.embeds !== 0) return false
  const topic = topicOf(path)
  if (topic === NO_TOPIC) return false
  const text = write2(topic)
  for (let at = known.indexOf(text); at >= 0; at = known.indexOf(text, at + 1)) {
    if (at % WIDTH === KEY && isNear(known, at - KEY, content, ROUGH)) return true
  }
  return false
}

function isNear(known: string, at: number, content: Content, { bits, steps }: typeof CLOSE): boolean {
  const from = at + KEY + TOPIC
  const high = read(known, from, 2)
  const low = read(known, from + 2, 4)
  if (ones(high ^ highOf(content)) + ones(low ^ lowOf(content)) > bits) return false
  return Math.abs(read(known, from + SKETCH, SIZE) - stepsOf(content)) <= steps
}

const highOf = ({ high }: Content) => high & 0xfff
const lowOf = ({ low }: Content) => low & 0xffffff
const stepsOf = ({ length }: Content) => Math.min(4095, Math.round(256 * Math.log2(1 + Math.max(0, length))))

function keyOf(url: number, { embeds }: Content): string {
  return write4((url ^ embeds) & 0xffffff)
}

const NO_TOPIC = 0
const SHORTEST_TOPIC = 4
const LONGEST_TEXT = 300

/** The longest word of a URL, without the names of its parameters: `/wiki/Moth` and `/w/index.php?action=raw&title=Moth` are about one thing. */
function topicOf(path: string): number {
  const query = path.indexOf('?')
  const text = query < 0 ? path : path.slice(query).replace(/(^|[?&;])[^=&;]*=/g, ' ')
  const end = Math.min(text.length, LONGEST_TEXT)
  let longest = 0
  let longestAt = 0
  let length = 0
  for (let at = 0; at < end; at++) {
    const unit = text.charCodeAt(at)
    const kind = kindOf(unit)
    if (kind === HALF) return topicIn(text.slice(0, LONGEST_TEXT))
    // Letters, digits, `_` and `-`.
    length = kind === LETTER || isDigit(unit) || unit === 95 || unit === 45 ? length + 1 : 0
    if (length > longest) {
      longest = length
      longestAt = at + 1 - length
    }
  }
  return longest < SHORTEST_TOPIC ? NO_TOPIC : mix(markOn(EMPTY, text, longestAt, longestAt + longest)) & 0xfff
}

/** With letters of two halves. */
function topicIn(text: string): number {
  let longest = ''
  for (const [word] of text.matchAll(/[\p{L}\d_-]+/gu)) if (word.length > longest.length) longest = word
  return longest.length < SHORTEST_TOPIC ? NO_TOPIC : mark(longest) & 0xfff
}

function sketchOf(content: Content): string {
  return write2(highOf(content)) + write4(lowOf(content))
}

function write2(bits: number): string {
  return LETTERS[(bits >>> 6) & 63] + LETTERS[bits & 63]
}

function write4(bits: number): string {
  return write2(bits >>> 12) + write2(bits)
}

function read(text: string, from: number, letters: number): number {
  let bits = 0
  for (let at = from; at < from + letters; at++) bits = (bits << 6) | VALUE[text.charCodeAt(at) & 127]
  return bits
}
