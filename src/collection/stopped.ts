/** What each limit and each detector of hazards stopped (Table 7 of the VN paper): sites by verdicts, URLs by counters. */
import type { Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'

export interface StoppedBy {
  /** `site-urls`, `maze` …; `time` and `size` for answers that were cut. */
  rule: string
  /** The limits that were in force: `site-urls>=5000`. */
  limits: string[]
  sites: number
  /** Findings that samples contradicted. */
  withdrawn: number
  /** URLs that were not followed, or answers that were cut. */
  urls: number
}

/** Limits differ from crawl to crawl of a collection, but not by many. */
const MAX_LIMITS = 5

export async function stoppedByRule(tx: Tx, counters: ReadonlyMap<string, number>): Promise<StoppedBy[]> {
  const rules = new Map<string, StoppedBy>()
  const entry = (rule: string): StoppedBy => {
    let found = rules.get(rule)
    if (found === undefined) rules.set(rule, (found = { rule, limits: [], sites: 0, urls: 0, withdrawn: 0 }))
    return found
  }
  const db = queries(tx)
  for (const { rule: limit } of await db.all<{ rule: string }>(READ_LIMITS)) {
    const rule = limit.split('>', 1)[0]
    const { limits } = entry(rule)
    if (rule !== limit && limits.length < MAX_LIMITS) limits.push(limit)
  }
  // `site-urls>=5000` and `site-urls>=100000` are one rule: a site that met both was stopped once.
  for (const [rule, found] of rules)
    Object.assign(found, await db.get<{ sites: number; withdrawn: number }>(COUNT_SITES, rule, `${rule}>`, `${rule}?`))
  for (const [name, value] of counters) {
    if (name.startsWith('stopped:')) entry(name.slice('stopped:'.length)).urls += value
  }
  for (const [rule, note] of CUT) {
    const { sites, urls } = (await db.get<{ sites: number; urls: number }>(
      `SELECT count(DISTINCT site) AS sites, count(*) AS urls FROM page WHERE annotations LIKE ?`,
      `%${note}%`,
    ))!
    if (urls > 0) Object.assign(entry(rule), { sites, urls })
  }
  return [...rules.values()].sort((a, b) => b.sites - a.sites || b.urls - a.urls || (a.rule < b.rule ? -1 : 1))
}

const READ_LIMITS = 'SELECT DISTINCT rule FROM finding ORDER BY rule LIMIT 1000'
/** In the order of bytes all that begins with `rule>` lies between it and `rule?`, the next character. */
const COUNT_SITES = `
  SELECT count(DISTINCT CASE WHEN withdrawn_at IS NULL THEN site END) AS sites,
    sum(CASE WHEN withdrawn_at IS NULL THEN 0 ELSE 1 END) AS withdrawn
  FROM finding WHERE rule = ? OR (rule >= ? AND rule < ?)`

/** Answers that a limit cut, by their annotations in crawl.log. */
const CUT = [
  ['size', 'lenTrunc'],
  ['time', 'timeTrunc'],
] as const
