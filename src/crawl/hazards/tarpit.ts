/**
 * Machine-made mazes: every page is new, nearly all its links are fresh and lead to more of the same, and nothing closes:
 * no page is linked to twice, nothing leads out. An honest site of any size has navigation, and its pages link to one
 * another; how long that may take to show depends on how much else speaks for a maze.
 */
import { minSize } from './count-page.ts'
import { type Family, isDense } from './family.ts'
import { hasRest, type PatternFinding, patience, restOf, type Sight } from './finding.ts'

/** Pages until it is certain when none leads anywhere else, not even home: names like throws of dice, scattered numbers, words. */
const BARE = { random: 12, numbers: 16, words: 40 }
/** Else so many pages must there be, by capture and recapture, for so few links to lead to known ones. */
const MIN_PAGES = 16
const SIZE = { homeward: { random: 5_000, words: 25_000 }, dressed: { random: 15_000, words: 50_000 } }
/** A tree has no links across, however small it is. */
const DRESSED_TREE = 1_000
/** Pages of late that may be a maze's, among honest ones of the same form: their links are not followed, the form goes on. */
const LOST_FOR_GOOD = { random: 24, words: 40 }
/** Of a hundred links that are not navigation, so many may lead to what is known. */
const CLOSES_AT = 0.02

/** The widest of the page's families that is a maze through and through. */
export function judgeMaze(sight: Sight): PatternFinding | undefined {
  const { form, folders } = sight
  // What is numbered without gaps is an enumeration, and ends.
  if (isDense(form)) return undefined
  let maze = isMaze(form, sight) && isBranching(sight.partner) ? form : undefined
  for (const folder of folders) {
    if (!isMaze(folder, sight)) continue
    // The folder only if the maze has pages of other forms there.
    if (maze === undefined || folder.fresh > maze.fresh * 1.1) maze = folder
  }
  if (maze === undefined) return undefined
  const { pattern, pages, fresh, known, examples } = maze
  const evidence = `${pages} pages have ${fresh} fresh links to more of their kind and ${known} to pages known before`
  return { rule: 'maze', proof: 'growth', pattern, evidence, examples }
}

/** Of two families that name each other both must branch: tags lead to articles, and few articles to ever more tags. */
function isBranching(partner: Family | undefined): boolean {
  return partner === undefined || (partner.pages > 0 && partner.branching >= partner.pages * 0.9)
}

function isMaze(family: Family, sight: Sight): boolean {
  const { pages, branching, fresh, known, navigation, outward, inward } = family
  if (branching < pages * 0.9 || inward < pages * 0.8 || outward > pages * 0.1) return false
  if (known > (known + fresh) * CLOSES_AT) return false
  const dice = isDice(family)
  const bare = navigation < pages
  if (bare && family.homeward * 2 < pages) {
    const scattered = family.highest > 0 && family.pattern.endsWith('#')
    const budget = BARE[dice ? 'random' : scattered ? 'numbers' : 'words']
    return pages >= patience(budget, family, sight) && restCloses(restOf(family, sight), sight)
  }
  if (!bare && family.longer > family.growing * 0.7) return pages >= patience(DRESSED_TREE, family, sight)
  const size = (bare ? SIZE.homeward : SIZE.dressed)[dice ? 'random' : 'words']
  return pages >= patience(MIN_PAGES, family, sight) && minSize(fresh, known) > size
}

function isDice({ random, fresh }: Family): boolean {
  return random > fresh * 0.6
}

/** Where no page of a site leads back, a part in which none does is no maze: half of the others must. */
function restCloses(rest: number, { closing }: Sight): boolean {
  return closing >= rest / 2
}

/** The same of pages of whatever forms, which lead in turn from one family into the next. */
const BARE_FOR_GOOD = 60

export function isBareForGood(bare: number, sight: Sight): boolean {
  return bare >= BARE_FOR_GOOD && hasRest(sight.novel, bare) && restCloses(sight.novel - bare, sight)
}

/** Honest pages have the same form as those of a maze: the form goes on, the links of pages that lead nowhere else do not. */
export function isLostForGood(form: Family, sight: Sight): boolean {
  if (form.lost < LOST_FOR_GOOD[isDice(form) ? 'random' : 'words'] || isDense(form)) return false
  return hasRest(sight.novel, form.lost) && restCloses(sight.novel - form.lost, sight)
}
