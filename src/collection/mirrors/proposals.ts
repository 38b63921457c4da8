/** Sites that a crawl itself took for mirrors, by their first documents. */

import type { SiteName } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'

export interface Proposal {
  site: SiteName
  evidence: string
  examples: readonly string[]
}

/** The last first. */
export async function proposedMirrors(tx: Tx, atMost: number): Promise<{ count: number; proposals: Proposal[] }> {
  const db = queries(tx)
  const { count } = (await db.get<{ count: number }>(
    `SELECT count(DISTINCT site) AS count FROM finding WHERE rule = 'mirror'`,
  ))!
  const rows = await db.all<{ site: SiteName; evidence: string; examples: string | null }>(
    `SELECT site_stats.name AS site, evidence, examples FROM finding JOIN site_stats
       ON site_stats.bucket = finding.bucket AND site_stats.site = finding.site
     WHERE finding.id IN (SELECT max(id) FROM finding WHERE rule = 'mirror' GROUP BY site)
     ORDER BY at DESC, finding.id DESC LIMIT ?`,
    atMost,
  )
  const proposals = rows.map((row) => ({ ...row, examples: row.examples === null ? [] : JSON.parse(row.examples) }))
  return { count, proposals }
}
