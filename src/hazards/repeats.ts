/**
 * Repeated segments (`/a/b/a/b/a/b`, `/x/x/x`): what relative links make of a server that answers anything. The URL alone
 * says so when four segments were there before and one such page had nothing new; fewer do when several had nothing new.
 */

import { shorten } from './family.ts'
import type { Finding, Sight } from './finding.ts'
import { repeatsIn } from './pattern.ts'

const CERTAIN = 4
const SUSPICIOUS = 2
/** Pages with so few repeats that said nothing new. */
const PAGES = 3

export type Repeats = [answered: number, nothingNew: number]

export function repeatPattern(least: number): string {
  return `/** with ${least} segments repeated`
}

/** Counts the page, if its path repeats itself. */
export function countRepeats(repeats: Repeats | undefined, path: string, isNew: boolean): Repeats | undefined {
  if (repeatsIn(path) < SUSPICIOUS) return repeats
  const [answered, nothingNew] = repeats ?? [0, 0]
  return [answered + 1, nothingNew + (isNew ? 0 : 1)]
}

export function judgeRepeats(repeats: Repeats | undefined, { page, content }: Sight): Finding | undefined {
  if (content === undefined || repeats === undefined) return undefined
  const count = repeatsIn(page.path)
  if (count < SUSPICIOUS) return undefined
  const [answered, nothingNew] = repeats
  const rule = 'repeated-segments'
  const examples = [shorten(page.path)]
  if (nothingNew >= PAGES && nothingNew * 5 >= answered * 2) {
    const evidence = `${nothingNew} of ${answered} pages with repeated segments in their paths said nothing new`
    return { rule, proof: 'text', pattern: repeatPattern(SUSPICIOUS), evidence, examples }
  }
  // A page that had something to say is a page, wherever it lies.
  if (count < CERTAIN || nothingNew === 0) return undefined
  const evidence = `a page was answered whose path has ${count} segments that were there before in it`
  return { rule, proof: 'text', pattern: repeatPattern(CERTAIN), evidence, examples }
}
