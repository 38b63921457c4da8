/**
 * Crawls by many processes while they are killed, stopped, cut off and left without room: in the end the same set, nothing
 * lost, nothing counted twice, and no server that was crawled saw a pause broken. Every decision comes from the seed.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Random, seededRandom } from '../../src/base/random.ts'
import { type StartedServer, startServer as startPostgres } from '../../src/database/postgres/server.test-tools.ts'
import type { WebOptions } from '../../src/testweb/options.ts'
import { walk } from '../../src/testweb/walker.ts'
import { readShared } from '../e2e/cluster.ts'
import {
  assertNone,
  assertSameSet,
  type Running,
  seedFile,
  serveWeb,
  startNode,
  temporaryFolder,
} from '../e2e/harness.ts'
import { judgeRequests } from '../e2e/harness-judge.ts'
import type { Death } from './die-at.ts'
import { type FaultyWay, faultyWay } from './faulty-network.ts'
import { type SmallDisk, smallDisk } from './small-disk.ts'

export interface ChaosOptions {
  seed: number
  /** Faults before the crawl is left in peace. */
  faults: number
  web: WebOptions
  /** `named`: processes only die at moments that their journals name; `all`: also at random ones, and in other ways. */
  kinds: 'all' | 'named'
  servers: number
  workers: number
  tell(line: string): void
}

const PAUSE_MS = 100
const LEASE_MS = 10_000
const CRAWL = [
  ...['--pause-for', `*.test=${PAUSE_MS}ms`, '--address-pause', '100ms', '--patience', '0.01', '--volume-size', '1MB'],
  ...['--lease', `${LEASE_MS}ms`, '--connect-timeout', '1s', '--exchange-timeout', '5s', '--quiet'],
  // Every request is counted: none is to be drawn by lot.
  ...['--recheck-share', '0'],
]
/** A crawl that is not complete so long after the last fault is stuck. */
const LONGEST_PEACE_MS = 180_000
const script = join(import.meta.dirname, 'die-at.ts')

/** What faults there were, by name. */
export type Faults = Map<string, number>

/** Throws when a promise is broken. */
export async function chaosCrawl(options: ChaosOptions): Promise<Faults> {
  const postgres = await startPostgres()
  assert.ok(!('skipped' in postgres), 'chaos needs PostgreSQL')
  try {
    return await chaosOver(postgres, options)
  } finally {
    await postgres.stop()
  }
}

async function chaosOver(postgres: StartedServer, options: ChaosOptions): Promise<Faults> {
  using folder = temporaryFolder()
  await using served = await serveWeb(options.web, folder, {})
  const { web } = served
  const seeds = web.homes()
  const database = ['--database', postgres.url]
  const flags = ['--seeds', seedFile(folder, seeds), ...CRAWL, ...served.resolve, ...database]
  const random = seededRandom(options.seed)
  const faults: Faults = new Map()
  await using cluster = await Cluster.open(options, random, faults, flags, (name) => folder.at(name))
  await cluster.troubles(postgres, options)
  await cluster.peace()

  const right = walk(web, { seeds, scope: { kind: 'host' }, links: 'combined' })
  const { documents, counters } = await readShared(database)
  assertSameSet(documents, new Set(right.documents), `documents (seed ${options.seed})`)
  assert.equal(counters.get('documents'), right.documents.size, `counted twice (seed ${options.seed})`)
  const { tooSoon, overlaps, forbidden, nameless } = judgeRequests(await served.requests(), web, right, {
    pauseOf: () => PAUSE_MS,
    patience: 0.01,
    firstByteMs: 30_000,
    toleranceMs: 3,
    // What was answered and could not be reported is asked again, by whoever has the site next.
    killed: { mayHaveForgotten: () => true },
  })
  for (const [name, list] of Object.entries({ tooSoon, overlaps, forbidden, nameless }))
    assertNone(list, `${name} (seed ${options.seed})`)
  return faults
}

interface Member {
  name: string
  /** The program's words, without those that change. */
  line: readonly string[]
  deaths: readonly Death['at'][]
  running: Running | undefined
  way?: FaultyWay
  port?: number
  disk?: SmallDisk | undefined
  /** Stopped, or about to be started again: left alone by other faults. */
  isBusy: boolean
}

class Cluster implements AsyncDisposable {
  readonly #random: Random
  readonly #faults: Faults
  readonly #tell: (line: string) => void
  readonly servers: Member[] = []
  readonly workers: Member[] = []
  /** What is done after a fault: a restart, a revival. */
  readonly #pending = new Set<Promise<void>>()
  #isPeace = false

  private constructor({ tell }: ChaosOptions, random: Random, faults: Faults) {
    this.#random = random
    this.#faults = faults
    this.#tell = tell
  }

  static async open(
    options: ChaosOptions,
    random: Random,
    faults: Faults,
    flags: readonly string[],
    at: (name: string) => string,
  ): Promise<Cluster> {
    const cluster = new Cluster(options, random, faults)
    for (let i = 1; i <= options.servers; i++) {
      const port = await freePort()
      const line = ['serve', '-c', at(`server${i}`), '--port', String(port), ...flags]
      const member: Member = {
        ...{ name: `server${i}`, line, deaths: ['inbox-stored', 'applying', 'applied'] },
        ...{ running: undefined, isBusy: false, port, way: await faultyWay(port) },
      }
      cluster.servers.push(member)
      cluster.#start(member)
    }
    const urls = cluster.servers.flatMap(({ way }) => ['--server', way!.url])
    for (let i = 1; i <= options.workers; i++) {
      const folder = at(`worker${i}`)
      const disk = i === 1 ? smallDisk(folder) : undefined
      if (i === 1 && disk === undefined) options.tell('no small disk: this user may not mount one')
      const line = ['worker', '-c', folder, ...urls, '--workers', '1', '--quiet']
      const member: Member = {
        ...{ name: `worker${i}`, line, deaths: ['synced', 'checked-in'], running: undefined, isBusy: false, disk },
      }
      cluster.workers.push(member)
      cluster.#start(member)
    }
    return cluster
  }

  /** Every process that is started in times of trouble dies at a moment that its journal names, if nothing else ends it first. */
  #start(member: Member): void {
    const isToDie = !this.#isPeace && this.#random.next() < 0.9
    const at = member.deaths[this.#random.integer(member.deaths.length)]
    const death: Death | null = isToDie ? { at, nth: 1 + this.#random.integer(5) } : null
    const running = startNode([script, JSON.stringify(death), ...member.line])
    member.running = running
    void running.done.then(({ signal, code, stderr }) => {
      if (member.running !== running) return
      member.running = undefined
      const named = /^dies at (\S+)/m.exec(stderr)?.[1]
      if (named !== undefined) this.#count(`${member.name.replace(/\d/, '')} at ${named}`)
      else if (signal === null && !this.#isOver)
        this.#tell(`${member.name} ended by itself (${code}): ${stderr.slice(-600)}`)
      this.#later(this.#random.integer(800), async () => {
        if (member.running === undefined && !this.#isOver) this.#start(member)
      })
    })
  }

  #isOver = false

  #count(fault: string): void {
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1)
  }

  get faults(): number {
    return [...this.#faults.values()].reduce((sum, n) => sum + n, 0)
  }

  #later(ms: number, work: () => Promise<void>): void {
    const done: Promise<void> = sleep(ms)
      .then(work)
      .finally(() => this.#pending.delete(done))
    this.#pending.add(done)
  }

  #any(of: readonly Member[]): Member | undefined {
    const ready = of.filter(({ running, isBusy }) => running !== undefined && !isBusy)
    return ready[this.#random.integer(Math.max(1, ready.length))]
  }

  #kill(member: Member | undefined, name: string): void {
    if (member?.running?.child.kill('SIGKILL') === true) this.#count(name)
  }

  #stop(member: Member | undefined, ms: number, name: string): void {
    const child = member?.running?.child
    if (member === undefined || child?.kill('SIGSTOP') !== true) return
    this.#count(name)
    member.isBusy = true
    this.#later(ms, async () => {
      child.kill('SIGCONT')
      member.isBusy = false
    })
  }

  #fill(member: Member | undefined): void {
    const disk = member?.disk
    if (member === undefined || disk === undefined || member.isBusy) return
    disk.fill()
    this.#count('disk full')
    member.isBusy = true
    this.#later(3000, async () => {
      disk.makeRoom()
      member.isBusy = false
    })
  }

  /** Until there were so many faults, or the crawl is complete in spite of them. */
  async troubles(postgres: StartedServer, { faults, kinds: which }: ChaosOptions): Promise<void> {
    const random = this.#random
    const whole = 1 + LEASE_MS * 1.2
    let crashes: Promise<void> = Promise.resolve()
    const kinds: readonly (() => void)[] = [
      () => this.#kill(this.#any(this.workers), 'worker killed'),
      () => this.#kill(this.#any(this.servers), 'server killed'),
      () => this.#stop(this.#any(this.workers), whole, 'worker stopped past its lease'),
      () => this.#stop(this.#any(this.workers), random.integer(3000), 'worker stopped'),
      () => this.#stop(this.#any(this.servers), random.integer(3000), 'server stopped'),
      () => {
        this.#any(this.servers)?.way?.cut()
        this.#count('connections cut')
      },
      () => {
        this.#any(this.servers)?.way?.stall(random.integer(4000))
        this.#count('connections stalled')
      },
      () => this.#fill(this.workers[0]),
      () => {
        this.#count('PostgreSQL killed')
        crashes = crashes.then(async () => {
          await postgres.crash()
          await sleep(random.integer(1500))
          await postgres.restart()
        })
      },
    ]
    while (this.faults < faults) {
      await sleep(500 + random.integer(1500))
      if (await this.#isComplete()) break
      if (which === 'named') continue
      // PostgreSQL takes seconds to come back: it is killed less often than the others.
      const kind = random.integer(kinds.length)
      if (kind < kinds.length - 1 || random.next() < 0.4) kinds[kind]()
    }
    await crashes
  }

  /** Nobody is killed any more: the crawl comes to its end, and so do the processes. */
  async peace(): Promise<void> {
    this.#isPeace = true
    while (this.#pending.size > 0) await Promise.all(this.#pending)
    for (const { running } of [...this.servers, ...this.workers]) running?.child.kill('SIGCONT')
    const until = Date.now() + LONGEST_PEACE_MS
    while (!(await this.#isComplete())) {
      assert.ok(Date.now() < until, 'the crawl does not come to its end')
      await sleep(500)
    }
    this.#isOver = true
    for (const members of [this.workers, this.servers]) {
      const running = members.flatMap((member) => (member.running === undefined ? [] : [member.running]))
      for (const { child } of running) child.kill('SIGTERM')
      await Promise.all(running.map(({ done }) => done))
    }
  }

  async #isComplete(): Promise<boolean> {
    for (const { port } of this.servers) {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/statistics`, { signal: AbortSignal.timeout(2000) })
        if (!answer.ok) continue
        const { sites, inbox } = (await answer.json()) as { sites: Record<string, number>; inbox: number }
        return sites.crawled > 0 && sites.waiting + sites.free + sites.leased + sites.returning + inbox === 0
      } catch {
        // Dead, or busy: another may know.
      }
    }
    return false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    for (const { running, way, disk } of [...this.servers, ...this.workers]) {
      running?.child.kill('SIGKILL')
      await running?.done
      await way?.[Symbol.asyncDispose]()
      disk?.[Symbol.dispose]()
    }
  }
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net')
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
