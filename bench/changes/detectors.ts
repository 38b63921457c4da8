/** The detectors that `bench changes` compares: each sees the looks at a page one after the other, and keeps what it likes. */

import { createHash } from 'node:crypto'
import { hash64 } from '../../src/base/digest.ts'
import { runThrough } from '../../src/base/stretches.ts'
import { counts } from '../../src/contracts/change.ts'
import { freshMemory, type SiteMemory } from '../../src/contracts/site-memory.ts'
import { cameOnSite, slotOnSite, withSlots } from '../../src/crawl/compare-look.ts'
import { type PaperSignature, signPage } from '../../src/page/change/document-tree.ts'
import { type ImageCodes, imageCodes } from '../../src/page/change/image-codes.ts'
import { readLines } from '../../src/page/change/lines.ts'
import { changedLevels, findChange, firstDifference, imagesOf } from '../../src/page/change/paper-cascade.ts'
import { compareSketch, sketchOf } from '../../src/page/change/sketch.ts'
import { type Reading, readPage } from '../../src/page/reading.ts'

export interface Look {
  site: string
  path: string
  bytes: Uint8Array
  /** The bytes of an image of the page, by its reference as written. */
  image: (href: string) => Uint8Array | undefined
}

export interface Judgement {
  memory: unknown
  /** Meaningless at the first look. */
  changed: boolean
  /** What kind of change, where the detector knows kinds. */
  class?: string
}

export interface Detector {
  name: string
  /** `memory`: what it returned at the look before; undefined at the first. */
  look(look: Look, memory: unknown): Promise<Judgement>
}

/** Remembers a value of the last look, and compares two of them. */
function comparing<T>(
  name: string,
  value: (look: Look) => T,
  differ: (before: T, now: T) => boolean | Promise<boolean> = (before, now) => before !== now,
): Detector {
  return {
    name,
    async look(look, memory) {
      const now = value(look)
      return { memory: now, changed: memory !== undefined && (await differ(memory as T, now)) }
    },
  }
}

function remembered<T>(make: (look: Look) => T): (look: Look) => T {
  const known = new WeakMap<Look, T>()
  return (look) => {
    let value = known.get(look)
    if (value === undefined) known.set(look, (value = make(look)))
    return value
  }
}

const page = ({ bytes }: Look) => ({ mediaType: 'text/html', charset: undefined, bytes })
const reading = remembered((look): Reading => readPage(page(look)))
const signed = remembered((look): PaperSignature => signPage(page(look)))
const digest = (bytes: Uint8Array) => createHash('sha1').update(bytes).digest('hex')

const MAX_IMAGES = 10
const codes = new Map<string, Promise<ImageCodes | undefined>>()

/** What `pick` takes of each image's codes; of one that can't be decoded, the digest; of one that the package has not, nothing. */
async function ofImages<T>(look: Look, pick: (codes: ImageCodes) => T): Promise<(T | string)[]> {
  const found = imagesOf(reading(look).links).slice(0, MAX_IMAGES).map(look.image)
  return await Promise.all(
    found.map(async (bytes) => {
      if (bytes === undefined) return ''
      const key = digest(bytes)
      const code = codes.get(key) ?? imageCodes(bytes)
      codes.set(key, code)
      const known = await code
      return known === undefined ? key : pick(known)
    }),
  )
}

const ivals = (look: Look) => ofImages(look, ({ ival }) => ival)
const hashes = (look: Look) => ofImages(look, ({ perceptual }) => perceptual)
/** Bits of a perceptual hash by which a picture may differ from itself, saved anew. */
const NEAR = 4

const differ = (one: readonly unknown[], other: readonly unknown[]) => one.join() !== other.join()

function bitsApart(one: bigint, other: bigint): number {
  return (one ^ other).toString(2).replaceAll('0', '').length
}

const cascade = (method: 'I' | 'II') =>
  comparing(
    `cascade ${method}`,
    (look) => look,
    async (before, now) =>
      (await findChange(method, signed(before), signed(now), async () => [await ivals(before), await ivals(now)])) !==
      undefined,
  )

interface Sketch {
  digest: string
  textDigest: bigint
  looks: number
  sketch: Uint8Array
}

/**
 * What a crawl decides by (`crawl/compare-look.ts`), once a day, with the default of `refresh.counts-as-change`. `site`: what pages have
 * shown holds for other pages of their site.
 */
function sketching(name: string, site: boolean): Detector {
  const sites = new Map<string, SiteMemory>()
  return {
    name,
    async look(look, memory) {
      const before = memory as Sketch | undefined
      const { signature, title, links } = reading(look)
      const hrefs = new Set(links.map(({ href }) => href))
      const set = [...hrefs].reduce((sum, href) => (sum + Number(hash64(href) & 0xffffffn)) & 0xffffff, 0)
      const now = { lines: signature.lines, minima: signature.minima, title, links: set }
      const next = { digest: digest(look.bytes), textDigest: signature.textDigest, looks: (before?.looks ?? 0) + 1 }
      if (before === undefined) return { memory: { ...next, sketch: sketchOf(now) }, changed: false }
      if (before.digest === next.digest) return { memory: { ...before, looks: next.looks }, changed: false }
      const known = sites.get(look.site) ?? freshMemory()
      const lines = runThrough(readLines(page(look)))
      const compared = compareSketch(before.sketch, {
        now,
        isSameText: before.textDigest === next.textDigest,
        looks: before.looks,
        since: DAY_MS,
        page: lines.byHash,
        boxes: lines.boxes,
        onSite: (slot) => (site ? slotOnSite(known, slot) : undefined),
        cameOnSite: (line, title) => site && cameOnSite(known, line, title),
      })
      if (compared === undefined) throw new Error('bug: a sketch that can not be read')
      sites.set(look.site, withSlots(known, compared.news, compared.came))
      const { class: kind, sketch } = compared
      return { memory: { ...next, sketch }, changed: counts(kind, 'small'), class: kind }
    },
  }
}

const DAY_MS = 24 * 3600_000

export const DETECTORS: readonly Detector[] = [
  comparing('structure I', (look) => signed(look).first + signed(look).last),
  comparing('structure II', signed, (before, now) => {
    const [one, other] = [before.tree, now.tree]
    return changedLevels(one.levels, other.levels).length > 0 || firstDifference(one.children, other.children) >= 0
  }),
  comparing('text I', (look) => signed(look).text.codeI),
  comparing('text II', (look) => signed(look).text.codeII),
  comparing(
    'images',
    (look) => look,
    async (before, now) => differ(await ivals(before), await ivals(now)),
  ),
  comparing(
    'images, dHash',
    (look) => look,
    async (before, now) => {
      const [old, fresh] = [await hashes(before), await hashes(now)]
      const isNear = (a: bigint | string, b: bigint | string) =>
        typeof a === 'bigint' && typeof b === 'bigint' ? bitsApart(a, b) <= NEAR : a === b
      return old.length !== fresh.length || !old.every((each, i) => isNear(each, fresh[i]))
    },
  ),
  cascade('I'),
  cascade('II'),
  comparing('bytes', ({ bytes }) => digest(bytes)),
  comparing('text digest', (look) => reading(look).signature.textDigest),
  comparing('shape', (look) => reading(look).signature.shape),
  comparing(
    'simhash > 3',
    (look) => reading(look).signature.simhash,
    (before, now) => bitsApart(before, now) > 3,
  ),
  sketching('sketch', false),
  sketching('sketch, site', true),
]
