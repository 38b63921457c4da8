/** The figures of `report changes`: how much changed at the looks at known pages, by class, site and media type. */
import { CHANGE_CLASSES, type ChangeClass } from '../contracts/change.ts'
import type { Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'
import { readLooks } from './counters/counters.ts'
import { siteNamed } from './row-id.ts'

export type ClassCounts = Record<ChangeClass, number>

export interface ChangesOf {
  /** The name of a site, or a media type. */
  name: string
  /** Looks at its pages after their first. */
  looks: number
  /** Of captures that were not removed. */
  classes: ClassCounts
}

export type ChangeFigures = Awaited<ReturnType<typeof changeFigures>>

// Statements for all buckets: a report reads the captures that are changes, through `capture_change`, and the pages.
const COUNT_CLASSES = 'SELECT change, count(*) AS n FROM capture WHERE change IS NOT NULL GROUP BY change'
/** The plus keeps SQLite from reading all captures in the order of their sites. */
const TOP_SITES = `
  SELECT +site FROM capture WHERE change IS NOT NULL GROUP BY +site ORDER BY count(*) DESC, +site LIMIT ?1`
const TOP_TYPES = `
  SELECT media_type FROM capture WHERE change IS NOT NULL GROUP BY media_type ORDER BY count(*) DESC, media_type LIMIT ?1`
const COUNT_BY_SITE = `
  SELECT s.name, c.change, count(*) AS n FROM capture c JOIN site_stats s ON s.bucket = c.bucket AND s.site = c.site
  WHERE c.change IS NOT NULL AND +c.site IN (${TOP_SITES}) GROUP BY s.name, c.change`
const COUNT_BY_TYPE = `
  SELECT media_type AS name, change, count(*) AS n FROM capture
  WHERE change IS NOT NULL AND media_type IN (${TOP_TYPES}) GROUP BY media_type, change`
const LOOKS_BY_TYPE = `
  SELECT media_type AS name, sum(looks - 1) AS n FROM page WHERE looks > 1 AND media_type IN (${TOP_TYPES})
  GROUP BY media_type`
export const READ_SITE_LOOKS = 'SELECT sum(looks - 1) AS n FROM page WHERE bucket = ? AND site = ? AND looks > 1'
/** Those over all buckets, for a test of their plans. */
export const OVERALL = { COUNT_CLASSES, COUNT_BY_SITE, COUNT_BY_TYPE }

/** `atMost`: sites and types. */
export async function changeFigures(tx: Tx, atMost: number) {
  const db = queries(tx)
  const { changed, unchanged } = await readLooks(tx)
  const classes = noChanges()
  for (const { change, n } of await db.all<{ change: ChangeClass; n: number }>(COUNT_CLASSES)) classes[change] = n
  const bySite = await groups(tx, COUNT_BY_SITE, atMost)
  for (const site of bySite) {
    const at = siteNamed(tx, site.name)
    site.looks = Number((await db.get<{ n: Sum }>(READ_SITE_LOOKS, ...at))?.n ?? 0)
  }
  const byType = await groups(tx, COUNT_BY_TYPE, atMost)
  const looks = await db.all<{ name: string; n: Sum }>(LOOKS_BY_TYPE, atMost)
  for (const type of byType) type.looks = Number(looks.find(({ name }) => name === type.name)?.n ?? 0)
  return {
    /** Looks that brought a page or found it unchanged: all of them, and those with other bytes. */
    looks: changed + unchanged,
    changed,
    /** Of the changed ones whose captures are still there. */
    classes,
    bySite,
    byType,
  }
}

/** PostgreSQL's sums are exact, so they come as texts. */
type Sum = number | string | null

const noChanges = () => Object.fromEntries(CHANGE_CLASSES.map((change) => [change, 0])) as ClassCounts
export const sumOf = (classes: ClassCounts) => Object.values(classes).reduce((sum, n) => sum + n, 0)

/** Those with most changes first. */
async function groups(tx: Tx, sql: string, atMost: number): Promise<ChangesOf[]> {
  const found = new Map<string, ChangesOf>()
  const rows = await queries(tx).all<{ name: string; change: ChangeClass; n: number }>(sql, atMost)
  for (const { name, change, n } of rows) {
    const entry = found.get(name) ?? { name, looks: 0, classes: noChanges() }
    entry.classes[change] = n
    found.set(name, entry)
  }
  return [...found.values()].sort((a, b) => sumOf(b.classes) - sumOf(a.classes) || (a.name < b.name ? -1 : 1))
}
