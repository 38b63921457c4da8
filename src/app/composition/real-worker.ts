/** What a worker thread runs: real sockets, the real disk, the real clock, and the coordinator behind a port. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../base/assert.ts'
import { realClock, shiftedClock, turn } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import { realDisk } from '../../base/real-disk.ts'
import { DigestFilter } from '../../collection/captures/digest-filter.ts'
import { openArchive } from '../../collection/volumes/volume-writer.ts'
import type { Event } from '../../contracts/events.ts'
import { blacklistFiles } from '../../crawl/scope/blacklist-files.ts'
import { pacedSessions } from '../../crawl/worker/paced-sessions.ts'
import { reachCoordinator } from '../../crawl/worker/thread-wire.ts'
import { watchInto } from '../../crawl/worker/watchdog.ts'
import { runWorker } from '../../crawl/worker/worker.ts'
import { addressGuard } from '../../fetch/guard.ts'
import { openSessions } from '../../fetch/session.ts'
import type { Settings } from '../config/keys.ts'
import { blacklistPaths } from './plan.ts'
import { realResolver } from './real-resolver.ts'
import type { ThreadData } from './worker-thread.ts'
import { userAgentOf, workerTools } from './worker-tools.ts'

/** A connection that was idle for longer was probably closed by its server. */
const MAX_IDLE_MS = 120_000
/** The minimum rate counts only after this. */
const RATE_GRACE_MS = 10_000

async function main(port: MessagePort, data: ThreadData): Promise<void> {
  // Before anything is awaited: the coordinator may send a stop at once.
  const coordinator = reachCoordinator(port)
  const { settings, version } = data.plan
  const ahead = new BigInt64Array(data.ahead)
  const clock = shiftedClock(realClock, () => Number(Atomics.load(ahead, 0)))
  const filter = new DigestFilter(data.filter)
  const journal = { record: (event: Event) => (isReported(event, settings) ? coordinator.event(event) : undefined) }
  const named = new Set(settings.resolve.map(({ ip }) => ip))
  const guard = addressGuard({ allowPrivate: settings.allowPrivate, allow: named })
  const archive = openArchive({
    disk: realDisk,
    folder: data.archive,
    prefix: 'ORBWEAVER',
    hostname: data.host,
    worker: data.worker,
    clock,
    random: seededRandom(data.randomSeed),
    rollBytes: settings.volumeSize,
    info: {
      software: `orbweaver/${version}`,
      userAgent: userAgentOf(settings, version),
      robots: 'obey',
      operator: settings.contact,
    },
    journal,
  })
  const openSession = openSessions({
    clock,
    deadlines: {
      connect: settings.connectTimeout,
      firstByte: settings.firstByteTimeout,
      idle: settings.idleTimeout,
      exchange: settings.exchangeTimeout,
    },
    minRate: { bytesPerSecond: settings.leastRate, graceMs: RATE_GRACE_MS },
    tls: settings.tls,
    guard,
    maxIdleMs: MAX_IDLE_MS,
  })
  const tools = workerTools(data.plan, {
    clock,
    journal,
    openSession: pacedSessions(openSession, clock, turn),
    resolve: realResolver(settings),
    archive,
    // Most payloads are new, and the filter knows that without a call.
    findCopy: async (digest) => (filter.mayHave(digest) ? coordinator.findCopy(digest) : undefined),
    watch: watchInto(data.slot),
    blacklist: blacklistFiles(blacklistPaths(settings), realDisk, clock, journal),
    orders: coordinator.orders,
  })
  await runWorker(
    {
      id: data.worker,
      slots: settings.visits,
      frontier: coordinator.frontier,
      sink: coordinator.sink,
      tools,
      renewEvery: settings.lease / 3,
      pulse: coordinator.pulse,
      orders: coordinator.orders,
    },
    coordinator.stop,
  )
  port.close()
}

/** Requests and answers are many: only --verbose sends them to the coordinator. */
function isReported(event: Event, settings: Settings): boolean {
  return settings.verbose || (event.kind !== 'request' && event.kind !== 'answer' && event.kind !== 'visit-ended')
}

assert(parentPort !== null, 'real-worker runs in a worker thread')
const port = parentPort
port.once('message', (data: ThreadData) => void main(port, data))
// Not before this module has ended: see `endThread`.
void turn().then(() => {
  const loaded: Int32Array = workerData
  Atomics.store(loaded, 0, 1)
  Atomics.notify(loaded, 0)
})
