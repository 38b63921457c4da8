/** All that a server offers to workers that are not its own threads, over one house. */

import { remembered } from '../../cluster/server/remembered.ts'
import type { ServerCalls } from '../../contracts/calls.ts'
import type { Given, SettingName } from '../config/keys.ts'
import type { Coordinator } from './coordinator.ts'
import { PLAN_FRESH, planForWorkers } from './plan-for-workers.ts'
import { scopeSeeds } from './scope-seeds.ts'
import { recordUnreadable } from './watchdog.ts'

export function serverCalls(
  coordinator: Coordinator,
  given: ReadonlyMap<SettingName, Given>,
  version: string,
): ServerCalls {
  const { database, clock, disk, settings } = coordinator.parts
  const { ledger } = coordinator.frontier
  return {
    ...coordinator.calls,
    plan: remembered(clock, PLAN_FRESH, async () =>
      planForWorkers(settings, given, await scopeSeeds(coordinator.parts), version, disk),
    ),
    unreadable: (_worker, reading) =>
      recordUnreadable(reading, { database, ledger, intake: coordinator.intake, clock, urls: coordinator.urls }),
    async leave(worker) {
      // What it has brought counts first.
      await coordinator.intake.idle()
      const lost = await database.transact((tx) => ledger.lose(tx, worker))
      return lost.map(({ visit }) => visit)
    },
    giveBack: (visits) => database.transact((tx) => ledger.giveBack(tx, visits)),
    takeBack: (worker, has) => database.transact((tx) => ledger.takeBack(tx, worker, has)),
  }
}
