/** The five heuristics of VN §4.3: when two sites are duplicate hosts, by the contents that both have. */

import type { SiteName } from '../../contracts/visit.ts'

export const HEURISTICS = ['SameHome', 'SameHomeAnd1Doc', 'Dups60', 'Dups80', 'Dups100'] as const
export type Heuristic = (typeof HEURISTICS)[number]

/**
 * The best trade-off of precision and coverage (docs/tasks/mirrors.md has the figures): in the paper as precise as the
 * others within what fifty samples can tell, and second in coverage only to SameHome, whose every third pair is wrong; in
 * our own measurements more precise than SameHomeAnd1Doc and more complete. It asks that most of a site be equal, which is
 * what a crawl that leaves the replica out stakes on it.
 */
export const DEFAULT_HEURISTIC: Heuristic = 'Dups60'

/** What two sites have in common. A content is a payload's digest; each counts once a site, however many URLs have it. */
export interface Evidence {
  /** Contents that both have. */
  shared: number
  /** Of them, those that few sites have: the others, empty and default pages, say nothing of two sites. */
  telling: number
  /** Their home pages are equal, and such as few sites have. */
  sameHome: boolean
  /** Contents of the one with more. */
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

/** The least share of the larger site that any Dups heuristic asks for. */
export const MIN_SHARE = 0.6
