/** Precision, coverage and recall of each heuristic against the truth, in the columns of VN's Table 2. */
import type { MirrorList } from '../../src/collection/mirrors/find-mirrors.ts'
import { HEURISTICS, type Heuristic } from '../../src/collection/mirrors/heuristics.ts'
import { grouped, type TextTable } from '../../src/report/text-table.ts'

export interface Score {
  heuristic: Heuristic
  groups: number
  replicas: number
  /** Of all sites. */
  share: number
  precision: number
  /** Replicas found for each that Dups100 finds. */
  relativeCoverage: number
  /** Of the true replicas: sites of a family but for one. */
  recall: number
}

/** As the paper prints it: % of duphosts, precision, relative coverage. */
export const TABLE_2: Readonly<Record<Heuristic, readonly [string, string, string]>> = {
  SameHome: ['4.8', '68', '6.6'],
  SameHomeAnd1Doc: ['3.9', '92', '2.1'],
  Dups60: ['3.7', '90', '2.5'],
  Dups80: ['2.2', '92', '2.0'],
  Dups100: ['0.4', '94', '1.0'],
}

/** `family`: sites of one are truly the same. */
export function scoresOf(
  lists: ReadonlyMap<Heuristic, MirrorList>,
  sites: number,
  family: (site: string) => string | undefined,
  trueReplicas: number,
): Score[] {
  const base = lists.get('Dups100')?.pairs.length ?? 0
  return HEURISTICS.map((heuristic) => {
    const { groups, pairs } = lists.get(heuristic) ?? { groups: 0, pairs: [] }
    const right = pairs.filter(({ replica, original }) => {
      const one = family(replica)
      return one !== undefined && one === family(original)
    }).length
    return {
      heuristic,
      groups,
      replicas: pairs.length,
      share: pairs.length / sites,
      precision: pairs.length === 0 ? 0 : right / pairs.length,
      relativeCoverage: base === 0 ? 0 : pairs.length / base,
      recall: trueReplicas === 0 ? 0 : right / trueReplicas,
    }
  })
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`

export function scoreTable(title: string, scores: readonly Score[]): TextTable {
  return {
    title,
    header: [
      'heuristic',
      'groups',
      'replicas',
      '% of sites',
      '(VN)',
      'precision',
      '(VN)',
      'rel. coverage',
      '(VN)',
      'recall',
    ],
    rows: scores.map(({ heuristic, groups, replicas, share, precision, relativeCoverage, recall }) => [
      heuristic,
      grouped(groups),
      grouped(replicas),
      percent(share),
      `${TABLE_2[heuristic][0]}%`,
      percent(precision),
      `${TABLE_2[heuristic][1]}%`,
      relativeCoverage.toFixed(1),
      TABLE_2[heuristic][2],
      percent(recall),
    ]),
  }
}
