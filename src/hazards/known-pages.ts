/**
 * What the last pages of the site said, by their URL: a few characters a page, so that a later one can be held against the
 * page whose URL is its own without a part, and against all the others.
 */
import { type Content, mark, ones } from './content.ts'

/** In characters of six bits: the URL and its pictures, what it is about, the shape, the length. */
const KEY = 4
const TOPIC = 2
const SKETCH = 6
const SIZE = 2
const WIDTH = KEY + TOPIC + SKETCH + SIZE
const MOST = 160

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const VALUE = new Uint8Array(128)
for (let at = 0; at < LETTERS.length; at++) VALUE[LETTERS.charCodeAt(at)] = at

/** Bits of 36 that may differ, and steps of the length (1/256 of a doubling): one word in twenty and 6 %, one in ten and 8 %. */
const CLOSE = { bits: 3, steps: 20 }
const ROUGH = { bits: 5, steps: 30 }

export function addKnown(known: string | undefined, path: string, content: Content): string {
  const all = (known ?? '') + keyOf(path, content) + topicOf(path) + sketchOf(content) + sizeOf(content)
  return all.length <= MOST * WIDTH ? all : all.slice(WIDTH)
}

/** The page at that URL said nearly the same, or something else; undefined when it is not known, or had other pictures. */
export function saidAt(known: string, path: string, content: Content, roughly = false): 'same' | 'other' | undefined {
  const key = keyOf(path, content)
  for (let at = known.lastIndexOf(key); at >= 0; at = at === 0 ? -1 : known.lastIndexOf(key, at - 1)) {
    if (at % WIDTH === 0) return isNear(known, at, content, roughly ? ROUGH : CLOSE) ? 'same' : 'other'
  }
  return undefined
}

/** Some page of late with the same name in its URL said roughly the same; pictures may always be others. */
export function isKnown(known: string, path: string, content: Content): boolean {
  const topic = topicOf(path)
  if (content.embeds !== 0 || topic === NO_TOPIC) return false
  for (let at = known.indexOf(topic); at >= 0; at = known.indexOf(topic, at + 1)) {
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

function keyOf(path: string, { embeds }: Content): string {
  return write((mark(path) ^ embeds) & 0xffffff, KEY)
}

const NO_TOPIC = 'AA'
const SHORTEST_TOPIC = 4

/** The longest word of a URL, without the names of its parameters: `/wiki/Moth` and `/w/index.php?action=raw&title=Moth` are about one thing. */
function topicOf(path: string): string {
  const query = path.indexOf('?')
  const text = (query < 0 ? path : path.slice(query).replace(/(^|[?&;])[^=&;]*=/g, ' ')).slice(0, 300)
  let longest = ''
  for (const [word] of text.matchAll(/[\p{L}\d_-]+/gu)) if (word.length > longest.length) longest = word
  return longest.length < SHORTEST_TOPIC ? NO_TOPIC : write(mark(longest) & 0xfff, TOPIC)
}

function sketchOf(content: Content): string {
  return write(highOf(content), 2) + write(lowOf(content), 4)
}

function sizeOf(content: Content): string {
  return write(stepsOf(content), SIZE)
}

function write(bits: number, letters: number): string {
  let text = ''
  for (let at = letters - 1; at >= 0; at--) text += LETTERS[(bits >>> (6 * at)) & 63]
  return text
}

function read(text: string, from: number, letters: number): number {
  let bits = 0
  for (let at = from; at < from + letters; at++) bits = (bits << 6) | VALUE[text.charCodeAt(at) & 127]
  return bits
}
