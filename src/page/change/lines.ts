/** The lines of a page with their places, by the hashes that a reading has of them. */

import type { Stretches } from '../../base/stretches.ts'
import { foldText } from '../extract/text.ts'
import { decode } from '../parse/charset.ts'
import type { PageBytes } from '../reading.ts'
import { essenceOf, howToRead } from '../sniff.ts'
import { type Box, blocksInTurns, linesOf } from './blocks.ts'
import type { RegionRules } from './region-rules.ts'
import type { Line } from './regions.ts'

export interface PageLines {
  /** In their order, without what the rules ignore. */
  hashes: Uint32Array
  /** Of each, the innermost element that makes blocks. */
  boxes: (Box | undefined)[]
  /** The first of each text. A line that no block has as a whole is not among them. */
  byHash: ReadonlyMap<number, Line>
  /** Without what the rules ignore. */
  title: string
  /** Of the shingles of what the rules leave; undefined where they ignored nothing. */
  minima: Uint16Array | undefined
  /** The rules left something out. */
  isPartial: boolean
}

const TITLE = 'head > title'

/** A page of 2 MB may take half a second, so in stretches. */
export function* readLines(input: PageBytes, rules?: RegionRules): Stretches<PageLines> {
  const { as } = howToRead(essenceOf(input.mediaType), input.bytes)
  const hashes: number[] = []
  const boxes: (Box | undefined)[] = []
  const byHash = new Map<number, Line>()
  const { text } = as === 'none' ? { text: '' } : decode(input.bytes, input.charset)
  const read = as === 'text' ? linesOf(text) : yield* blocksInTurns(text, as === 'xhtml', { rules, whole: true })
  let { isPartial } = read
  let title = ''
  const texts: string[] = []
  for (const [nth, block] of read.blocks.entries()) {
    if (nth % BLOCKS_PER_STRETCH === BLOCKS_PER_STRETCH - 1) yield
    const text = rules?.withoutIgnored(block.text) ?? block.text
    if (text.length < block.text.length) isPartial = true
    if (block.place === TITLE) {
      title ||= text
      continue
    }
    if (rules !== undefined) texts.push(text)
    const isWatched = block.watched === true || rules?.watchesText(text) === true
    for (const hash of foldText(text).lines) {
      hashes.push(hash)
      boxes.push(block.box)
      if (!byHash.has(hash)) byHash.set(hash, { text, place: block.place, ...(isWatched && { isWatched }) })
    }
  }
  const minima = isPartial && rules !== undefined ? foldText(texts.join('\n')).minima : undefined
  return {
    hashes: Uint32Array.from(hashes.slice(0, MAX_HASHES)),
    boxes: boxes.slice(0, MAX_HASHES),
    byHash,
    title,
    minima,
    isPartial,
  }
}

/** Some 5 ms. */
const BLOCKS_PER_STRETCH = 1000
/** As many as a reading has. */
const MAX_HASHES = 8192
