/** A whole crawl of a synthetic web in one thread and in virtual time, with the usual settings. */

import { loadSettings } from '../../src/app/config/load.ts'
import { openSqlite } from '../../src/database/sqlite/open.ts'
import { memoryDisk } from '../../testkit/memory-disk.ts'
import { type Alterations, runVirtualCoordinator } from '../../testkit/simulate/virtual-coordinator.ts'
import { virtualClock } from '../../testkit/virtual-clock.ts'
import { RequestLedger } from '../../testkit/web/ledger-of-requests.ts'
import type { TestWeb } from '../../testkit/web/web.ts'

/** `alter`: who listens at the archive's and the sink's doors. */
export async function crawlInVirtualTime(web: TestWeb, alter?: Alterations): Promise<void> {
  const clock = virtualClock(web.plan.epoch)
  const { settings } = loadSettings([], 'crawl', { env: {}, readFile: () => undefined })
  const database = openSqlite(':memory:')
  const coordinator = runVirtualCoordinator(
    {
      web,
      ledger: new RequestLedger(clock),
      clock,
      database,
      disk: memoryDisk(),
      settings,
      seeds: web.homes(),
      randomSeed: 1,
      workers: 1,
      journal: { record() {} },
      alter,
    },
    new AbortController().signal,
  )
  await clock.run(coordinator)
  await database.close()
}
