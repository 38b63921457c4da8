/**
 * The worker threads of a process (C2): started as sites need them, watched, replaced when they hang, told to stop. A thread talks
 * to the coordinator through its port and shares nothing else with it but its reading slot and the filter of digests.
 */

import { join } from 'node:path'
import type { EventLoopUtilization } from 'node:perf_hooks'
import type { Worker } from 'node:worker_threads'
import type { Clock, Millis } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import { isDiskFull, isOfDisk } from '../../base/errors.ts'
import type { Journal } from '../../base/journal.ts'
import type { Random } from '../../base/random.ts'
import type { CoordinatorCalls, NowReading, Pulse, ToWorker } from '../../contracts/calls.ts'
import type { Orders } from '../../contracts/control.ts'
import type { Event } from '../../contracts/events.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { StandingOrders } from './standing-orders.ts'
import { answerCalls } from './thread-wire.ts'
import { ReadingWatchdog, readingSlot } from './watchdog.ts'

/** The first message to a worker thread. */
export interface ThreadData<Plan> {
  plan: Plan
  worker: string
  /** Where it writes its volumes. */
  archive: string
  /** In the names of its volumes, beside the worker's own name. */
  host: string
  /** 64 bits: by how many milliseconds the coordinator's clock is ahead of this machine's. */
  ahead: SharedArrayBuffer
  slot: SharedArrayBuffer
  filter: SharedArrayBuffer
  randomSeed: number
}

export interface WorkerPoolOptions<Plan> {
  /** A thread that is loaded already: the first to be started. */
  loaded: Worker | undefined
  /** Loads every other one. */
  load(): Worker
  /** Begins the names of its threads, where others share the coordinator: names must differ from theirs and from those of an earlier process. */
  prefix?: string
  coordinator: CoordinatorCalls
  clock: Clock
  journal: Journal<Event>
  /** Limits: threads, and sites per thread. */
  workers: number
  visits: number
  /** A thread without a sign of life for this long is ended and replaced. */
  silentMs: Millis
  plan(): Plan
  /** In the names of its volumes, beside the worker's own name. */
  host: string
  filter: SharedArrayBuffer
  random: Random
  /** By how much the coordinator's clock is ahead of this machine's. */
  offset(): Millis
  /** Where a thread that begins now writes. */
  folder(): string
  /** A thread could not write in this folder. False: there is no other. */
  leaveFolder(folder: string, why: unknown): Promise<boolean>
  /** Called before a thread receives leases. */
  begin(worker: string): void
  /** The thread that read this page has been ended: record the page, give up the worker's leases. */
  unreadable(worker: string, reading: NowReading): Promise<void>
  /** A thread died: give up its leases. */
  lose(worker: string): Promise<void>
}

interface Member {
  name: string
  thread: Worker
  /** Where it writes its volumes. */
  archive: string
  watchdog: ReadingWatchdog
  ended: Promise<void>
  pulse: Pulse
  /** When its last pulse came. */
  pulseAt: Millis
  /** Its event loop at the last watch, and the share of time it was busy until then. */
  loop: EventLoopUtilization
  busy: number
  /** Another has begun in its place. */
  isLeaving: boolean
}

/** A thread that is busy for a larger share of its time takes no more sites: it would be late for all of them. */
const BUSY = 0.7
const NO_PULSE: Pulse = { visits: 0, lateMs: 0, slow: [] }

/** Threads that write volumes. When their folder fails they move to the next; when too many die, all end. */
export class WorkerPool<Plan> {
  readonly #options: WorkerPoolOptions<Plan>
  readonly #members = new Set<Member>()
  /** For threads that begin later. */
  readonly #orders = new StandingOrders()
  /** Replacements under way: until they are done the pool has not ended. */
  readonly #replacing = new Set<Promise<void>>()
  readonly #ahead = new SharedArrayBuffer(8)
  readonly #isTooMany: () => boolean
  readonly #isNeeded = anotherThread()
  #loaded: Worker | undefined
  #made = 0
  #stopping = false
  #over = false
  #failure: unknown

  constructor(options: WorkerPoolOptions<Plan>) {
    this.#options = options
    this.#loaded = options.loaded
    this.#isTooMany = tooManyDeaths(options.clock, options.workers)
    this.#shareOffset()
  }

  /** Why the pool could not go on: a full disk, a lost database. */
  get failure(): unknown {
    return this.#failure
  }

  readonly fault = (error: unknown): void => {
    this.#failure ??= error
    void this.end()
  }

  get size(): number {
    return [...this.#members].filter(({ isLeaving }) => !isLeaving).length
  }

  /** Sites that its threads visit now. */
  get visits(): number {
    return [...this.#members].reduce((sum, { pulse }) => sum + pulse.visits, 0)
  }

  get lateMs(): number {
    return Math.max(0, ...[...this.#members].map(({ pulse }) => pulse.lateMs))
  }

  get slow(): { site: SiteName; why: string }[] {
    return [...this.#members].flatMap(({ pulse }) => pulse.slow)
  }

  start(): void {
    if (this.#over) return
    const { clock, coordinator, journal, prefix = '', plan, host, filter, random, folder, begin } = this.#options
    const name = `${prefix}w${++this.#made}`
    const slot = readingSlot()
    const archive = folder()
    begin(name)
    const thread = this.#loaded ?? this.#options.load()
    this.#loaded = undefined
    const randomSeed = random.integer(2 ** 31)
    const data = { plan: plan(), worker: name, archive, host, ahead: this.#ahead, slot, filter, randomSeed }
    thread.postMessage(data satisfies ThreadData<Plan>)
    thread.postMessage({ kind: 'orders', orders: this.#orders.all } satisfies ToWorker)
    const member: Member = {
      name,
      thread,
      archive,
      watchdog: new ReadingWatchdog(slot, clock),
      ended: Promise.resolve(),
      pulse: NO_PULSE,
      pulseAt: clock.elapsed(),
      loop: thread.performance.eventLoopUtilization(),
      busy: 0,
      isLeaving: false,
    }
    let failure: unknown
    thread.on('error', (error) => {
      failure = error
    })
    member.ended = new Promise((resolve) => {
      thread.once('exit', (code) => {
        const known = this.#members.delete(member)
        if (known && code !== 0) {
          const why = failure ?? new Error(`worker ended with code ${code}`)
          this.#replace(this.#endDead(member, why)).catch(this.fault)
        }
        resolve()
      })
    })
    this.#members.add(member)
    answerCalls(thread, coordinator, {
      event: (event) => journal.record(event),
      pulse: (pulse) => {
        member.pulse = pulse
        member.pulseAt = clock.elapsed()
      },
      fault: this.fault,
    })
    if (this.#stopping) thread.postMessage({ kind: 'stop' } satisfies ToWorker)
  }

  /** Once a second: measures how busy threads are, and replaces those that hang, or whose folder is full or fails. */
  async watch(): Promise<void> {
    this.#shareOffset()
    for (const member of this.#members) {
      const { performance } = member.thread
      const loop = performance.eventLoopUtilization()
      member.busy = performance.eventLoopUtilization(loop, member.loop).utilization
      member.loop = loop
      const reading = member.watchdog.stuck()
      if (reading !== undefined) await this.#replace(this.#endHung(member, reading))
      else if (this.#options.clock.elapsed() - member.pulseAt > this.#options.silentMs)
        await this.#replace(this.#endSilent(member))
    }
    this.renew(({ archive }) => archive !== this.#options.folder())
  }

  /** Starts another thread if it is worth it. */
  grow({ free, leased }: Pick<PoolLoad, 'free' | 'leased'>): void {
    const { workers, visits } = this.#options
    const threads = this.size
    const full = [...this.#members].every(({ busy, pulse }) => busy > BUSY || pulse.visits >= visits)
    if (threads > 0 && threads < workers && this.#isNeeded({ threads, full, free, leased })) this.start()
  }

  #shareOffset(): void {
    Atomics.store(new BigInt64Array(this.#ahead), 0, BigInt(Math.round(this.#options.offset())))
  }

  async #endHung(member: Member, reading: NowReading): Promise<void> {
    const { name, thread } = member
    this.#members.delete(member)
    await thread.terminate()
    const url = reading.item.url
    this.#options.journal.record({ kind: 'worker-restarted', worker: name, why: 'reading never ended', url })
    await this.#options.unreadable(name, reading)
    this.#startInstead(member)
  }

  /** It hangs somewhere else than in a page (V9). */
  async #endSilent(member: Member): Promise<void> {
    this.#members.delete(member)
    await member.thread.terminate()
    await this.#endDead(member, new Error('it gave no sign of life'))
  }

  async #endDead(member: Member, why: unknown): Promise<void> {
    const { journal, leaveFolder, lose } = this.#options
    const isElsewhere = isOfDisk(why) && (await leaveFolder(member.archive, why))
    if ((isDiskFull(why) && !isElsewhere) || this.#failure !== undefined) return this.fault(why)
    journal.record({ kind: 'worker-restarted', worker: member.name, why: String(why) })
    if (this.#isTooMany()) return this.fault(why)
    await lose(member.name)
    this.#startInstead(member)
  }

  /** A leaving thread has been replaced already. */
  #startInstead({ isLeaving }: Member): void {
    if (!isLeaving) this.start()
  }

  #replace(work: Promise<void>): Promise<void> {
    const done = work.finally(() => this.#replacing.delete(done))
    this.#replacing.add(done)
    return done
  }

  /** Threads finish what is in flight, check in, close volumes. */
  stop(): void {
    this.#stopping = true
    for (const { thread } of this.#members) thread.postMessage({ kind: 'stop' } satisfies ToWorker)
  }

  /** What operators decided since the last call. */
  order(orders: Orders): void {
    this.#orders.learn(orders)
    for (const { thread } of this.#members) thread.postMessage({ kind: 'orders', orders } satisfies ToWorker)
  }

  /** The first message to threads has changed: stale ones finish what is in flight and give back the rest, others begin. */
  renew(isStale: (member: Member) => boolean = () => true): void {
    if (this.#stopping) return
    for (const member of [...this.#members]) {
      if (member.isLeaving || !isStale(member)) continue
      member.isLeaving = true
      member.thread.postMessage({ kind: 'stop' } satisfies ToWorker)
      this.start()
    }
  }

  /** Ends all threads at once. */
  async end(): Promise<void> {
    const members = [...this.#members]
    this.#over = true
    this.#members.clear()
    // Until they have ended they may write to their volumes, so the collection must stay open.
    await this.#replace(Promise.all(members.map(({ thread }) => thread.terminate())).then(() => {}))
  }

  /** Resolves when all threads have ended, those started meanwhile too. */
  async ended(): Promise<void> {
    while (this.#members.size + this.#replacing.size > 0) {
      // A failed replacement is reported as a fault, not here.
      await Promise.allSettled([...[...this.#members].map(({ ended }) => ended), ...this.#replacing])
    }
  }
}

/** Fewer sites are no work for another thread. */
const SITES_PER_THREAD = 20
/** Checks, one per second, that must find all threads full. */
const A_WHILE = 10

export interface PoolLoad {
  threads: number
  /** No thread has time, or a slot, for another site. */
  full: boolean
  /** Sites that could be checked out now, and that are. */
  free: number
  leased: number
}

/**
 * Decides once a second whether another thread is worth its start, which costs 50 MB and half a second of CPU. The others must be
 * full, and there must be sites for it. Free sites go to it at once. Leased ones reach it only as visits end, so they
 * must last a while: 200 sites × 50 pages without pauses, all taken by one thread, cost 9 % less CPU without a second one, and no time.
 */
export function anotherThread(): (load: PoolLoad) => boolean {
  let fullFor = 0
  return ({ threads, full, free, leased }) => {
    fullFor = full && free + leased > threads * SITES_PER_THREAD ? fullFor + 1 : 0
    if (fullFor === 0 || (free < SITES_PER_THREAD && fullFor < A_WHILE)) return false
    fullFor = 0
    return true
  }
}

const MAX_DEATHS = 20
/** A full disk ends all threads at once, and the next location may fill up in the same hour. */
const MAX_DEATHS_PER_THREAD = 2
const DEATHS_WITHIN: Millis = 3_600_000

/** Call it for each thread that died by itself. True: too many died in the last hour to go on. */
export function tooManyDeaths(clock: Clock, threads: number): () => boolean {
  const max = Math.max(MAX_DEATHS, MAX_DEATHS_PER_THREAD * threads)
  let deaths: Millis[] = []
  return () => {
    const now = clock.elapsed()
    deaths = [...deaths.filter((at) => now - at < DEATHS_WITHIN), now]
    return deaths.length > max
  }
}

const NOTES_FILE = 'threads'
/** Far more than one process ever starts; only the last ones are read. */
const MAX_NOTES_BYTES = 65_536
/** The names that servers accept. */
const THREAD_NAME = /^[A-Za-z0-9-]{1,40}$/

/**
 * The names under which the process of a folder holds leases, written to disk before each is used. A killed process leaves
 * them behind. The next one, which has the folder's lock, gives their leases back.
 */
export class ThreadNotes {
  readonly #disk: Disk
  readonly #path: string

  constructor(disk: Disk, folder: string) {
    this.#disk = disk
    this.#path = join(folder, NOTES_FILE)
  }

  /** Names left by processes that did not end in order. */
  get earlier(): string[] {
    const size = this.#disk.size(this.#path) ?? 0
    const text = new TextDecoder().decode(
      size === 0
        ? new Uint8Array(0)
        : this.#disk.read(this.#path, Math.max(0, size - MAX_NOTES_BYTES), MAX_NOTES_BYTES),
    )
    return [...new Set(text.split('\n').filter((name) => THREAD_NAME.test(name)))]
  }

  /** Not synced: a kill does not lose it, and after a loss of power the leases expire. */
  begin(thread: string): void {
    const file = this.#disk.append(this.#path)
    file.write(new TextEncoder().encode(`${thread}\n`))
    file.close()
  }

  /** These names hold no leases any more. */
  clear(): void {
    this.#disk.remove(this.#path)
  }
}
