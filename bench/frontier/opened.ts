/** A frontier to be measured, whatever it stands on: another database is another maker of this. */
import { realClock } from '../../src/base/clock.ts'
import type { Database } from '../../src/database/database.ts'
import { openSqlite } from '../../src/database/sqlite/open.ts'
import { sqliteTx } from '../../src/database/sqlite/tx.ts'
import type { FrontierHouse, FrontierOptions } from '../../src/frontier/house.ts'
import { leasesAhead } from '../../src/frontier/leases-ahead.ts'
import { openFrontier } from '../../src/frontier/open-frontier.ts'
import { klwf } from '../../src/frontier/order/klwf.ts'
import { usualUrls } from '../../src/web/url/web-url.ts'

export interface OpenedFrontier {
  database: Database
  house: FrontierHouse
  /** The same behind leases that are granted ahead, as a crawl has it. */
  ahead: FrontierHouse
  /** Bytes by table, its indexes with it. Reads all of it. */
  bytes(): Promise<Map<string, number>>
  close(): Promise<void>
}

export type OpenFrontier = () => OpenedFrontier

const PAGES_A_VISIT = 10

/** Courtesy is left out: after a start a real crawl hands out nothing for one address pause. */
const OPTIONS: FrontierOptions = {
  clock: realClock,
  order: klwf,
  urls: usualUrls,
  slice: { pages: PAGES_A_VISIT, time: 600_000 },
  leaseMs: 600_000,
  addressPauseMs: 0,
  defaultPause: () => 0,
}

export function sqliteFrontier(path: string): OpenFrontier {
  return () => {
    const database = openSqlite(path)
    const house = openFrontier(database, OPTIONS)
    return {
      database,
      house,
      ahead: leasesAhead(house, database, realClock),
      bytes: () =>
        database.read((tx) => {
          const rows = sqliteTx(tx).all<{ name: string; bytes: number }>(`
            SELECT s.tbl_name AS name, sum(d.pgsize) AS bytes
            FROM dbstat d JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY s.tbl_name`)
          return new Map(rows.map(({ name, bytes }) => [name, bytes]))
        }),
      close: () => database.close(),
    }
  }
}
