/** A page that is looked at again and again, and pages to look at. */
import assert from 'node:assert/strict'
import { runThrough } from '../../base/stretches.ts'
import { readPage } from '../reading.ts'
import { readLines } from './lines.ts'
import type { RegionRules } from './region-rules.ts'
import { compareSketch, type Look, type Sketched, sketchOf } from './sketch.ts'
import type { SlotNews } from './slots.ts'

export const DAY = 86_400_000

export const pageOf = (html: string) => ({ mediaType: 'text/html', charset: 'utf-8', bytes: Buffer.from(html) })

export function sketched(html: string): Sketched & { textDigest: bigint } {
  const { signature, title } = readPage(pageOf(html))
  const { lines, minima, textDigest } = signature
  return { lines, minima, title, links: 0, textDigest }
}

/** Looks at one page again and again, and says what each found. */
export class Watched {
  looks = 1
  news: SlotNews[] = []
  #before: string
  #sketch: Uint8Array

  constructor(html: string) {
    this.#before = html
    this.#sketch = sketchOf(sketched(html))
  }

  get bytes(): number {
    return this.#sketch.length
  }

  /** A look that found the same bytes: nothing is stored of it. */
  same(): void {
    this.looks++
  }

  look(html: string, more: Partial<Look> = {}, rules?: RegionRules): string {
    const now = sketched(html)
    const lines = runThrough(readLines(pageOf(html), rules))
    const compared = compareSketch(this.#sketch, {
      now,
      isSameText: sketched(this.#before).textDigest === now.textDigest,
      looks: this.looks,
      since: DAY,
      page: lines.byHash,
      boxes: lines.boxes,
      onSite: () => undefined,
      cameOnSite: () => false,
      ...more,
    })
    assert.ok(compared !== undefined)
    this.looks++
    this.#before = html
    this.#sketch = compared.sketch
    this.news = compared.news
    return compared.place === undefined ? compared.class : `${compared.class}: ${compared.place}`
  }
}

export const paragraphs = (count: number, word = 'word') =>
  Array.from(
    { length: count },
    (_, i) => `<p>The ${word} of paragraph ${i} tells of weaving number ${i * i}, and of orb webs.`,
  )

export const page = ({ stamp = '', ad = '', counter = '', body = paragraphs(10) }: Record<string, unknown> = {}) =>
  `<title>Weaving</title><body><h1>Weaving</h1><div id=ad>${ad}</div><div id=main>${(body as string[]).join('')}</div>
  <div id=foot><p>Last seen ${stamp}<p>You are visitor ${counter}</div>`
