/**
 * What the last pages of the site said, by URL, in a few characters each. A later page is compared with the page at its
 * URL without one part, and with all others.
 */
import type { Content } from './content.ts'
import { EMPTY, mark, markOn, mix, ones } from './marks.ts'
import { isDigit, kindOf, LETTER, SPECIAL } from './segments.ts'

/** In characters of six bits: URL and pictures, topic, shape, length. */
const KEY = 4
const TOPIC = 2
const SKETCH = 6
const SIZE = 2
const WIDTH = KEY + TOPIC + SKETCH + SIZE
const MAX = 160

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const VALUE = new Uint8Array(128)
for (let at = 0; at < LETTERS.length; at++) VALUE[LETTERS.charCodeAt(at)] = at

/**
 * Bits of 36 that may differ, and steps of the length (1/256 of a doubling): one word in twenty and 6 %; one in ten and
 * 8 %.
 */
const CLOSE = { bits: 3, steps: 20 }
const ROUGH = { bits: 5, steps: 30 }

/** Opened from the text in the site's memory and closed into it again; when full, the oldest page is overwritten. */
export class KnownPages {
  /** Per page: URL and pictures; topic; the two halves of the shape; length. */
  readonly #keys: number[] = []
  readonly #topics: number[] = []
  readonly #highs: number[] = []
  readonly #lows: number[] = []
  readonly #steps: number[] = []
  #next = 0

  constructor(text = '') {
    for (let at = Math.max(0, text.length - MAX * WIDTH); at + WIDTH <= text.length; at += WIDTH) {
      const shape = at + KEY + TOPIC
      const high = read(text, shape, 2)
      const low = read(text, shape + 2, 4)
      this.#write(read(text, at, KEY), read(text, at + KEY, TOPIC), high, low, read(text, shape + SKETCH, SIZE))
    }
  }

  add(path: string, content: Content): void {
    this.#write(keyOf(mark(path), content), topicOf(path), highOf(content), lowOf(content), stepsOf(content))
  }

  #write(key: number, topic: number, high: number, low: number, steps: number): void {
    const at = this.#next
    this.#keys[at] = key
    this.#topics[at] = topic
    this.#highs[at] = high
    this.#lows[at] = low
    this.#steps[at] = steps
    this.#next = at + 1 === MAX ? 0 : at + 1
  }

  /** Whether the page at the URL with this mark said the same; undefined if it is not known or had other pictures. */
  compareAt(url: number, content: Content, roughly = false): 'same' | 'other' | undefined {
    const key = keyOf(url, content)
    // Usually there is none.
    if (!this.#keys.includes(key)) return undefined
    const latest = this.#next === 0 ? -1 : this.#keys.lastIndexOf(key, this.#next - 1)
    const at = latest < 0 ? this.#keys.lastIndexOf(key) : latest
    return this.#isNear(at, content, roughly ? ROUGH : CLOSE) ? 'same' : 'other'
  }

  /** A recent page with the same topic said roughly the same; pages with pictures are never compared. */
  hasLike(path: string, content: Content): boolean {
    if (content.embeds !== 0) return false
    const topic = topicOf(path)
    if (topic === NO_TOPIC) return false
    for (let at = this.#topics.indexOf(topic); at >= 0; at = this.#topics.indexOf(topic, at + 1))
      if (this.#isNear(at, content, ROUGH)) return true
    return false
  }

  #isNear(at: number, content: Content, { bits, steps }: typeof CLOSE): boolean {
    const apart = ones(this.#highs[at] ^ highOf(content)) + ones(this.#lows[at] ^ lowOf(content))
    return apart <= bits && Math.abs(this.#steps[at] - stepsOf(content)) <= steps
  }

  /** Oldest first. */
  text(): string {
    const count = this.#keys.length
    let all = ''
    for (let nth = 0; nth < count; nth++) {
      const at = count < MAX ? nth : (this.#next + nth) % MAX
      const shape = write2(this.#highs[at]) + write4(this.#lows[at])
      all += write4(this.#keys[at]) + write2(this.#topics[at]) + shape + write2(this.#steps[at])
    }
    return all
  }
}

const highOf = ({ high }: Content) => high & 0xfff
const lowOf = ({ low }: Content) => low & 0xffffff
const stepsOf = ({ length }: Content) => Math.min(4095, Math.round(256 * Math.log2(1 + Math.max(0, length))))

function keyOf(url: number, { embeds }: Content): number {
  return (url ^ embeds) & 0xffffff
}

const NO_TOPIC = 0
const SHORTEST_TOPIC = 4
const LONGEST_TEXT = 300

/**
 * The longest word of a URL, without parameter names: `/wiki/Moth` and `/w/index.php?action=raw&title=Moth` share a
 * topic.
 */
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
    if (kind === SPECIAL) return topicIn(text.slice(0, LONGEST_TEXT))
    // Letters, digits, `_` and `-`.
    length = kind === LETTER || isDigit(unit) || unit === 95 || unit === 45 ? length + 1 : 0
    if (length > longest) {
      longest = length
      longestAt = at + 1 - length
    }
  }
  return longest < SHORTEST_TOPIC ? NO_TOPIC : mix(markOn(EMPTY, text, longestAt, longestAt + longest)) & 0xfff
}

/** For text with special letters. */
function topicIn(text: string): number {
  let longest = ''
  for (const [word] of text.matchAll(/[\p{L}\d_-]+/gu)) if (word.length > longest.length) longest = word
  return longest.length < SHORTEST_TOPIC ? NO_TOPIC : mark(longest) & 0xfff
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
