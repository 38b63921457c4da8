/** Seeds as people submit them: one a line, `#` begins a comment. Each slip is put right or named with its line. */
import { submittedSeed } from '../../web/url/seed.ts'
import { type Found, refused } from './found.ts'
import { type Line, linesOf } from './lines.ts'
import { type Chunks, unfolded } from './unfold.ts'

export async function* submissions(chunks: Chunks): AsyncGenerator<readonly Found[]> {
  for await (const lines of linesOf(unfolded(chunks))) yield lines.flatMap(submission)
}

export function submission({ number, text, isTooLong }: Line): Found[] {
  if (isTooLong) return [refused(text, number, 'the line is too long')]
  // As in `web/url/seed`: at the start or after white space, so that fragments are not lost.
  const hash = /(?:^|\s)#/.exec(text)
  const seed = (hash === null ? text : text.slice(0, hash.index)).trim()
  if (seed === '') return []
  const read = submittedSeed(seed)
  if (read.kind === 'bad') return [refused(seed, number, read.why)]
  return [{ kind: 'seed', url: read.url, at: number, ...(read.corrected.length === 0 ? {} : { instead: seed }) }]
}
