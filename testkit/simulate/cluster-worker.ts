/**
 * A worker of a simulated cluster: what `orbweaver worker` runs, in one thread, with its outbox and its volumes on the
 * machine's own disk. After a death the next process finds what the disk has kept.
 */

import { userAgentOf, workerTools } from '../../src/app/composition/worker-tools.ts'
import { type Clock, every, type Millis, shiftedClock } from '../../src/base/clock.ts'
import type { Disk } from '../../src/base/disk.ts'
import { isDiskFull } from '../../src/base/errors.ts'
import type { Random } from '../../src/base/random.ts'
import { RemoteServers } from '../../src/cluster/wire/remote-coordinator.ts'
import type { Identity } from '../../src/cluster/wire/servers.ts'
import { type Shipper, shipperOf } from '../../src/collection/locations/ship-volumes.ts'
import { repairVolumes } from '../../src/collection/volumes/repair.ts'
import { openArchive } from '../../src/collection/volumes/volume-writer.ts'
import type { Event } from '../../src/contracts/events.ts'
import type { OpenSession } from '../../src/contracts/exchange.ts'
import { seal } from '../../src/contracts/sealed-part.ts'
import { runWorker } from '../../src/crawl/worker/worker.ts'
import { testFetch, testResolve } from '../web/fetch.ts'
import { type ClusterWorld, VERSION } from './cluster-world.ts'
import type { Machine } from './machine.ts'
import type { Power } from './power.ts'
import { wordsOfEvent } from './run-journal.ts'

export const ARCHIVE = 'worker/archive'
const OUTBOX = 'worker/outbox'
const OUTBOX_BYTES = 2 ** 30
const POLL: Millis = 20_000
const FAREWELL: Millis = 20_000
const ALIVE_EVERY: Millis = 10_000

export interface WorkerMachine {
  machine: Machine
  identity: Identity
  /** How wrong this machine's time of day is. */
  clockOff: Millis
}

/** One process, until the crawl is over and everything told, or until it cannot go on. */
export async function workerLife(
  world: ClusterWorld,
  me: WorkerMachine,
  power: Power,
  random: Random,
): Promise<'done' | 'again'> {
  const { machine } = me
  const { note, plant } = world
  note(machine.name, 'starts')
  const off = shiftedClock(world.clock, () => me.clockOff)
  const own = power.clock(off)
  const clock = plant.clock?.(own, machine) ?? own
  const disk = power.disk(plant.disk?.(machine.disk) ?? machine.disk)
  const journal = power.journal({
    record(event: Event) {
      note(machine.name, wordsOfEvent(event))
      machine.hear(event)
    },
  })
  let remote: RemoteServers | undefined
  const over = new AbortController()
  try {
    await repairVolumes(disk, ARCHIVE, journal)
    const shipper = shipperOf(disk, ARCHIVE, {
      append: (...args) => remote!.volumes.append(...args),
      seal: (...args) => remote!.volumes.seal(...args),
    })
    remote = new RemoteServers({
      ...{ servers: world.servers, identity: me.identity, clock, random, journal, disk },
      life: random.integer(2 ** 31).toString(36),
      outboxFolder: OUTBOX,
      outboxBytes: OUTBOX_BYTES,
      pollMs: POLL,
      client: world.network.clientOf(machine.name, power, clock),
      ...(world.uploads && { ready: () => shipper.ship() }),
    })
    void stayKnown(remote, clock, over.signal)
    await crawl(world, me, remote, { clock, off, disk, journal, power, random })
    const hasLeft = world.uploads ? await haveLeft(shipper, disk) : true
    return (await remote.close(FAREWELL)) === 0 && hasLeft ? 'done' : 'again'
  } catch (error) {
    if (power.on && !isDiskFull(error) && !isNoServer(error))
      world.troubles.push(`unforeseen: ${machine.name}: ${stackOf(error)}`)
    await remote?.close(FAREWELL).catch(() => 0)
    return 'again'
  } finally {
    over.abort()
  }
}

/** False: volumes wait here for the next process. */
async function haveLeft(shipper: Shipper, disk: Disk): Promise<boolean> {
  await shipper.ship()
  await shipper.settled()
  return disk.list(ARCHIVE).length === 0
}

interface Services {
  clock: Clock
  off: Clock
  disk: Disk
  journal: ReturnType<Power['journal']>
  power: Power
  random: Random
}

async function crawl(world: ClusterWorld, me: WorkerMachine, remote: RemoteServers, services: Services): Promise<void> {
  const { web, ledger, plant } = world
  const settings = plant.settings?.(world.settings) ?? world.settings
  const { clock, off, disk, journal, power, random } = services
  // What a worker records has the servers' time.
  const ahead = () => remote.clock.offset()
  const recording = shiftedClock(clock, ahead)
  const archive = openArchive({
    ...{
      disk,
      folder: ARCHIVE,
      prefix: 'SIMULATED',
      hostname: me.machine.name,
      worker: 'w1',
      clock: recording,
      random,
    },
    ...{ journal, rollBytes: settings.volumeSize },
    info: { software: `orbweaver/${VERSION}`, userAgent: userAgentOf(settings, VERSION), robots: 'obey' },
  })
  const onTheWay = shiftedClock(power.networkClock(off), ahead)
  const tools = workerTools(
    { settings, seeds: world.seeds, version: VERSION },
    {
      ...{ clock: recording, journal, archive, findCopy: remote.findCopy, watch: { begin() {}, end() {} } },
      openSession: power.openSession(noting(testFetch(web, onTheWay, ledger), world, me.machine.name)),
      resolve: power.resolve(testResolve(web, onTheWay)),
    },
  )
  const never = new AbortController().signal
  await runWorker(
    {
      id: 'w1',
      slots: settings.visits,
      frontier: remote,
      sink: { send: (who, reports) => remote.accept(who, reports.map(seal)) },
      tools: { ...tools, courtesyOf: plant.courtesyOf?.(tools.courtesyOf) ?? tools.courtesyOf },
      renewEvery: settings.lease / 3,
    },
    never,
  )
}

/** Whose request it is: the ledger has it as its next entry as soon as it may be sent. */
function noting(openSession: OpenSession, { ledger, askers, note }: ClusterWorld, worker: string): OpenSession {
  return () => {
    const session = openSession()
    return {
      close: () => session.close(),
      async fetch(request) {
        const may = () => {
          const yes = request.may()
          if (yes) askers[ledger.entries.length] = worker
          if (yes) note(worker, `asks ${request.address.ip} for ${request.url}`)
          return yes
        }
        const exchange = await session.fetch({ ...request, may })
        const { answer, tookMs } = exchange
        const what =
          'head' in answer ? answer.head.status : answer.kind === 'failed' ? answer.failure.kind : answer.kind
        note(worker, `is answered ${what} for ${request.url} after ${tookMs.toFixed(0)} ms`)
        return exchange
      },
    }
  }
}

async function stayKnown(remote: RemoteServers, clock: Clock, over: AbortSignal): Promise<void> {
  const news = { visits: 0, lateMs: 0, pagesPerSecond: 0, state: 'working' as const, version: VERSION }
  await every(clock, ALIVE_EVERY, over, () => remote.alive(news).catch(() => {}))
}

const isNoServer = (error: unknown): boolean => error instanceof Error && error.name === 'Unreachable'
const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))
