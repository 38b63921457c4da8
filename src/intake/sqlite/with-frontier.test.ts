import { type VirtualClock, virtualClock } from '../../base/virtual-clock.ts'
import { NOON } from '../../collection/sample-report.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { crashContract } from '../with-frontier.contract.ts'

crashContract({
  name: 'SQLite',
  make: () => openSqlite(':memory:'),
  clock: () => virtualClock(NOON),
  run: (work, clock) => (clock as VirtualClock).run(work),
  seeds: 12,
})
