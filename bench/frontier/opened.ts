/** A frontier to be measured, whatever it stands on: another database is another maker of this. */
import { realClock } from '../../src/base/clock.ts'
import type { Database } from '../../src/database/database.ts'
import { openSqlite } from '../../src/database/sqlite/open.ts'
import { sqliteTx } from '../../src/database/sqlite/tx.ts'
import type { FrontierOptions, OpenFrontier } from '../../src/frontier/contract.ts'
import { openFrontier } from '../../src/frontier/open-frontier.ts'
import { klwf } from '../../src/frontier/order.ts'
import { leasesAhead } from '../../src/frontier/prefetched-leases.ts'
import { usualUrls } from '../../src/web/url/web-url.ts'
import { type Filled, fill } from './fill.ts'
import type { NumberedWeb } from './numbered-web.ts'
import type { Observed } from './watched.ts'

export interface OpenedFrontier {
  database: Database
  subject: OpenFrontier
  /** As a crawl has it: where the database is the coordinator's own, behind leases that are granted ahead. */
  asked: OpenFrontier
  fill(web: NumberedWeb, say: (line: string) => void): Promise<Filled>
  /** Bytes by table, its indexes with it. Reads all of it. */
  bytes(): Promise<Map<string, number>>
  /** Of CPU time so far: of the coordinator's thread, and of the database's processes where they can be seen. */
  cpuMicroseconds(): number
  /** Where statements travel: how long the calls of the coordinator inside `call` had any under way. */
  watch?<T>(call: () => Promise<T>): Promise<Observed<T>>
  close(): Promise<void>
}

const PAGES_A_VISIT = 10

/** Courtesy is left out: after a start a real crawl hands out nothing for one address pause. */
export const OPTIONS: FrontierOptions = {
  clock: realClock,
  order: klwf,
  urls: usualUrls,
  slice: { pages: PAGES_A_VISIT, time: 600_000 },
  leaseMs: 600_000,
  addressPauseMs: 0,
  defaultPause: () => 0,
}

export function sqliteFrontier(path: string): OpenedFrontier {
  const database = openSqlite(path)
  const subject = openFrontier(database, OPTIONS)
  return {
    database,
    subject,
    asked: leasesAhead(subject, database, realClock),
    fill: (web, say) => fill({ database, subject }, web, say),
    bytes: () =>
      database.read((tx) => {
        const rows = sqliteTx(tx).all<{ name: string; bytes: number }>(`
          SELECT s.tbl_name AS name, sum(d.pgsize) AS bytes
          FROM dbstat d JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY s.tbl_name`)
        return new Map(rows.map(({ name, bytes }) => [name, bytes]))
      }),
    cpuMicroseconds: ownMicroseconds,
    close: () => database.close(),
  }
}

export function ownMicroseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
