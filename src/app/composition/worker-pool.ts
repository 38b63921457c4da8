/**
 * The worker threads of a crawl: started as sites need them, watched, replaced when they hang, told to stop. Each answers
 * to the coordinator through its port and shares nothing else with it but its reading slot and the filter of digests.
 */
import type { EventLoopUtilization } from 'node:perf_hooks'
import type { Worker } from 'node:worker_threads'
import type { Clock, Millis } from '../../base/clock.ts'
import type { Journal } from '../../base/journal.ts'
import type { CoordinatorCalls, NowReading, Pulse, ToWorker } from '../../contracts/calls.ts'
import type { Event } from '../../contracts/events.ts'
import { readingSlot } from '../../crawl/worker/reading-slot.ts'
import { answerCalls } from '../../crawl/worker/thread-wire.ts'
import { ReadingWatchdog } from './watchdog.ts'
import { beginThread, type ThreadData } from './worker-thread.ts'

export interface WorkerPoolTools {
  /** A thread that is loaded already: the first to be started. */
  loaded: Worker | undefined
  /** Every other one. */
  load(): Worker
  /** Before the names of its threads, where others share the coordinator: names must differ from theirs and from those of an earlier life. */
  prefix?: string
  coordinator: CoordinatorCalls
  clock: Clock
  journal: Journal<Event>
  dataFor(worker: string, slot: SharedArrayBuffer): ThreadData
  /** The thread that read this page has been ended: record the page, lose the worker's leases. */
  hung(worker: string, reading: NowReading): Promise<void>
  /** A thread ended though nobody asked it to: lose its leases. Another takes its place, unless nothing can go on. */
  died(worker: string, error: unknown): Promise<void>
  /** Nothing can go on: a full disk, a lost database. */
  fault(error: unknown): void
  /** A thread that has said nothing for so long is ended, and another takes its place. */
  silentMs: Millis
}

interface Member {
  name: string
  thread: Worker
  watchdog: ReadingWatchdog
  ended: Promise<void>
  pulse: Pulse
  /** When it last gave a sign of life. */
  heardAt: Millis
  /** Its event loop at the last look, and how much of the time until then it had been at work. */
  loop: EventLoopUtilization
  busy: number
  /** Another has begun in its place. */
  isLeaving: boolean
}

/** Above this share of its time a thread has no room for more sites: what it does late, it does late for all of them. */
const BUSY = 0.7
const NO_PULSE: Pulse = { visits: 0, lateMs: 0, slow: [] }

export class WorkerPool {
  readonly #tools: WorkerPoolTools
  readonly #members = new Set<Member>()
  /** What is done for threads that are no more, until others stand in their place: meanwhile the crew has not ended. */
  readonly #replacing = new Set<Promise<void>>()
  #loaded: Worker | undefined
  #made = 0
  #stopping = false
  #over = false

  constructor(tools: WorkerPoolTools) {
    this.#tools = tools
    this.#loaded = tools.loaded
  }

  get size(): number {
    return [...this.#members].filter(({ isLeaving }) => !isLeaving).length
  }

  /** No thread has time, or a slot, for another site. */
  isFull(slots: number): boolean {
    return [...this.#members].every(({ busy, pulse }) => busy > BUSY || pulse.visits >= slots)
  }

  /** Sites that its threads visit now. */
  get visits(): number {
    return [...this.#members].reduce((sum, { pulse }) => sum + pulse.visits, 0)
  }

  get lateMs(): number {
    return Math.max(0, ...[...this.#members].map(({ pulse }) => pulse.lateMs))
  }

  get slow(): { site: string; why: string }[] {
    return [...this.#members].flatMap(({ pulse }) => pulse.slow)
  }

  start(): void {
    if (this.#over) return
    const name = `${this.#tools.prefix ?? ''}w${++this.#made}`
    const slot = readingSlot()
    const thread = this.#loaded ?? this.#tools.load()
    this.#loaded = undefined
    beginThread(thread, this.#tools.dataFor(name, slot))
    const watchdog = new ReadingWatchdog(slot, this.#tools.clock)
    const member: Member = {
      name,
      thread,
      watchdog,
      ended: Promise.resolve(),
      pulse: NO_PULSE,
      heardAt: this.#tools.clock.elapsed(),
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
          this.#replace(this.#endDead(member, why)).catch((error) => this.#tools.fault(error))
        }
        resolve()
      })
    })
    this.#members.add(member)
    answerCalls(thread, this.#tools.coordinator, {
      event: (event) => this.#tools.journal.tell(event),
      pulse: (pulse) => {
        member.pulse = pulse
        member.heardAt = this.#tools.clock.elapsed()
      },
      fault: (error) => this.#tools.fault(error),
    })
    if (this.#stopping) thread.postMessage({ kind: 'stop' } satisfies ToWorker)
  }

  /** Once a second: how busy threads are; those that hang on a page are ended, the page is recorded, others take their place. */
  async watch(): Promise<void> {
    for (const member of this.#members) {
      const { performance } = member.thread
      const loop = performance.eventLoopUtilization()
      member.busy = performance.eventLoopUtilization(loop, member.loop).utilization
      member.loop = loop
      const reading = member.watchdog.stuck()
      if (reading !== undefined) await this.#replace(this.#endHung(member, reading))
      else if (this.#tools.clock.elapsed() - member.heardAt > this.#tools.silentMs)
        await this.#replace(this.#endSilent(member))
    }
  }

  async #endHung(member: Member, reading: NowReading): Promise<void> {
    const { name, thread } = member
    this.#members.delete(member)
    await thread.terminate()
    const url = reading.item.url
    this.#tools.journal.tell({ kind: 'worker-restarted', worker: name, why: 'reading never ended', url })
    await this.#tools.hung(name, reading)
    this.#startInstead(member)
  }

  /** It hangs somewhere else than in a page (V9). */
  async #endSilent(member: Member): Promise<void> {
    this.#members.delete(member)
    await member.thread.terminate()
    await this.#endDead(member, new Error('it gave no sign of life'))
  }

  async #endDead(member: Member, why: unknown): Promise<void> {
    await this.#tools.died(member.name, why)
    this.#startInstead(member)
  }

  /** One that was leaving has its successor already: with another the crew would be one too many. */
  #startInstead({ isLeaving }: Member): void {
    if (!isLeaving) this.start()
  }

  #replace(work: Promise<void>): Promise<void> {
    const done = work.finally(() => this.#replacing.delete(done))
    this.#replacing.add(done)
    return done
  }

  /** Finish what is in flight, check in, close volumes. */
  stop(): void {
    this.#stopping = true
    for (const { thread } of this.#members) thread.postMessage({ kind: 'stop' } satisfies ToWorker)
  }

  /** What threads are told at their beginning has changed: these finish what is in flight and give back the rest, others begin. */
  renew(isStale: (worker: string) => boolean = () => true): void {
    if (this.#stopping) return
    for (const member of [...this.#members]) {
      if (member.isLeaving || !isStale(member.name)) continue
      member.isLeaving = true
      member.thread.postMessage({ kind: 'stop' } satisfies ToWorker)
      this.start()
    }
  }

  /** At once. */
  async end(): Promise<void> {
    const members = [...this.#members]
    this.#over = true
    this.#members.clear()
    // Until then they may write to their volumes, and the collection is not closed.
    await this.#replace(Promise.all(members.map(({ thread }) => thread.terminate())).then(() => {}))
  }

  /** Resolves when all threads have ended, those started meanwhile too. */
  async ended(): Promise<void> {
    while (this.#members.size + this.#replacing.size > 0) {
      // What goes wrong in a replacement is told as a fault, not here.
      await Promise.allSettled([...[...this.#members].map(({ ended }) => ended), ...this.#replacing])
    }
  }
}
