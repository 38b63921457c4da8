/**
 * Mazes that change their form. `/wiki/WORD` leads to `/shop/NUMBER`, that to `/blog/WORD`, and so on in a circle, with the
 * site's menu on every page. Each page is named by one of another family, so no family seems to grow by itself. But links in a
 * maze never meet: of hundreds of links, hardly two lead to the same page, however far the maze is from the home page. Links
 * between honest pages meet soon, because some pages are named everywhere; and where every page is named only once, in a
 * hierarchy of lists, URLs don't come back to the shape they began with.
 */
import { isNavigation, type LinkCensus } from './link-census.ts'
import { minSize } from './mazes.ts'
import type { PageFacts } from './page-facts.ts'

/** Shapes of URLs, in columns: the shape; links to it that were fresh, and that were known; the shapes it leads to, as bits of rows. */
export type Drift = number[]

const WIDTH = 4
const [SHAPE, FRESH, MET, LEADS] = [0, 1, 2, 3]
const MAX_SHAPES = 10
/** Of a shape's links the last ones count. */
const MAX_COUNTED = 4_000

/** Steps from the home page: links are counted from the first on, and not followed from the second on. Lists seldom nest so deep. */
const COUNTED_FROM = 3
const LOST_FROM = 4
/** Fresh links to a shape, and the number of pages that they imply. */
const MIN_FRESH = 300
const MIN_SIZE = 20_000
/** For the page's own shape; it may be the first of its level. */
const MIN_OWN = 16
/** As many links as `countLinks` counts. */
const MAX_LINKS = 64

/** Counts a page. If it leads further into a maze, its links are not worth following: returns the evidence. */
export function judgeDrift(drift: Drift, page: PageFacts, census: LinkCensus, weight: number): string | undefined {
  const shape = shapeOf(page.path)
  const own = rowOf(drift, shape)
  let fresh = 0
  let into = 0
  const step = Math.max(1, page.links.length / MAX_LINKS)
  for (let at = 0; at < page.links.length; at += step) {
    const link = page.links[Math.floor(at)]
    if (!link.fresh && (page.depth < COUNTED_FROM || isNavigation(link.key))) continue
    if (link.path === '/' || link.path === page.path) continue
    const row = rowOf(drift, shapeOf(link.path))
    if (page.depth >= COUNTED_FROM) count(drift, row, link.fresh ? FRESH : MET, weight)
    if (!link.fresh) continue
    // Another shape may have taken its row.
    if (drift[own + SHAPE] === shape) drift[own + LEADS] |= bitOf(row)
    fresh++
    if (isBoundless(drift, row)) into++
  }
  if (page.depth < LOST_FROM || fresh < 2 || into * 2 <= fresh || census.known > 2 * fresh) return undefined
  if (drift[own + SHAPE] !== shape || !isUnmet(drift, own) || !leadsBack(drift, own)) return undefined
  const sum = (column: number) => drift.reduce((all, one, at) => (at % WIDTH === column ? all + one : all), 0)
  // Elsewhere on the site links meet: one shape may well be named once each, as the classes of a manual are.
  if (sum(MET) * 2 > sum(FRESH)) return undefined
  return `${sum(FRESH)} links are fresh and ${sum(MET)} lead to known pages, ${COUNTED_FROM} and more steps from the home page: links of such pages are not followed`
}

/** How many segments its path has, whether its name has an extension, and whether it has parameters: never 0. */
export function shapeOf(path: string): number {
  let segments = 0
  let dot = 0
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at)
    if (code === 63) return 4 * Math.min(segments, 20) + 2 + dot
    if (code === 47) {
      segments++
      dot = 0
    } else if (code === 46) dot = 1
  }
  return 4 * Math.min(segments, 20) + dot
}

/** The row of a shape; a new one replaces the shape with fewest links. */
function rowOf(drift: Drift, shape: number): number {
  let rarest = 0
  for (let row = 0; row < drift.length; row += WIDTH) {
    if (drift[row + SHAPE] === shape) return row
    if (drift[row + FRESH] + drift[row + MET] < drift[rarest + FRESH] + drift[rarest + MET]) rarest = row
  }
  const isFull = drift.length >= MAX_SHAPES * WIDTH
  const row = isFull ? rarest : drift.length
  if (isFull) for (let other = 0; other < drift.length; other += WIDTH) drift[other + LEADS] &= ~bitOf(row)
  drift[row + SHAPE] = shape
  drift[row + FRESH] = drift[row + MET] = drift[row + LEADS] = 0
  return row
}

function count(drift: Drift, row: number, column: number, weight: number): void {
  drift[row + column] += weight
  if (drift[row + column] <= MAX_COUNTED) return
  drift[row + FRESH] >>= 1
  drift[row + MET] >>= 1
}

const bitOf = (row: number) => 1 << (row / WIDTH)

function isBoundless(drift: Drift, row: number): boolean {
  return drift[row + FRESH] >= MIN_FRESH && minSize(drift[row + FRESH], drift[row + MET]) > MIN_SIZE
}

function isUnmet(drift: Drift, row: number): boolean {
  return drift[row + FRESH] >= MIN_OWN && drift[row + MET] * 50 <= drift[row + FRESH]
}

/** Pages of this shape lead, step by step, to more pages of the same shape. */
function leadsBack(drift: Drift, own: number): boolean {
  let reached = drift[own + LEADS]
  for (let before = 0; before !== reached; ) {
    before = reached
    for (let row = 0; row < drift.length; row += WIDTH) if ((reached & bitOf(row)) !== 0) reached |= drift[row + LEADS]
  }
  return (reached & bitOf(own)) !== 0
}
