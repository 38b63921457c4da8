/**
 * Quiet pages: they name no unknown URL, have a text of their own or none, and the site has shown many new pages before. They make
 * nothing grow, and are most pages of a large honest site. One in eight is judged, and its counts go up by eight. The others are only
 * remembered, so that copies of them are recognised. New contents are not multiplied: eight equal pages show only one.
 */
import { contentOf, textMark } from './content.ts'
import { isSlow } from './family-rules.ts'
import { mix } from './marks.ts'
import type { OpenTraps } from './open-traps.ts'
import type { PageFacts } from './page-facts.ts'
import { LONGEST_ERROR } from './soft-404.ts'

/** New pages of the site that are judged one by one. */
const MIN_NEW = 100
const ONE_IN = 8

/** The number of pages that this one counts as; 0: it is remembered, and not judged. `now`: answers of the site. */
export function weightOf(traps: OpenTraps, page: PageFacts, now: number): number {
  if (!isQuiet(traps, page)) return 1
  // Not every eighth: some sites name pages of two or four kinds in turn.
  const weight = mix(now) % ONE_IN === 0 ? ONE_IN : 0
  if (page.content === undefined) return weight
  const content = contentOf(page.content)
  const text = textMark(content)
  if (traps.texts.has(text)) return 1
  if (weight > 0) return weight
  traps.texts.add(text)
  traps.known.add(page.path, content)
  return 0
}

/** Parameters multiply URLs; short pages may be errors until it is known how the site answers for a missing name, and later if with a page. */
function isQuiet({ novel, probe }: OpenTraps, page: PageFacts): boolean {
  const { content } = page
  return (
    novel[0] >= MIN_NEW &&
    probe?.like === undefined &&
    (content === undefined
      ? page.outcome === 'gone'
      : content.embeds !== undefined && (probe !== undefined || content.words >= LONGEST_ERROR)) &&
    page.depth > 0 &&
    !page.duplicate &&
    !page.isBlind &&
    !page.path.includes('?') &&
    !isSlow(page) &&
    page.links.every(({ fresh }) => !fresh)
  )
}
