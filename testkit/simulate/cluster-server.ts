/**
 * A server of a simulated cluster: a coordinator that serves, as `orbweaver serve` opens it, with everything but its sockets.
 * On SQLite there is one at a time, as there is in the product, and workers know it by several names. When one dies another
 * process stands in its place, over the same folder and database.
 */

import { openCoordinator } from '../../src/app/composition/coordinator.ts'
import { CrawlView } from '../../src/app/composition/crawl-view.ts'
import { keepServing, maintenanceRole, serverCalls } from '../../src/app/composition/keep-serving.ts'
import { Wakeup } from '../../src/base/clock.ts'
import { Problem } from '../../src/base/errors.ts'
import type { Random } from '../../src/base/random.ts'
import { callHandlers } from '../../src/cluster/server/call-handlers.ts'
import { knownCallers } from '../../src/cluster/server/callers.ts'
import { workerTable } from '../../src/cluster/server/worker-table.ts'
import type { ServerCalls } from '../../src/contracts/calls.ts'
import type { Event } from '../../src/contracts/events.ts'
import type { Database } from '../../src/database/database.ts'
import { frontierQueries } from '../../src/frontier/queries.ts'
import { answerInMemory } from './answer-in-memory.ts'
import { type ClusterWorld, FOLDER, VERSION } from './cluster-world.ts'
import type { Machine } from './machine.ts'
import type { Listen } from './network.ts'
import type { Power } from './power.ts'
import { notingCalls, notingLedger, wordsOfEvent } from './run-journal.ts'

const MAX_LEASES = 10_000
const ASK_AGAIN = 1000
const NOBODY = { slow: [], lateMs: 0 }

export interface ServerMachine {
  machine: Machine
  database: Database
  /** Under which workers know it. */
  names: readonly string[]
}

/** The next transaction fails, once, after all its work. */
export class Failing {
  isNext = false

  database(inner: Database): Database {
    return {
      ...inner,
      transact: (work) =>
        inner.transact(async (tx) => {
          const result = await work(tx)
          if (this.isNext) {
            this.isNext = false
            throw new Problem('database-unreachable', 'the disk reports an error')
          }
          return result
        }),
    }
  }
}

/** One process, from its start until `stop` and a good end, or until it fails. */
export async function serverLife(
  world: ClusterWorld,
  { machine, names, ...own }: ServerMachine,
  failing: Failing,
  power: Power,
  random: Random,
  stop: AbortSignal,
): Promise<'done' | 'again'> {
  const nudge = new Wakeup()
  const clock = power.clock(world.clock)
  const database = power.database(failing.database(own.database))
  const disk = power.disk(machine.disk)
  const journal = power.journal({
    record(event: Event) {
      world.note(machine.name, wordsOfEvent(event))
      if (event.kind === 'applied') nudge.wake()
      machine.hear(event)
    },
  })
  const { note, plant, refresh } = world
  note(machine.name, 'starts')
  try {
    const coordinator = await openCoordinator({
      ...{ database, disk, folder: FOLDER, clock, random, journal, settings: world.settings },
      serves: true,
      filterBits: 2 ** 14,
      // Half of the lives apply parts as they come, the others through the inbox.
      atOnceBytes: random.next() < 0.5 ? 0 : undefined,
      ...(refresh && { refresh: refresh.options }),
      ledgerOver: (ledger) => {
        const planted = plant.ledger?.(ledger) ?? ledger
        return notingLedger(refresh?.looks.ledger(planted) ?? planted, note, world.parts)
      },
    })
    const seeds = world.seeds.map(coordinator.urls.parse).filter((url) => url !== undefined)
    await coordinator.seed(seeds.map(({ href, key, site }) => ({ url: href, key, site })))
    const view = new CrawlView(coordinator, NOBODY)
    await view.refresh()
    const workerRows = workerTable(database)
    const real = serverCalls(coordinator, new Map(), VERSION)
    const ending =
      refresh === undefined ? real : endingCalls(real, database, () => world.clock.elapsed() >= refresh.until)
    const calls = notingCalls(plant.calls?.(ending, clock) ?? ending, note, world.parts)
    const handlers = await callHandlers({
      ...{ id: machine.name, calls, database, disk, clock, journal, nudge },
      ...{ control: coordinator.control, decisions: coordinator.decisions },
      archiveFolder: coordinator.archiveFolder,
      figures: async () => ({ totals: view.totals, counters: view.counters, inbox: coordinator.intake.pending() }),
      program: VERSION,
      joinSecret: undefined,
      ...{ workerRows, isEnding: () => false, maxLeases: MAX_LEASES, onNews() {} },
    })
    const callers = knownCallers(workerRows, clock)
    const bug = (error: unknown) =>
      world.troubles.push(`unforeseen: ${machine.name}: ${error instanceof Error ? error.stack : error}`)
    const listen = untilCut(answerInMemory({ handlers, callers, clock, bug }), power)
    for (const name of names) world.network.listeners.set(name, listen)
    const role = maintenanceRole(database, clock)
    await keepServing(coordinator, view, role, stop)
    await role.release()
    return 'done'
  } catch (error) {
    journal.record({ kind: 'trouble', what: `the server ends: ${error}` })
    return 'again'
  } finally {
    for (const name of names) world.network.listeners.delete(name)
  }
}

/** A refresh never ends by itself: once all is collected, from a time on nothing is handed out; it is over when all leases have ended. */
function endingCalls(calls: ServerCalls, database: Database, isOver: () => boolean): ServerCalls {
  return {
    ...calls,
    async checkOut(worker, atMost) {
      if (!isOver()) return calls.checkOut(worker, atMost)
      const { sites, urls } = await database.read((tx) => frontierQueries.totals(tx))
      if (urls.waiting > 0) return calls.checkOut(worker, atMost)
      return { visits: [], next: sites.leased + sites.returning > 0 ? ASK_AGAIN : 'over' }
    },
  }
}

/** Connections end with the process; while it stands still, nothing is read from them and nothing written. */
function untilCut(listen: Listen, power: Power): Listen {
  return (...asked) =>
    new Promise((resolve, reject) => {
      const heard = power.hears(Promise.resolve()).then(() => listen(...asked))
      power.hears(heard).then(resolve, reject)
      void power.cutOff.then(() => reject(new Error('the connection was reset')))
    })
}
