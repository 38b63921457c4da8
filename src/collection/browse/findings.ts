/** Hazards of all sites, newest first, and sites that are aliases of others. For the dashboard. */
import type { Instant } from '../../base/clock.ts'
import type { FindingName } from '../../contracts/control.ts'
import { ruleLabel } from '../../contracts/counts.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { Dialect, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { examplesOf, findingsOf, type StoredFinding } from '../pages/read-pages.ts'
import { pieceOf, siteNamed } from '../row-id.ts'

export interface ListedFinding extends StoredFinding {
  id: number
  /** Undefined: a site that the frontier does not know. */
  site: SiteName | undefined
}

/** A position in the list, that is a finding. */
export interface FindingPosition {
  at: Instant
  id: number
}

const readFindings = (where: string) => `
  SELECT v.id, s.name AS site, v.rule, v.evidence, v.at, v.pattern, v.examples, v.withdrawn_at
  FROM finding v LEFT JOIN site s ON s.bucket = v.bucket AND s.key = v.site
  WHERE ${where}(v.at, v.id) < (?, ?) ORDER BY v.at DESC, v.id DESC LIMIT ?`
export const READ_FINDINGS = readFindings('')
export const READ_FINDINGS_BY_RULE = readFindings('v.rule = ? AND ')

/** `rule`: only its findings. */
export async function findingsBefore(
  tx: Tx,
  rule: string | undefined,
  before: FindingPosition | undefined,
  atMost: number,
): Promise<ListedFinding[]> {
  type Row = Omit<ListedFinding, 'examples' | 'site'> & { examples: string | null; site: string | null }
  const { at, id } = before ?? { at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }
  const rows = await (rule === undefined
    ? queries(tx).all<Row>(READ_FINDINGS, at, id, atMost)
    : queries(tx).all<Row>(READ_FINDINGS_BY_RULE, rule, at, id, atMost))
  return rows.map((row) => ({ ...row, site: row.site ?? undefined, examples: examplesOf(row) }))
}

/** If a site has more, the newest. */
const MAX_OF_SITE = 1000

/** Undefined: there is none. */
export async function findingState(
  tx: Tx,
  site: SiteName,
  { rule, pattern }: FindingName,
): Promise<'in-force' | 'withdrawn' | undefined> {
  const all = await findingsOf(tx, site, MAX_OF_SITE)
  const found = all.filter((one) => ruleLabel(one.rule) === rule && one.pattern === (pattern ?? null))
  if (found.length === 0) return undefined
  return found.some(({ withdrawn_at }) => withdrawn_at === null) ? 'in-force' : 'withdrawn'
}

/** Findings that are counted. */
export const MAX_COUNTED = 10_000
export const COUNT_RULES = `
  SELECT rule, count(*) AS count, count(*) FILTER (WHERE withdrawn_at IS NULL) AS standing
  FROM (SELECT rule, withdrawn_at FROM finding ORDER BY at DESC, id DESC LIMIT ${MAX_COUNTED}) newest
  GROUP BY rule ORDER BY 2 DESC, 1`

export interface RuleCount {
  rule: string
  count: number
  /** Those that were not withdrawn. */
  standing: number
}

/** How often each rule found something, among the newest findings. */
export function countRules(tx: Tx): Promise<RuleCount[]> {
  return queries(tx).all<RuleCount>(COUNT_RULES)
}

export interface ListedAlias {
  name: SiteName
  original: SiteName
  how: string
  since: Instant
  evidence: string
}

const ALIAS = 'name, original, how, since, evidence'
export function readAliases(dialect: Dialect): string {
  const { after, order } = pieceOf(dialect, 'site_alias', 'site')
  return `SELECT ${ALIAS} FROM site_alias WHERE ${after} ${order} LIMIT ?3`
}
export const READ_NAMES_OF = `SELECT ${ALIAS} FROM site_alias WHERE original = ? LIMIT ?`
export const READ_ALIAS_OF = `SELECT ${ALIAS} FROM site_alias WHERE bucket = ? AND site = ?`

/** In the order of their keys, which are hashes; only those after the given one. */
export function aliasesAfter(tx: Tx, after: SiteName | undefined, atMost: number): Promise<ListedAlias[]> {
  const from: [number, bigint] = after === undefined ? [0, -(2n ** 63n)] : siteNamed(tx, after)
  return queries(tx).all<ListedAlias>(readAliases(tx.dialect), ...from, atMost)
}

/** What a site is another name of, and other names of it. */
export async function aliasesOf(tx: Tx, site: SiteName, atMost: number): Promise<ListedAlias[]> {
  const own = await queries(tx).get<ListedAlias>(READ_ALIAS_OF, ...siteNamed(tx, site))
  const names = await queries(tx).all<ListedAlias>(READ_NAMES_OF, site, atMost)
  return own === undefined ? names : [own, ...names]
}
