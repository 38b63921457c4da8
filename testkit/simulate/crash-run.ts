/**
 * A crawl whose machine loses its power again and again, on a disk that then forgets all that was not synced. After each
 * loss everything that was ever acknowledged must still be there; at the end the collection must be the one that an
 * undisturbed crawl makes.
 */
import type { Millis } from '../../src/base/clock.ts'
import { type Random, seededRandom } from '../../src/base/random.ts'
import type { Event } from '../../src/contracts/events.ts'
import type { Archive } from '../../src/contracts/ports.ts'
import { memoryDisk } from '../memory-disk.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import { type CrashPoint, drawCrashPoint, nameOf } from './crash-points.ts'
import { type SimulateOptions, type Stage, setStage } from './crawl-run.ts'
import { faultsOf } from './faults.ts'
import { forgetting } from './forgetting-disk.ts'
import type { Forgotten } from './judge.ts'
import { Promises } from './losses.ts'
import { Power } from './power.ts'
import { FOLDER, runVirtualCoordinator } from './virtual-coordinator.ts'

/** Mistakes that this test must find; each breaks the order of durability in one place. */
export type PlantedBug = 'no-file-sync' | 'no-folder-sync' | 'sent-before-synced'

export interface CrashRunOptions extends SimulateOptions {
  /** At most so many in this crawl. */
  crashes: number
  bug?: PlantedBug
}

export interface CrashReport {
  crashes: { at: Millis; point: string }[]
  /** Acknowledged, and not there after a loss of power: the run ends at the first of them. */
  losses: string[]
  /** What was wrong at the end. */
  faults: string[]
}

/** How long a sync may take. */
const SLOWEST_SYNC: Millis = 40
/** Half of the times the machine is back at once, which is hardest for courtesy. */
const LONGEST_DOWN: Millis = 3000
/** An answer is durable within a part's second, its syncs, and the second of the part before it. */
const FORGOTTEN_WITHIN: Millis = 2 * 1000 + 8 * SLOWEST_SYNC

export async function crawlThroughCrashes(options: CrashRunOptions): Promise<CrashReport> {
  const random = seededRandom(options.seed)
  const bare = setStage(options)
  const disk = memoryDisk(() => bare.clock.sleep(1 + random.integer(SLOWEST_SYNC)))
  const stage: Stage = { ...bare, disk }
  const promises = new Promises(stage.database, disk, `${FOLDER}/archive`)
  const report: CrashReport = { crashes: [], losses: [], faults: [] }
  for (;;) {
    const isLast = report.crashes.length >= options.crashes
    const point = isLast ? undefined : drawCrashPoint(report.crashes.length + options.seed, random)
    const alive = await oneLife(stage, options, promises, point, random)
    if (alive) break
    report.crashes.push({ at: stage.clock.elapsed(), point: point === undefined ? '' : nameOf(point) })
    report.losses = await promises.broken()
    if (report.losses.length > 0) return report
    if (random.next() < 0.5) await pass(stage.clock, random.integer(LONGEST_DOWN))
  }
  report.losses = await promises.broken(true)
  report.faults = await faultsOf(stage, forgottenBy(report.crashes))
  await stage.database.close()
  return report
}

/** True when the crawl came to its end, false when the power was cut before. */
async function oneLife(
  stage: Stage,
  options: CrashRunOptions,
  promises: Promises,
  point: CrashPoint | undefined,
  random: Random,
): Promise<boolean> {
  const power = new Power()
  const cut = () => {
    if (!power.on) return
    power.cut()
    for (const entry of stage.ledger.entries) if (entry.endedAt === undefined) stage.ledger.end(entry, 0, 0, false)
    stage.disk.crash(random)
  }
  const tell = arm(point, power, cut, stage.clock)
  const { bug } = options
  const bareDisk = bug === 'no-file-sync' || bug === 'no-folder-sync' ? forgetting(stage.disk, bug) : stage.disk
  const life = runVirtualCoordinator(
    {
      ...stage,
      clock: power.clock(stage.clock),
      disk: power.disk(bareDisk),
      database: power.database(stage.database),
      randomSeed: options.seed + stage.ledger.entries.length,
      workers: options.workers ?? 2,
      // Half of the lives apply parts as they come, the others through the inbox.
      atOnceBytes: throughInbox(point, random) ? 0 : undefined,
      journal: power.journal({ record: tell }),
      alter: {
        ...options.alter,
        openSession: (openSession) => power.openSession(openSession),
        resolve: (resolve) => power.resolve(resolve),
        archive: (archive) => (options.bug === 'sent-before-synced' ? unsynced(archive) : archive),
        sink: (sink) => ({
          async send(worker, parts) {
            await sink.send(worker, parts)
            promises.acknowledged(parts)
          },
        }),
      },
    },
    new AbortController().signal,
  )
  await stage.clock.run(Promise.race([life, power.cutOff]))
  return power.on
}

function throughInbox(point: CrashPoint | undefined, random: Random): boolean {
  return (point?.kind === 'event' && point.event === 'inbox-stored') || random.next() < 0.5
}

/** Returns the reader of the journal that cuts at events. */
function arm(point: CrashPoint | undefined, power: Power, cut: () => void, clock: VirtualClock) {
  let left = point === undefined || point.kind === 'time' ? 0 : point.nth
  if (point?.kind === 'time') clock.after(point.after, cut)
  if (point?.kind === 'step') {
    power.onStep = () => {
      if (--left === 0) cut()
    }
  }
  return (event: Event) => {
    if (point?.kind === 'event' && event.kind === point.event && --left === 0) cut()
  }
}

/** Says that all is durable when the sync has only begun. */
function unsynced(archive: Archive): Archive {
  return {
    keep: (exchange, digest, copy) => archive.keep(exchange, digest, copy),
    checks: () => archive.checks(),
    async synced() {
      archive.synced().catch(() => {})
    },
    close: () => archive.close(),
  }
}

function forgottenBy(crashes: CrashReport['crashes']): Forgotten {
  return ({ at, endedAt = at }, again) =>
    crashes.some(
      (crash) => crash.at >= at && crash.at - endedAt <= FORGOTTEN_WITHIN && crash.at <= (again?.at ?? crash.at),
    )
}

async function pass(clock: VirtualClock, ms: Millis): Promise<void> {
  await clock.run(clock.sleep(ms))
}
