/** The totals, which triggers keep: reading them costs the same however large the crawl is. */
import { assert } from '../../base/assert.ts'
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { SITE_STATES, TOTAL_NAMES } from '../../database/schema/frontier.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { Totals } from '../contract.ts'

type TotalsRow = Record<(typeof TOTAL_NAMES)[number], number>

export const READ_TOTALS = {
  sqlite: `SELECT ${TOTAL_NAMES.join(', ')} FROM frontier_total WHERE bucket = 0`,
  // Several rows per bucket, which are folded now and then.
  postgres: `
  SELECT ${TOTAL_NAMES.map((name) => `coalesce(sum(${name}), 0)::float8 AS ${name}`).join(', ')} FROM frontier_total`,
}

export async function readTotals(tx: Tx): Promise<Totals> {
  return totalsOf(await queries(tx).get<TotalsRow>(READ_TOTALS[tx.dialect]))
}

/** On SQLite, at once. */
export function readOwnTotals(tx: SqliteTx): Totals {
  return totalsOf(tx.get<TotalsRow>(READ_TOTALS.sqlite))
}

function totalsOf(row: TotalsRow | undefined): Totals {
  assert(row !== undefined, 'no totals')
  return {
    sites: Object.fromEntries(SITE_STATES.map((state) => [state, row[`sites_${state}`]])) as Totals['sites'],
    urls: {
      known: row.urls_known,
      marked: row.urls_known - row.urls_waiting,
      waiting: row.urls_waiting - row.urls_held,
      refreshing: row.urls_refreshing,
    },
    granted: row.pages_granted,
  }
}
