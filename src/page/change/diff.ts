/**
 * What differs between two versions of a page: blocks that were added, removed, changed or moved, and those whose text is the
 * same but whose mark-up is not. Linear in the blocks; every comparison that could grow is cut.
 */
import { align, type Match } from './align.ts'
import { type Block, type Blocks, blocksOf, type Fact, type FactKind, linesOf } from './blocks.ts'

export interface WordPart {
  kind: 'same' | 'removed' | 'added'
  text: string
}

/** What a block's mark-up lost and gained. `kind: 'place'`: the elements around it. */
export interface FactChange {
  kind: FactKind | 'place'
  before: readonly string[]
  after: readonly string[]
}

export type DiffRow =
  /** A run of `count` blocks that are the same on both sides, with the first and the last of them. */
  | { kind: 'same'; count: number; first: Block; last: Block }
  | { kind: 'changed'; before: Block; after: Block; words: readonly WordPart[]; facts: readonly FactChange[] }
  /** The same text in other mark-up; `count` blocks one after the other whose place changed in the same way. */
  | { kind: 'marked'; before: Block; after: Block; facts: readonly FactChange[]; count: number }
  | { kind: 'removed'; before: Block }
  | { kind: 'added'; after: Block }
  /** `nth` names the move at both places; `isDown`: its new place comes later. */
  | { kind: 'moved-away'; nth: number; before: Block; after: Block; isDown: boolean }
  | { kind: 'moved-here'; nth: number; before: Block; after: Block; isDown: boolean; facts: readonly FactChange[] }

export interface DiffCounts {
  same: number
  changed: number
  added: number
  removed: number
  moved: number
  /** Blocks whose text is the same, by what else changed: a block may count several times. */
  tag: number
  link: number
  image: number
  attribute: number
  place: number
}

export interface PageDiff {
  unit: 'block' | 'line'
  counts: DiffCounts
  rows: DiffRow[]
  /** Rows that are not listed. */
  more: number
  /** Differences that are not shown as text. */
  unseen: ('scripts' | 'styles' | 'comments' | 'the rest')[]
  /** Characters at the end of either version that were not split into blocks. */
  rest: { before: number; after: number }
}

export const MAX_ROWS = 5000

/** How a version is read; `text`: by line. */
export interface Version {
  as: 'html' | 'xhtml' | 'text'
  text: string
}

export function diffPages(before: Version, after: Version): PageDiff {
  const isText = before.as === 'text' || after.as === 'text'
  const [old, now] = [before, after].map(({ as, text }) => (isText ? linesOf(text) : blocksOf(text, as === 'xhtml')))
  return { unit: isText ? 'line' : 'block', ...diffBlocks(old, now) }
}

export function diffBlocks(old: Blocks, now: Blocks): Omit<PageDiff, 'unit'> {
  const rows = new Rows(old.blocks, now.blocks)
  rows.compare()
  const unseen: PageDiff['unseen'] = []
  for (const what of ['scripts', 'styles', 'comments'] as const) if (old[what] !== now[what]) unseen.push(what)
  if (old.rest.hash !== now.rest.hash || old.rest.length !== now.rest.length) unseen.push('the rest')
  const rest = { before: old.rest.length, after: now.rest.length }
  return { counts: rows.counts, rows: rows.rows, more: rows.more, unseen, rest }
}

/** Two blocks are the same when these are: the text, or of a block without text, its images. */
function keyOf({ text, facts }: Block): string {
  if (text !== '') return text
  return `\0${facts
    .filter(({ kind }) => kind === 'image')
    .map((fact) => fact.text)
    .join(' ')}`
}

/** Equal strings have equal numbers, in both lists. */
function numbered(old: readonly string[], now: readonly string[]): [Int32Array, Int32Array] {
  const numbers = new Map<string, number>()
  for (const list of [old, now]) for (const one of list) if (!numbers.has(one)) numbers.set(one, numbers.size)
  const of = (list: readonly string[]) => Int32Array.from(list, (one) => numbers.get(one)!)
  return [of(old), of(now)]
}

/** Shorter ones, such as brackets and dashes, come again by chance. */
const MIN_MOVED = 12
/** How far a changed block is looked for, in blocks; how similar it must be. */
const WINDOW = 8
const SIMILAR = 0.4
const AT_THE_PLACE = 0.5

class Rows {
  readonly rows: DiffRow[] = []
  readonly counts: DiffCounts = {
    ...{ same: 0, changed: 0, added: 0, removed: 0, moved: 0 },
    ...{ tag: 0, link: 0, image: 0, attribute: 0, place: 0 },
  }
  more = 0
  readonly #old: readonly Block[]
  readonly #now: readonly Block[]
  /** By the old block's number: the new one's, for moved blocks; and the other way round. */
  readonly #movedTo = new Map<number, number>()
  readonly #movedFrom = new Map<number, number>()
  readonly #moves = new Map<number, number>()

  constructor(old: readonly Block[], now: readonly Block[]) {
    this.#old = old
    this.#now = now
  }

  compare(): void {
    const [a, b] = numbered(this.#old.map(keyOf), this.#now.map(keyOf))
    const matches = align(a, b)
    this.#findMoves(a, b, matches)
    let [x, y] = [0, 0]
    for (const { before, after, length } of matches) {
      this.#gap(x, before, y, after)
      for (let i = 0; i < length; i++) this.#matched(this.#old[before + i], this.#now[after + i])
      x = before + length
      y = after + length
    }
    this.#gap(x, a.length, y, b.length)
  }

  #findMoves(a: Int32Array, b: Int32Array, matches: readonly Match[]): void {
    const [left, came] = [unmatched(a.length, matches, 'before'), unmatched(b.length, matches, 'after')]
    const places = new Map<number, number[]>()
    for (const y of came) {
      if (this.#now[y].text.length < MIN_MOVED) continue
      const known = places.get(b[y])
      if (known === undefined) places.set(b[y], [y])
      else known.push(y)
    }
    // The last one of each list is taken, so the old blocks are gone through backwards.
    for (const x of left.reverse()) {
      const y = places.get(a[x])?.pop()
      if (y === undefined) continue
      this.#movedTo.set(x, y)
      this.#movedFrom.set(y, x)
    }
  }

  /** What lies between two matches. */
  #gap(x0: number, x1: number, y0: number, y1: number): void {
    const pairs = this.#changedPairs(x0, x1, y0, y1)
    let [x, y] = [x0, y0]
    for (const [px, py] of [...pairs, [x1, y1] as const]) {
      for (; x < px; x++) this.#leftBlock(x)
      for (; y < py; y++) this.#newBlock(y)
      if (px < x1 && py < y1) {
        this.#changed(this.#old[px], this.#now[py])
        x = px + 1
        y = py + 1
      }
    }
  }

  /** Blocks that are similar, in order: each old one with the best of the next few new ones. */
  #changedPairs(x0: number, x1: number, y0: number, y1: number): (readonly [number, number])[] {
    const gone = range(x0, x1).filter((x) => !this.#movedTo.has(x))
    const come = range(y0, y1).filter((y) => !this.#movedFrom.has(y))
    const pairs: (readonly [number, number])[] = []
    const words = new Map<number, ReadonlySet<string>>()
    const wordsAt = (j: number) => {
      let known = words.get(j)
      if (known === undefined) words.set(j, (known = wordSet(this.#now[come[j]].text)))
      return known
    }
    let from = 0
    for (let i = 0; i < gone.length && from < come.length; i++) {
      const old = this.#old[gone[i]]
      const mine = wordSet(old.text)
      let best = { j: -1, alike: SIMILAR }
      for (let j = from; j < Math.min(come.length, from + WINDOW); j++) {
        const now = this.#now[come[j]]
        // One for one: a counter or a date shares no word with what it was.
        const isThere = gone.length === come.length && i === j && old.place === now.place
        const isPicture = old.text === '' && now.text === ''
        const alike = isPicture ? 1 : Math.max(resemblance(mine, wordsAt(j)), isThere ? AT_THE_PLACE : 0)
        if (alike > best.alike) best = { j, alike }
      }
      if (best.j < 0) continue
      pairs.push([gone[i], come[best.j]])
      for (; from <= best.j; from++) words.delete(from)
    }
    return pairs
  }

  #matched(before: Block, after: Block): void {
    const facts = factChanges(before, after)
    if (facts.length === 0) {
      this.#same(before)
      return
    }
    for (const { kind } of facts) this.counts[kind]++
    const last = this.rows.at(-1)
    const isPlace = facts.length === 1 && facts[0].kind === 'place'
    if (isPlace && last?.kind === 'marked' && last.facts.length === 1 && last.facts[0].kind === 'place') last.count++
    else this.#add({ kind: 'marked', before, after, facts, count: 1 })
  }

  #same(block: Block): void {
    this.counts.same++
    const last = this.rows.at(-1)
    if (last?.kind === 'same') {
      last.count++
      last.last = block
    } else this.#add({ kind: 'same', count: 1, first: block, last: block })
  }

  #changed(before: Block, after: Block): void {
    this.counts.changed++
    const isListed = this.rows.length < MAX_ROWS
    const words = isListed ? wordParts(before.text, after.text) : []
    this.#add({ kind: 'changed', before, after, words, facts: factChanges(before, after) })
  }

  #leftBlock(x: number): void {
    const before = this.#old[x]
    const y = this.#movedTo.get(x)
    if (y === undefined) {
      this.counts.removed++
      this.#add({ kind: 'removed', before })
      return
    }
    const { move, isSecond } = this.#move(x, y)
    this.#add({ kind: 'moved-away', ...move, isDown: !isSecond })
  }

  #newBlock(y: number): void {
    const after = this.#now[y]
    const x = this.#movedFrom.get(y)
    if (x === undefined) {
      this.counts.added++
      this.#add({ kind: 'added', after })
      return
    }
    this.counts.moved++
    const facts = factChanges(this.#old[x], after).filter(({ kind }) => kind !== 'place')
    const { move, isSecond } = this.#move(x, y)
    this.#add({ kind: 'moved-here', ...move, isDown: isSecond, facts })
  }

  /** Both rows of a move have one number. */
  #move(x: number, y: number) {
    const isSecond = this.#moves.has(x)
    const nth = this.#moves.get(x) ?? this.#moves.size + 1
    this.#moves.set(x, nth)
    return { move: { nth, before: this.#old[x], after: this.#now[y] }, isSecond }
  }

  #add(row: DiffRow): void {
    if (this.rows.length < MAX_ROWS) this.rows.push(row)
    else if (row.kind !== 'same') this.more++
  }
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

function unmatched(length: number, matches: readonly Match[], side: 'before' | 'after'): number[] {
  const free: number[] = []
  let at = 0
  for (const match of matches) {
    for (; at < match[side]; at++) free.push(at)
    at = match[side] + match.length
  }
  for (; at < length; at++) free.push(at)
  return free
}

const KINDS = ['place', 'tag', 'link', 'image', 'attribute'] as const

function factChanges(before: Block, after: Block): FactChange[] {
  const isSame =
    before.facts.length === after.facts.length &&
    before.facts.every(({ kind, text }, i) => kind === after.facts[i].kind && text === after.facts[i].text)
  if (isSame && before.place === after.place) return []
  const lost = leftOver(before.facts, after.facts)
  const gained = leftOver(after.facts, before.facts)
  if (before.place !== after.place) {
    lost.set('place', [before.place])
    gained.set('place', [after.place])
  }
  return KINDS.filter((kind) => lost.has(kind) || gained.has(kind)).map((kind) => ({
    kind,
    before: lost.get(kind) ?? [],
    after: gained.get(kind) ?? [],
  }))
}

/** Facts that the others do not have, or not as often, by kind. */
function leftOver(facts: readonly Fact[], others: readonly Fact[]): Map<FactChange['kind'], string[]> {
  const counts = new Map<string, number>()
  const keyOfFact = ({ kind, text }: Fact) => `${kind} ${text}`
  for (const fact of others) counts.set(keyOfFact(fact), (counts.get(keyOfFact(fact)) ?? 0) + 1)
  const left = new Map<FactChange['kind'], string[]>()
  for (const fact of facts) {
    const count = counts.get(keyOfFact(fact)) ?? 0
    if (count > 0) counts.set(keyOfFact(fact), count - 1)
    else left.set(fact.kind, [...(left.get(fact.kind) ?? []), fact.text])
  }
  return left
}

/** Words, runs of white space, and single other characters; letters of scripts without spaces are words of their own. */
const WORDS =
  /\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}_])+|./gsu

/** A block has at most MAX_TEXT characters, so it has no more words. */
function wordsOf(text: string): string[] {
  return text.match(WORDS) ?? []
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(wordsOf(text).filter((word) => !/^\s/.test(word)))
}

/** Common words of all; or, when something was only added to or taken from a text, nearly all words of the shorter one. */
function resemblance(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0
  for (const word of one) if (other.has(word)) common++
  const all = one.size + other.size - common
  const fewer = Math.min(one.size, other.size)
  return all === 0 ? 0 : Math.max(common / all, fewer < MIN_WORDS ? 0 : (0.6 * common) / fewer)
}
const MIN_WORDS = 3

/** The words of two texts side by side; white space alone never matches, or it would chop what was replaced. */
export function wordParts(before: string, after: string): WordPart[] {
  const [old, now] = [wordsOf(before), wordsOf(after)]
  const matches = align(...numbered(old, now))
  const parts: WordPart[] = []
  const add = (kind: WordPart['kind'], words: readonly string[]) => {
    if (words.length > 0) parts.push({ kind, text: words.join('') })
  }
  let [x, y] = [0, 0]
  for (const { before: bx, after: ay, length } of matches) {
    const isSpace = length === 1 && /^\s/.test(old[bx]) && (bx > x || ay > y) && bx + 1 < old.length
    if (isSpace) continue
    add('removed', old.slice(x, bx))
    add('added', now.slice(y, ay))
    add('same', old.slice(bx, bx + length))
    x = bx + length
    y = ay + length
  }
  add('removed', old.slice(x))
  add('added', now.slice(y))
  return parts
}
