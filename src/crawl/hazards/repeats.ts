/**
 * Repeated segments (`/a/b/a/b/a/b`, `/x/x/x`): what relative links make of a server that answers anything. The URL alone
 * says so when four segments were there before and one such page had nothing new; fewer do when several had nothing new.
 */
import type { Content } from './content.ts'
import { shorten } from './family.ts'
import type { PatternFinding, Sight } from './finding.ts'
import type { KnownPages } from './known-pages.ts'
import { EMPTY, markOn, mix } from './marks.ts'
import { repeatsIn } from './pattern.ts'

const CERTAIN = 4
const SUSPICIOUS = 2
/** Pages with so few repeats that said nothing new. */
const PAGES = 3

/** The URL with some of its segments left out, shorter ones first, is looked for so often. */
const MAX_SEGMENTS = 12

export type Repeats = [answered: number, nothingNew: number]

export function repeatPattern(folder: string, min: number): string {
  return `${folder}/** with ${min} segments repeated`
}

/** The URL repeats itself, and without some segments in a row it is that of a page that said nearly the same. */
export function isAliasOfRepeats(known: KnownPages, path: string, content: Content): boolean {
  if (repeatsIn(path) < SUSPICIOUS) return false
  const slashes: number[] = []
  for (let at = path.indexOf('/'); at >= 0 && slashes.length < MAX_SEGMENTS; at = path.indexOf('/', at + 1))
    slashes.push(at)
  return slashes.some((from, first) =>
    slashes.slice(first + 1).some((to) => {
      const shorter = mix(markOn(markOn(EMPTY, path, 0, from), path, to, path.length))
      return known.saidAt(shorter, content, true) === 'same'
    }),
  )
}

/** Counts the page, if its path repeats itself. */
export function countRepeats(repeats: Repeats | undefined, path: string, isNew: boolean): Repeats | undefined {
  if (repeatsIn(path) < SUSPICIOUS) return repeats
  const [answered, nothingNew] = repeats ?? [0, 0]
  return [answered + 1, nothingNew + (isNew ? 0 : 1)]
}

export function judgeRepeats(
  repeats: Repeats | undefined,
  isAlias: boolean,
  { page, content }: Sight,
): PatternFinding | undefined {
  if (content === undefined || repeats === undefined) return undefined
  const count = repeatsIn(page.path)
  if (count < SUSPICIOUS) return undefined
  const [answered, nothingNew] = repeats
  const rule = 'repeated-segments'
  const examples = [shorten(page.path)]
  if (nothingNew >= PAGES && nothingNew * 5 >= answered * 2) {
    const evidence = `${nothingNew} of ${answered} pages with repeated segments in their paths said nothing new`
    // What relative links pile up in one folder is known without that; elsewhere, such paths may be meant.
    const folder = isAlias ? page.path.slice(0, page.path.indexOf('/', 1)) : ''
    return { rule, proof: isAlias ? 'alias' : 'text', pattern: repeatPattern(folder, SUSPICIOUS), evidence, examples }
  }
  // A page that had something to say is a page, wherever it lies.
  if (count < CERTAIN || nothingNew === 0) return undefined
  const evidence = `a page was answered whose path has ${count} segments that were there before in it`
  return { rule, proof: 'text', pattern: repeatPattern('', CERTAIN), evidence, examples }
}
