import { NOON } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { crashContract } from '../../../testkit/contracts/intake/with-frontier.contract.ts'
import { type VirtualClock, virtualClock } from '../../../testkit/virtual-clock.ts'
import { openSqlite } from '../../database/sqlite/open.ts'

crashContract({
  name: 'SQLite',
  make: () => openSqlite(':memory:'),
  clock: () => virtualClock(NOON),
  run: (work, clock) => (clock as VirtualClock).run(work),
  seeds: 12,
})
