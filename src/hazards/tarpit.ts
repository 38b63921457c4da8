/**
 * Machine-made mazes: every page is new, nearly all its links are fresh and lead to more of the same, and nothing closes:
 * no page is linked to twice, nothing leads out. An honest site of any size has navigation, and its pages link to one
 * another; how long that may take to show depends on how much else speaks for a maze.
 */
import type { Family } from './family.ts'
import { type Finding, patience, type Sight } from './finding.ts'

/** Pages until it is certain: without any navigation, with names like throws of dice or of words; then with navigation. */
const BARE_RANDOM = 10
const BARE_WORDS = 16
const DRESSED_RANDOM = 50
const DRESSED_WORDS = 150
/** Of a hundred links that are not navigation, so many may lead to what is known. */
const CLOSES_AT = 0.02

/** The widest of the page's families that is a maze through and through. */
export function judgeMaze({ form, folders, suspicion }: Sight): Finding | undefined {
  let maze = isMaze(form, suspicion) ? form : undefined
  for (const folder of folders) {
    if (folder.vouched > Math.max(3, folder.pages / 4) || !isMaze(folder, suspicion)) continue
    // The folder only if the maze has pages of other forms there.
    if (maze === undefined || folder.fresh > maze.fresh * 1.1) maze = folder
  }
  if (maze === undefined) return undefined
  const { pattern, pages, fresh, known, examples } = maze
  const evidence = `${pages} pages have ${fresh} fresh links to more of their kind and ${known} to pages known before`
  return { rule: 'maze', pattern, evidence, examples }
}

function isMaze(family: Family, suspicion: number): boolean {
  const { pages, branching, fresh, known, navigation, random, outward, inward } = family
  if (branching < pages * 0.9 || inward < pages * 0.8 || outward > pages * 0.1) return false
  if (known > (known + fresh) * CLOSES_AT) return false
  const bare = navigation < pages
  const dice = random > fresh * 0.6
  return pages >= patience(bare ? (dice ? BARE_RANDOM : BARE_WORDS) : dice ? DRESSED_RANDOM : DRESSED_WORDS, suspicion)
}
