/** A real database under a virtual clock: no time passes while it works. */
import type { VirtualClock } from '../../src/base/virtual-clock.ts'
import type { Database } from '../../src/database/database.ts'

export function outsideTime(database: Database, clock: VirtualClock): Database {
  return {
    dialect: database.dialect,
    transact: (work) => clock.during(() => database.transact(work)),
    read: (work) => clock.during(() => database.read(work)),
    close: () => database.close(),
  }
}
