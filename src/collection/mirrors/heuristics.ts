/** The five heuristics of VN §4.3: when two sites are duplicate hosts, by the contents that both have. */

export const HEURISTICS = ['SameHome', 'SameHomeAnd1Doc', 'Dups60', 'Dups80', 'Dups100'] as const
export type Heuristic = (typeof HEURISTICS)[number]

/**
 * The best trade-off (docs/tasks/mirrors.md has the figures): as precise as Dups80 and twice as far-reaching as Dups100 in
 * the paper, and in our own measurement; it needs no site to be collected whole, and what it claims, equal home pages, is
 * what the next crawl looks at to see whether it is still true.
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

const LEAST_TELLING = 2

export function holds(heuristic: Heuristic, { shared, telling, sameHome, total }: Evidence): boolean {
  switch (heuristic) {
    case 'SameHome':
      return sameHome
    case 'SameHomeAnd1Doc':
      return sameHome && telling >= LEAST_TELLING
    case 'Dups60':
      return telling >= LEAST_TELLING && shared * 100 >= total * 60
    case 'Dups80':
      return telling >= LEAST_TELLING && shared * 100 >= total * 80
    case 'Dups100':
      return telling >= LEAST_TELLING && shared === total
  }
}

/** The least share of the larger site that any Dups heuristic asks for. */
export const LEAST_SHARE = 0.6
