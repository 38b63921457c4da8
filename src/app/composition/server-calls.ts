/** All that a server offers to workers that are not its own threads, over one house. */

import { remembered } from '../../cluster/server/remembered.ts'
import type { ServerCalls } from '../../contracts/calls.ts'
import type { Given } from '../config/given.ts'
import type { SettingName } from '../config/keys.ts'
import type { House } from './house.ts'
import { PLAN_FRESH, planForWorkers } from './plan-for-workers.ts'
import { scopeSeeds } from './scope-seeds.ts'
import { recordUnreadable } from './watchdog.ts'

export function serverCalls(house: House, given: ReadonlyMap<SettingName, Given>, version: string): ServerCalls {
  const { database, clock, disk, settings } = house.parts
  const { ledger } = house.frontier
  return {
    ...house.calls,
    plan: remembered(clock, PLAN_FRESH, async () =>
      planForWorkers(settings, given, await scopeSeeds(house.parts), version, disk),
    ),
    unreadable: (_worker, reading) =>
      recordUnreadable(reading, { database, ledger, intake: house.intake, clock, urls: house.urls }),
    async leave(worker) {
      // What it has brought counts first.
      await house.intake.idle()
      const lost = await database.transact((tx) => ledger.lose(tx, worker))
      return lost.map(({ visit }) => visit)
    },
    giveBack: (visits) => database.transact((tx) => ledger.giveBack(tx, visits)),
    takeBack: (worker, has) => database.transact((tx) => ledger.takeBack(tx, worker, has)),
  }
}
