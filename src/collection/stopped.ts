/** What each limit and each detector of hazards stopped (Table 7 of the VN paper): sites by verdicts, URLs by counters. */
import type { Tx } from '../database/database.ts'
import { sqliteTx } from '../database/sqlite/tx.ts'

export interface StoppedBy {
  /** `site-urls`, `maze` …; `time` and `size` for answers that were cut. */
  rule: string
  /** The limits that were in force: `site-urls>=5000`. */
  limits: string[]
  sites: number
  /** URLs that were not followed, or answers that were cut. */
  urls: number
}

/** Limits differ from crawl to crawl of a collection, but not by many. */
const MOST_LIMITS = 5

export function stoppedByRule(tx: Tx, counters: ReadonlyMap<string, number>): StoppedBy[] {
  const rules = new Map<string, StoppedBy>()
  const entry = (rule: string): StoppedBy => {
    let found = rules.get(rule)
    if (found === undefined) rules.set(rule, (found = { rule, limits: [], sites: 0, urls: 0 }))
    return found
  }
  const db = sqliteTx(tx)
  // `site-urls>=5000` and `site-urls>=100000` are one rule: a site that met both was stopped once.
  const verdicts = db.all<{ name: string; limits: string; sites: number }>(
    `SELECT iif(instr(rule, '>') > 0, substr(rule, 1, instr(rule, '>') - 1), rule) AS name,
       group_concat(DISTINCT rule) AS limits, count(DISTINCT site) AS sites
     FROM verdict GROUP BY name ORDER BY sites DESC, name LIMIT 1000`,
  )
  for (const { name, limits, sites } of verdicts) {
    const found = entry(name)
    found.sites = sites
    found.limits = limits
      .split(',')
      .filter((limit) => limit !== name)
      .sort()
      .slice(0, MOST_LIMITS)
  }
  for (const [name, value] of counters) {
    if (name.startsWith('stopped:')) entry(name.slice('stopped:'.length)).urls += value
  }
  for (const [rule, note] of CUT) {
    const { sites, urls } = db.get<{ sites: number; urls: number }>(
      `SELECT count(DISTINCT site) AS sites, count(*) AS urls FROM page WHERE annotations LIKE '%' || ? || '%'`,
      note,
    )!
    if (urls > 0) Object.assign(entry(rule), { sites, urls })
  }
  return [...rules.values()].sort((a, b) => b.sites - a.sites || b.urls - a.urls || (a.rule < b.rule ? -1 : 1))
}

/** Answers that a limit cut, by their annotations in crawl.log. */
const CUT = [
  ['size', 'lenTrunc'],
  ['time', 'timeTrunc'],
] as const
