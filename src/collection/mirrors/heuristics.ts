/** The five heuristics of VN §4.3: two sites are duplicate hosts by the contents that both have. */

import type { SiteName } from '../../contracts/visit.ts'

export const HEURISTICS = ['SameHome', 'SameHomeAnd1Doc', 'Dups60', 'Dups80', 'Dups100'] as const
export type Heuristic = (typeof HEURISTICS)[number]

/**
 * The best trade-off of precision and coverage (docs/tasks/mirrors.md has the figures). In the paper it is as precise as the
 * others, as far as fifty samples show, and second in coverage only to SameHome, of whose pairs a third are wrong. In our
 * measurements it is more precise and more complete than SameHomeAnd1Doc. It requires that most of a site is equal, which
 * matters to a crawl that skips the replica.
 */
export const DEFAULT_HEURISTIC: Heuristic = 'Dups60'

/** What two sites have in common. A content is a payload's digest, and counts once per site. */
export interface Evidence {
  /** Contents that both have. */
  shared: number
  /** Those of them that few sites have; the others are empty and default pages. */
  telling: number
  /** Their home pages are equal, and few sites have that content. */
  sameHome: boolean
  /** Contents of the larger site. */
  total: number
}

export interface MirrorPair extends Evidence {
  replica: SiteName
  original: SiteName
}

const MIN_TELLING = 2

export function holds(heuristic: Heuristic, { shared, telling, sameHome, total }: Evidence): boolean {
  switch (heuristic) {
    case 'SameHome':
      return sameHome
    case 'SameHomeAnd1Doc':
      return sameHome && telling >= MIN_TELLING
    case 'Dups60':
      return telling >= MIN_TELLING && shared * 100 >= total * 60
    case 'Dups80':
      return telling >= MIN_TELLING && shared * 100 >= total * 80
    case 'Dups100':
      return telling >= MIN_TELLING && shared === total
  }
}

/** The smallest share of the larger site that any Dups heuristic requires. */
export const MIN_SHARE = 0.6
