/** Frontiers of several servers on one database, for tests. */
import { openPostgres } from '../../database/postgres/open.ts'
import type { PostgresForTests } from '../../database/postgres/test-database.ts'
import { type Bench, openBench } from '../contract-tools.ts'
import type { FrontierOptions } from '../house.ts'

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
