/** Frontiers of several servers on one database, for tests. */

import assert from 'node:assert/strict'
import { type Bench, openBench } from '../../../testkit/contracts/frontier/tools.contract.ts'
import type { PostgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import type { Database } from '../../database/database.ts'
import { openPostgres } from '../../database/postgres/open.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import type { FrontierOptions } from '../contract.ts'
import { frontierQueries } from '../queries.ts'

/** Each with memories and connections of its own. They end with `end`. */
export async function openServers(
  postgres: PostgresForTests,
  count: number,
  changed: Partial<FrontierOptions> = {},
): Promise<{ servers: Bench[]; end(): Promise<void> }> {
  const url = await postgres.newDatabase(true)
  const servers: Bench[] = []
  for (let at = 0; at < count; at++)
    servers.push(await openBench(() => openPostgres(url), { leasesOutlive: true, ...changed }))
  return {
    servers,
    async end() {
      await Promise.all(servers.map(({ db }) => db.close()))
    },
  }
}

/** Somebody waits until another says that he may go on. */
export function gate(): { open(): void; readonly opened: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { open: resolve, opened: promise }
}

const COUNT_URLS = `SELECT count(*) AS known, count(*) FILTER (WHERE mark = 0) AS waiting FROM url`
const WRONG_SITES = `
  SELECT name FROM site LEFT JOIN (
    SELECT bucket, site, count(*) AS known, count(*) FILTER (WHERE mark = 0) AS waiting FROM url GROUP BY bucket, site
  ) counted ON counted.bucket = site.bucket AND counted.site = site.key
  WHERE site.known <> coalesce(counted.known, 0) OR site.waiting <> coalesce(counted.waiting, 0)
    OR (state IN ('waiting', 'free') AND site.waiting = 0) OR (state IN ('crawled', 'barred') AND site.waiting > 0 AND stopped IS NULL)`

/** Everything that can be counted is as the totals and the rows of sites say. For a frontier in which nobody is held. */
export async function recount({ db }: { db: Database }): Promise<void> {
  await db.read(async (given) => {
    const tx = postgresTx(given)
    const { sites, urls, granted } = await frontierQueries.totals(tx)
    const states = await tx.all<{ state: string; n: number }>(`SELECT state, count(*) AS n FROM site GROUP BY state`)
    for (const [state, n] of Object.entries(sites))
      assert.equal(n, states.find((row) => row.state === state)?.n ?? 0, state)
    assert.deepEqual({ known: urls.known, waiting: urls.waiting }, await tx.get(COUNT_URLS))
    assert.deepEqual(await tx.get(`SELECT coalesce(sum(granted), 0) AS granted FROM site`), { granted })
    assert.deepEqual(await tx.all(WRONG_SITES), [])
  })
}
