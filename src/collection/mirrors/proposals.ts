/** Sites that a crawl itself took for mirrors, by their first documents. */
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { SiteName } from '../../visit/visit.ts'

export interface Proposal {
  site: SiteName
  evidence: string
  examples: readonly string[]
}

/** The last first. */
export function proposedMirrors(tx: Tx, atMost: number): { count: number; proposals: Proposal[] } {
  const db = sqliteTx(tx)
  const { count } = db.get<{ count: number }>(
    `SELECT count(DISTINCT site) AS count FROM verdict WHERE rule = 'mirror'`,
  )!
  const rows = db.all<{ site: SiteName; evidence: string; examples: string | null }>(
    `SELECT server.name AS site, evidence, examples FROM verdict JOIN server ON server.site = verdict.site
     WHERE verdict.id IN (SELECT max(id) FROM verdict WHERE rule = 'mirror' GROUP BY site)
     ORDER BY verdict.id DESC LIMIT ?`,
    atMost,
  )
  const proposals = rows.map((row) => ({ ...row, examples: row.examples === null ? [] : JSON.parse(row.examples) }))
  return { count, proposals }
}
