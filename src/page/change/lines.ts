/** The lines of a page with their places, by the hashes that a reading has of them. */

import { foldText } from '../extract/text.ts'
import { decode } from '../parse/charset.ts'
import type { PageBytes } from '../reading.ts'
import { essenceOf, howToRead } from '../sniff.ts'
import { blocksOf, linesOf } from './blocks.ts'
import type { Line } from './sketch.ts'

/** Later ones of the same text are left out. A line that a block does not have as a whole is not among them. */
export function linesByHash(input: PageBytes): Map<number, Line> {
  const { as } = howToRead(essenceOf(input.mediaType), input.bytes)
  const lines = new Map<number, Line>()
  if (as === 'none') return lines
  const { text } = decode(input.bytes, input.charset)
  const { blocks } = as === 'text' ? linesOf(text) : blocksOf(text, as === 'xhtml')
  for (const { text, place } of blocks) {
    const [hash] = foldText(text).lines
    if (hash !== undefined && !lines.has(hash)) lines.set(hash, { text, place })
  }
  return lines
}
