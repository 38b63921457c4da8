/**
 * What the site said at URLs that differ in one or two parameters only: `/x?lang=de` and `/x?lang=en`, neither of them known
 * without the parameter. Each page is noted under its URL, and under its URL without each parameter. Of all these marks a sample is
 * kept, chosen by the mark itself: so what belongs together is kept together, however many pages lie between two variants.
 */
import type { Content } from './content.ts'
import { mark, mix, readMarks, writeMarks } from './marks.ts'

const MAX = 200
/** Of a URL with more parameters none is left out; of one with more than four, no two are. */
const MAX_PARAMETERS = 10
const MAX_IN_PAIRS = 4

/** `alike`: the same but for numbers and dates. */
export type Said = 'same' | 'alike' | 'other'

/** What a page says, in 24 bits: nine of its text, nine of its shape, and six of its tags and number of words. */
export function saidBy({ text, embeds, low, high, bag }: Content): number {
  const shape = mix(low ^ mix(high) ^ mix(embeds)) >>> 23
  return ((mix(text ^ mix(embeds)) >>> 23) << 15) | (shape << 6) | (mix(bag) >>> 26)
}

const SHAPE = 0x7fff
const BAG = 0x3f

export class Variants {
  /** How many low bits of a mark must be zero; others are left out. */
  #level: number
  readonly #said = new Map<number, number>()

  /** Its level, then pairs of URL and what was said there. */
  constructor(text = '') {
    const [level = 0, ...pairs] = readMarks(text)
    this.#level = level
    for (let at = 0; at + 1 < pairs.length; at += 2) this.#said.set(pairs[at], pairs[at + 1])
  }

  compareAt(key: number, said: number): Said | undefined {
    const before = this.#said.get(key)
    if (before === undefined) return undefined
    if (before === said) return 'same'
    if ((before & SHAPE) === (said & SHAPE)) return 'alike'
    // Perhaps the same list in another order: that says nothing.
    return (before & BAG) === (said & BAG) ? undefined : 'other'
  }

  /** The first entry stays. */
  add({ own, without }: ReturnType<typeof marksOf>, said: number): void {
    this.#note(own, said)
    for (const { key } of without) this.#note(key, said)
    while (this.#said.size > MAX) {
      this.#level++
      for (const key of this.#said.keys()) if (!this.#isSampled(key)) this.#said.delete(key)
    }
  }

  #note(key: number, said: number): void {
    if (this.#isSampled(key) && !this.#said.has(key)) this.#said.set(key, said)
  }

  #isSampled(key: number): boolean {
    return (key & ((1 << this.#level) - 1)) === 0
  }

  text(): string {
    return this.#said.size === 0 ? '' : writeMarks([this.#level, ...[...this.#said].flat()])
  }
}

/** A URL without some of its parameters. */
export interface Without {
  /** The mark of all URLs that differ in these only. */
  key: number
  /** The mark of the URL that lacks them. */
  plain: number
  /** The parameters left out: positions in its query. */
  missing: readonly number[]
}

/** The mark of the URL as it is, and those of it without each of its parameters, then without each two of them. */
export function marksOf(path: string): { own: number; without: readonly Without[] } {
  const own = markOf(path)
  const query = path.indexOf('?')
  if (query < 0) return { own, without: NONE }
  const pieces = path.slice(query + 1).split('&', MAX_PARAMETERS + 1)
  if (pieces.length > MAX_PARAMETERS) return { own, without: NONE }
  const all: Without[] = []
  const leaveOut = (...missing: number[]) => {
    const rest = pieces.filter((_, at) => !missing.includes(at)).join('&')
    const plain = rest === '' ? path.slice(0, query) : `${path.slice(0, query)}?${rest}`
    const names = missing.map((at) => pieces[at].split('=', 1)[0])
    all.push({ key: markOf(`${plain} ${names.join(' ')}`), plain: markOf(plain), missing })
  }
  for (let at = 0; at < pieces.length; at++) leaveOut(at)
  if (pieces.length <= MAX_IN_PAIRS) {
    for (let at = 0; at < pieces.length; at++)
      for (let other = at + 1; other < pieces.length; other++) leaveOut(at, other)
  }
  return { own, without: all }
}

const NONE: readonly Without[] = []

const markOf = (text: string) => mark(text) & 0xffffff
