/** What the mail about a day says, read from the tables. */
import { basename, resolve } from 'node:path'
import type { Instant } from '../../base/clock.ts'
import { recordedFreshness } from '../../cluster/maintenance/measure-freshness.ts'
import { readProblems } from '../../cluster/maintenance/problem-watch.ts'
import { dayFigures } from '../../collection/day-figures.ts'
import type { Tx } from '../../database/database.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import type { DayReport } from '../../report/crawl-mail.ts'
import type { Settings } from '../config/keys.ts'

/** Of a collection, for the subjects of mails. */
export const mailName = ({ collection, database }: Pick<Settings, 'collection' | 'database'>): string =>
  database === undefined ? basename(resolve(collection)) : new URL(database).pathname.slice(1)

/** `ended`: the crawl is over, and how. */
export async function dayReport(tx: Tx, name: string, now: Instant, ended: string | undefined): Promise<DayReport> {
  const { sites, urls } = await frontierQueries.totals(tx)
  const freshness = await recordedFreshness(tx)
  return {
    name,
    ended,
    figures: await dayFigures(tx, now),
    urls,
    sites,
    freshness: freshness && { freshness: freshness.freshness, bound: freshness.bound },
    problems: await readProblems(tx, now),
  }
}
