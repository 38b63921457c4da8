/** Reads seeds as people submit them: one per line, `#` starts a comment. Each mistake is corrected or reported with its line. */
import { submittedSeed } from '../../web/url/seed.ts'
import { type Chunks, unfolded } from './decompress.ts'
import { type Found, refused } from './found.ts'
import { type Line, linesOf } from './lines.ts'

export async function* submissions(chunks: Chunks): AsyncGenerator<readonly Found[]> {
  for await (const lines of linesOf(unfolded(chunks))) yield lines.flatMap(submission)
}

export function submission({ number, text, isTooLong }: Line): Found[] {
  if (isTooLong) return [refused(text, number, 'the line is too long')]
  // As in `web/url/seed.ts`: only at the start or after white space, so that fragments are kept.
  const hash = /(?:^|\s)#/.exec(text)
  const seed = (hash === null ? text : text.slice(0, hash.index)).trim()
  if (seed === '') return []
  const read = submittedSeed(seed)
  if (read.kind === 'bad') return [refused(seed, number, read.why)]
  return [{ kind: 'seed', url: read.url, at: number, ...(read.corrected.length === 0 ? {} : { instead: seed }) }]
}
