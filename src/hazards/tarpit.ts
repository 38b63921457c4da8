/**
 * Machine-made mazes: every page is new, nearly all its links are fresh and lead to more of the same, and nothing closes:
 * no page is linked to twice, nothing leads out. An honest site of any size has navigation, and its pages link to one
 * another; how long that may take to show depends on how much else speaks for a maze.
 */
import type { Family } from './family.ts'
import { type Finding, patience, type Sight } from './finding.ts'

/** Pages until it is certain when none leads anywhere else, not even home: names like throws of dice, and like words. */
const BARE_RANDOM = 10
const BARE_WORDS = 16
/** Else so many pages must there be, by capture and recapture, for so few links to lead to known ones. */
const LEAST_PAGES = 16
const SIZE = { homeward: { random: 5_000, words: 25_000 }, dressed: { random: 15_000, words: 50_000 } }
/** A tree has no links across, however small it is. */
const DRESSED_TREE = 1_000
/** Pages of late that may be a maze's, among honest ones of the same form: their links are not followed, the form goes on. */
export const LOST_FOR_GOOD = 24
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
  const dice = random > fresh * 0.6
  const bare = navigation < pages
  if (bare && family.homeward * 2 < pages) return pages >= patience(dice ? BARE_RANDOM : BARE_WORDS, suspicion)
  if (!bare && family.longer > family.growing * 0.7) return pages >= DRESSED_TREE
  const size = (bare ? SIZE.homeward : SIZE.dressed)[dice ? 'random' : 'words']
  return pages >= LEAST_PAGES && leastSize(fresh, known) > size
}

/**
 * How many pages there are at least, when so many links to them brought so few that were known: as in counting fish by
 * catching them twice. Three more than were seen may have been due (95 of 100 times).
 */
function leastSize(fresh: number, known: number): number {
  return (fresh * fresh) / (2 * (known + 3))
}
