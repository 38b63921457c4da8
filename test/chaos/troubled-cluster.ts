/** Servers and workers as processes, and what befalls them until they are left in peace. */
import assert from 'node:assert/strict'
import { enableCompileCache } from 'node:module'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { EXIT } from '../../src/base/errors.ts'
import type { Random } from '../../src/base/random.ts'
import type { Statistics } from '../../src/cluster/wire/calls.ts'
import type { StartedServer } from '../../testkit/postgres/server.test-tools.ts'
import { type Running, startNode } from '../e2e/harness.ts'
import type { ChaosOptions, Faults } from './cluster-chaos.ts'
import { AT_WORK, drawFate, type Fate, fateIn, lateIn, nameOf, type Role } from './fate.ts'
import { type FaultyWay, faultyWay } from './faulty-network.ts'
import { type SmallDisk, smallDisk } from './small-disk.ts'

/** A slow machine is left in peace even when there were fewer faults: what was started lives for ten minutes. */
const LONGEST_TROUBLE_MS = 240_000
/** A crawl that marks no page for so long, with nobody to hinder it, is stuck: no site rests for so long. */
const LONGEST_STILLNESS_MS = 330_000
/** Faults that meet a crawl which does nothing yet, or nothing again, show little: the next one waits so long for it. */
const LONGEST_START_MS = 20_000
const LONGEST_WAIT_MS = 4000
/** What servers tell of the crawl is some seconds old at most. */
const TOLD_LATE_MS = 4000
const LONGEST_REST_MS = 800
/** The second worker's clock is wrong by so much. */
const HOURS_OFF = [-7, 5]
/** Who has no room ends, and who finds nobody when it starts. */
const EXPECTED_EXITS: ReadonlySet<number> = new Set([EXIT.diskFull, EXIT.databaseUnreachable])
const script = join(import.meta.dirname, 'fated.ts')
const wrongClock = pathToFileURL(join(import.meta.dirname, '..', 'e2e', 'wrong-clock.ts')).href

/** Processes are started hundreds of times: what was compiled once need not be again. */
const cache = enableCompileCache().directory
if (cache !== undefined) process.env['NODE_COMPILE_CACHE'] ??= cache

interface Member {
  name: string
  role: Role
  /** Node's own words, and the program's without those that change. */
  before: readonly string[]
  line: readonly string[]
  running: Running | undefined
  fate: Fate | null
  way?: FaultyWay
  port?: number
  disk?: SmallDisk | undefined
  isAtWork: boolean
  /** When its process was killed, or killed itself. A process that waits for a slow disk ends seconds later. */
  killedAt?: number | undefined
  /** When its last process was killed, or ended. */
  endedAt?: number
  /** Stopped, or about to be started again: left alone by other faults. */
  isBusy: boolean
}

/**
 * When a process could not go on as it would, or was too slow, as it says itself. What a worker was answered shortly before it was hindered, or meanwhile, may be
 * unreported; while a server, PostgreSQL or the way to them is hindered, reports have to wait.
 */
export interface Hindrance {
  whose: 'worker' | 'server'
  /** Milliseconds since 1970. */
  from: number
  to: number
}

export interface TroubledOptions extends ChaosOptions {
  random: Random
  leaseMs: number
}

export class Troubled implements AsyncDisposable {
  readonly faults: Faults = new Map()
  readonly hindrances: Hindrance[] = []
  readonly #options: TroubledOptions
  readonly #random: Random
  readonly #servers: Member[] = []
  readonly #workers: Member[] = []
  /** What is done after a fault: a restart, a revival. */
  readonly #pending = new Set<Promise<void>>()
  readonly #pastLease: number
  /** Ends that no fault explains. */
  readonly #strange: string[] = []
  #isPeace = false
  #isOver = false

  private constructor(options: TroubledOptions) {
    this.#options = options
    this.#random = options.random
    this.#pastLease = options.leaseMs * 1.2
  }

  static async open(
    options: TroubledOptions,
    flags: readonly string[],
    at: (name: string) => string,
  ): Promise<Troubled> {
    const cluster = new Troubled(options)
    for (let i = 1; i <= options.servers; i++) {
      const port = await freePort()
      const line = ['serve', '-c', at(`server${i}`), '--port', String(port), ...flags]
      const way = await faultyWay(port)
      cluster.#servers.push({ ...memberOf('server', i, line), port, way })
    }
    const urls = cluster.#servers.flatMap(({ way }) => ['--server', way!.url])
    for (let i = 1; i <= options.workers; i++) {
      const folder = at(`worker${i}`)
      const line = ['worker', '-c', folder, ...urls, '--workers', '1', '--quiet']
      const member = memberOf('worker', i, line)
      cluster.#workers.push(member)
      if (i === 1) {
        member.disk = smallDisk(folder)
        if (member.disk === undefined) options.tell('no small disk: this user may not mount one')
      }
      if (i === 2) {
        const hours = HOURS_OFF[options.random.integer(HOURS_OFF.length)]
        member.before = ['--import', `${wrongClock}?hours=${hours}`]
        cluster.count(`worker ${Math.abs(hours)} hours ${hours < 0 ? 'behind' : 'ahead'}`)
      }
    }
    for (const member of cluster.#members) cluster.#start(member)
    return cluster
  }

  get #members(): readonly Member[] {
    return [...this.#servers, ...this.#workers]
  }

  count(fault: string): void {
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1)
  }

  /** Until now, if nothing else is said; `from` undefined: it was not. */
  #hindered(whose: Hindrance['whose'], from: number | undefined, to = Date.now()): void {
    if (from !== undefined) this.hindrances.push({ whose, from, to })
  }

  get sum(): number {
    return [...this.faults.values()].reduce((sum, n) => sum + n, 0)
  }

  #start(member: Member): void {
    const { lacking, kinds } = this.#options
    const onlyLacking = kinds === 'named'
    const isLacking = (name: string) => (lacking?.get(name) ?? 0) > (this.faults.get(name) ?? 0)
    const mayStop = this.#members.every((other) => other === member || other.fate?.how !== 'stops')
    const fate = this.#isPeace ? null : drawFate(member.role, this.#random, { isLacking, mayStop, onlyLacking })
    const running = startNode([...member.before, script, JSON.stringify(fate), ...member.line])
    member.fate = fate
    member.running = running
    member.isAtWork = false
    running.child.stderr?.on('data', (words: string) => {
      if (words.includes(AT_WORK)) {
        member.isAtWork = true
        this.#hindered(member.role, member.endedAt)
      }
      for (const ms of lateIn(words)) this.#hindered(member.role, Date.now() - ms)
      const met = fateIn(words)
      if (met === undefined) return
      this.count(nameOf(member.role, met))
      if (met.how === 'dies') member.killedAt ??= Date.now()
      if (met.how === 'stops') this.#goesOnLater(member, running, this.#pastLease)
    })
    void running.done.then(({ signal, code, stderr, endedAt }) => {
      if (member.running !== running) return
      member.running = undefined
      member.endedAt = member.killedAt ?? endedAt
      member.killedAt = undefined
      if (member.role === 'worker') this.#hindered('worker', member.endedAt, endedAt)
      if (signal === null && !this.#isOver && !EXPECTED_EXITS.has(code ?? 0))
        this.#strange.push(`${member.name} ended by itself (${code}): ${stderr.slice(-1500)}`)
      this.#later(this.#random.integer(LONGEST_REST_MS), async () => {
        if (member.running === undefined && !this.#isOver) this.#start(member)
      })
    })
  }

  #later(ms: number, work: () => Promise<void>): void {
    const done: Promise<void> = sleep(ms)
      .then(work)
      .finally(() => this.#pending.delete(done))
    this.#pending.add(done)
  }

  /** One that is at work: who kills those that have just started keeps them from doing anything, and sees nothing. */
  #any(of: readonly Member[]): Member | undefined {
    const ready = of.filter(({ running, isAtWork, isBusy }) => running !== undefined && isAtWork && !isBusy)
    return ready[this.#random.integer(Math.max(1, ready.length))]
  }

  #kill(member: Member | undefined, name: string): void {
    if (member?.running?.child.kill('SIGKILL') !== true) return
    member.killedAt ??= Date.now()
    this.count(name)
  }

  #stop(member: Member | undefined, ms: number, name: string): void {
    const running = member?.running
    if (member === undefined || running?.child.kill('SIGSTOP') !== true) return
    this.count(name)
    this.#goesOnLater(member, running, ms)
  }

  #goesOnLater(member: Member, { child }: Running, ms: number): void {
    member.isBusy = true
    const from = Date.now()
    this.#later(ms, async () => {
      child.kill('SIGCONT')
      this.#hindered(member.role, from)
      member.isBusy = false
      member.fate = null
    })
  }

  #hinder(name: string, ms: number, how: (way: FaultyWay, ms: number) => void): void {
    const way = this.#any(this.#servers)?.way
    if (way === undefined) return
    how(way, ms)
    this.count(name)
    this.#hindered('server', Date.now(), Date.now() + ms)
  }

  #fill(member: Member | undefined): void {
    const disk = member?.disk
    if (member === undefined || disk === undefined || member.isBusy || !member.isAtWork) return
    disk.fill()
    this.count('disk full')
    member.isBusy = true
    this.#later(3000, async () => {
      disk.makeRoom()
      member.isBusy = false
    })
  }

  /** Until there were so many faults, or the crawl is complete in spite of them; not before `whole`, when all has been asked for. */
  async troubles(postgres: StartedServer, { faults, kinds: which }: ChaosOptions, whole: Promise<void>): Promise<void> {
    const random = this.#random
    let isWhole = false
    const wholeSoon = whole.then(() => {
      isWhole = true
    })
    // Awaited below, when the last fault was made.
    wholeSoon.catch(() => {})
    let crashes: Promise<void> = Promise.resolve()
    const kinds: readonly (() => void)[] = [
      () => this.#kill(this.#any(this.#workers), 'worker killed'),
      () => this.#kill(this.#any(this.#servers), 'server killed'),
      () => this.#stop(this.#any(this.#workers), this.#pastLease, 'worker stopped past its lease'),
      () => this.#stop(this.#any(this.#workers), random.integer(3000), 'worker stopped'),
      () => this.#stop(this.#any(this.#servers), random.integer(3000), 'server stopped'),
      () => this.#hinder('connections cut', 0, (way) => way.cut()),
      () => this.#hinder('connections stalled', random.integer(4000), (way, ms) => way.stall(ms)),
      () => this.#fill(this.#workers[0]),
      () => {
        this.count('PostgreSQL killed')
        crashes = crashes.then(async () => {
          const from = Date.now()
          await postgres.crash()
          await sleep(random.integer(1500))
          await postgres.restart()
          this.#hindered('server', from)
        })
      },
    ]
    let marked = 0
    const until = Date.now() + LONGEST_TROUBLE_MS
    while (this.sum < faults && Date.now() < until) {
      await sleep(300 + random.integer(1500))
      this.#assertNothingStrange()
      const stand = await this.#moved(marked)
      if (isWhole && stand !== undefined && isComplete(stand)) break
      marked = stand === undefined ? marked : doneIn(stand)
      if (which === 'named') continue
      // PostgreSQL takes seconds to come back: it is killed less often than the others.
      const kind = random.integer(kinds.length)
      if (kind < kinds.length - 1 || random.next() < 0.4) kinds[kind]()
    }
    await crashes
    await wholeSoon
  }

  /** Nobody is killed any more: the crawl comes to its end, and so do the processes. */
  async peace(): Promise<void> {
    this.#isPeace = true
    while (this.#pending.size > 0) await Promise.all(this.#pending)
    for (const { running } of this.#members) running?.child.kill('SIGCONT')
    await this.#completion()
    this.#isOver = true
    for (const members of [this.#workers, this.#servers]) {
      const running = members.flatMap((member) => (member.running === undefined ? [] : [member.running]))
      for (const { child } of running) child.kill('SIGTERM')
      await Promise.all(running.map(({ done }) => done))
    }
  }

  #assertNothingStrange(): void {
    assert.ok(this.#strange.length === 0, `seed ${this.#options.seed}: ${this.#strange.slice(0, 3).join('\n')}`)
  }

  async #completion(): Promise<void> {
    let marked = 0
    let movedAt = Date.now()
    let completeSince: number | undefined
    while (completeSince === undefined || Date.now() - completeSince < TOLD_LATE_MS) {
      this.#assertNothingStrange()
      await sleep(500)
      const stand = await this.#stand()
      const { refreshes } = this.#options
      if (stand === undefined || !(refreshes ? isAllCollected(stand) : isComplete(stand))) completeSince = undefined
      else completeSince ??= Date.now()
      if (stand !== undefined && doneIn(stand) !== marked) {
        marked = doneIn(stand)
        movedAt = Date.now()
      }
      const words = `seed ${this.#options.seed}: the crawl does not come to its end: ${JSON.stringify(stand)}`
      assert.ok(Date.now() - movedAt < LONGEST_STILLNESS_MS, words)
    }
  }

  /** When there is something to disturb: pages were marked since there were so many, or that takes too long. */
  async #moved(since: number): Promise<Statistics | undefined> {
    const patience = since === 0 ? LONGEST_START_MS : LONGEST_WAIT_MS
    const until = Date.now() + patience
    for (;;) {
      const stand = await this.#stand()
      if ((stand !== undefined && doneIn(stand) !== since) || Date.now() > until) return stand
      await sleep(200)
    }
  }

  async #stand(): Promise<Statistics | undefined> {
    for (const { port } of this.#servers) {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/statistics`, { signal: AbortSignal.timeout(2000) })
        if (answer.ok) return (await answer.json()) as Statistics
      } catch {
        // Dead, or busy: another may know.
      }
    }
    return undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    for (const { running, way, disk } of this.#members) {
      running?.child.kill('SIGKILL')
      await running?.done
      await way?.[Symbol.asyncDispose]()
      disk?.[Symbol.dispose]()
    }
  }
}

/** Never, of a refresh. */
function isComplete({ sites, inbox }: Statistics): boolean {
  return sites.crawled > 0 && sites.waiting + sites.free + sites.leased + sites.returning + inbox === 0
}

const isAllCollected = ({ urls, looks }: Statistics): boolean => urls.waiting === 0 && looks.performed > 0

/** It grows as long as something is fetched. */
const doneIn = ({ urls, looks }: Statistics): number => urls.marked + looks.performed

function memberOf(role: Role, number: number, line: readonly string[]): Member {
  return {
    name: `${role}${number}`,
    role,
    before: [],
    line,
    running: undefined,
    fate: null,
    isAtWork: false,
    isBusy: false,
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
