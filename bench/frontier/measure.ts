/** Check-outs, check-ins and URL tests of an opened frontier. Whatever it stands on, it is measured by this. */

import { once } from 'node:events'
import { cpus } from 'node:os'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { turn } from '../../src/base/clock.ts'
import { HashSet64 } from '../../src/base/hash-set.ts'
import type { Link, VisitReport } from '../../src/contracts/report.ts'
import type { Visit } from '../../src/contracts/visit.ts'
import type { OpenFrontier } from '../../src/frontier/contract.ts'
import { quantile } from '../measure/statistics.ts'
import type { NumberedWeb } from './numbered-web.ts'
import { type OpenedFrontier, ownMicroseconds } from './opened.ts'

export interface Latency {
  p50Ms: number
  p99Ms: number
  meanMs: number
  count: number
}

export interface FrontierFigures {
  /** Of a site, in groups. */
  checkOutMicroseconds: number
  /** Of a page: settle and its commit, as intake does with what comes no faster than it can be applied. */
  applyMicroseconds: number
  pages: number
  /** Links answered by the known set of a visit, with what it takes to make that set; links that settle was given. */
  testsInVisits: number
  testsInDatabase: number
  testsInVisitsPerSecond: number
  testsInDatabasePerSecond: number
  /** All links of the pages over the CPU time of both. */
  testsPerSecond: number
  /** Groups of check-outs when nothing else goes on. */
  alone: Latency
  /** One check-out at a time, as a crawl's threads ask, from when they do, while parts are applied half of the time. */
  whileApplying: Latency
  /** Of the same calls, how long they had statements under way; only where statements travel. */
  aloneStatements?: Latency
  whileApplyingStatements?: Latency
  /** Share of all cores meanwhile, whoever it was. */
  machineBusy: number
  /** By the clock, one part after the other. */
  applySeconds: number
  settling: Latency
  rssBytes: number
}

const WORKER = 'w1'
const VISITS_AT_ONCE = 32
/** Parts in a transaction: about what intake puts into one. */
const PARTS_AT_ONCE = 10
const CHECK_OUT_EVERY_MS = 20
/** As often as the coordinator looks after leases and what is left over. */
const TICK_MS = 1000

export async function measureFrontier(
  opened: OpenedFrontier,
  web: NumberedWeb,
  visits: number,
): Promise<FrontierFigures> {
  const traffic = new Traffic(opened, web)
  // Once unmeasured: code and caches get warm.
  for (let warm = 0; warm < visits / 4; warm += VISITS_AT_ONCE)
    await traffic.apply(await traffic.checkOut(VISITS_AT_ONCE))
  traffic.forget()
  for (let done = 0; done < visits; done += VISITS_AT_ONCE) await traffic.apply(await traffic.checkOut(VISITS_AT_ONCE))
  const { checkOutUs, applyUs, visitUs, granted, pages, testsInVisits, testsInDatabase } = traffic
  const settling = traffic.settles
  const alone = traffic.checkOuts
  const busy = watchMachine()
  const asked = await busyCheckOuts(opened, traffic, Math.ceil(visits / 2))
  return {
    checkOutMicroseconds: checkOutUs / granted,
    applyMicroseconds: applyUs / pages,
    pages,
    testsInVisits,
    testsInDatabase,
    testsInVisitsPerSecond: (testsInVisits / visitUs) * 1e6,
    testsInDatabasePerSecond: (testsInDatabase / applyUs) * 1e6,
    testsPerSecond: ((testsInVisits + testsInDatabase) / (visitUs + applyUs)) * 1e6,
    alone: latencyOf(alone.map(({ ms }) => ms)),
    whileApplying: latencyOf(asked.map(({ ms }) => ms)),
    ...statementFigures(alone, asked),
    machineBusy: busy(),
    settling: latencyOf(settling),
    applySeconds: settling.reduce((sum, ms) => sum + ms, 0) / 1000,
    rssBytes: process.memoryUsage().rss,
  }
}

/** How long a check-out took, and for how much of that it had statements under way. */
interface Took {
  ms: number
  statementMs?: number
}

function statementFigures(alone: readonly Took[], asked: readonly Took[]): Partial<FrontierFigures> {
  const of = (took: readonly Took[]) => took.flatMap(({ statementMs }) => statementMs ?? [])
  return of(alone).length === 0
    ? {}
    : { aloneStatements: latencyOf(of(alone)), whileApplyingStatements: latencyOf(of(asked)) }
}

export async function checkOut({ frontier }: OpenFrontier, atMost: number): Promise<Visit[]> {
  const { visits } = await frontier.checkOut(WORKER, atMost)
  return visits
}

async function timedCheckOut(
  { watch }: OpenedFrontier,
  subject: OpenFrontier,
  atMost: number,
  elapsedMs: () => number,
): Promise<{ visits: Visit[]; took: Took }> {
  const call = () => checkOut(subject, atMost)
  if (watch === undefined) {
    const visits = await call()
    return { visits, took: { ms: elapsedMs() } }
  }
  const { value: visits, statementMs } = await watch(call)
  return { visits, took: { ms: elapsedMs(), statementMs } }
}

class Traffic {
  checkOuts: Took[] = []
  settles: number[] = []
  checkOutUs = 0
  applyUs = 0
  visitUs = 0
  granted = 0
  pages = 0
  testsInVisits = 0
  testsInDatabase = 0
  readonly #opened: OpenedFrontier
  readonly #web: NumberedWeb

  constructor(opened: OpenedFrontier, web: NumberedWeb) {
    this.#opened = opened
    this.#web = web
  }

  forget(): void {
    this.checkOuts = []
    this.settles = []
    this.checkOutUs = this.applyUs = this.visitUs = 0
    this.granted = this.pages = this.testsInVisits = this.testsInDatabase = 0
  }

  async checkOut(atMost: number): Promise<Visit[]> {
    const cpu = this.#opened.cpuMicroseconds()
    const from = performance.now()
    const elapsedMs = () => performance.now() - from
    const { visits, took } = await timedCheckOut(this.#opened, this.#opened.subject, atMost, elapsedMs)
    this.checkOutUs += this.#opened.cpuMicroseconds() - cpu
    if (visits.length === 0) throw new Error('no site is free: more sites are needed')
    this.checkOuts.push(took)
    this.granted += visits.length
    return visits
  }

  async apply(visits: readonly Visit[]): Promise<void> {
    for (let at = 0; at < visits.length; at += PARTS_AT_ONCE)
      await this.applyParts(visits.slice(at, at + PARTS_AT_ONCE).map((visit) => this.part(visit)))
  }

  /** Pages that the visit asked for, with links of which it knows most. */
  part(visit: Visit): VisitReport {
    const site = this.#web.numberOf(visit.site)
    const internal = visit.agenda.map(({ url }) => this.#web.internal(site, url))
    const found: Link[] = []
    const cpu = ownMicroseconds()
    if (visit.known === 'too many') for (const links of internal) found.push(...links)
    else {
      const known = new HashSet64(visit.known)
      for (const links of internal) for (const link of links) if (known.add(link.key)) found.push(link)
    }
    this.visitUs += ownMicroseconds() - cpu
    const part = this.#web.part(visit, found, Date.now())
    this.testsInVisits += internal.reduce((sum, links) => sum + links.length, 0)
    return part
  }

  async applyParts(parts: VisitReport[]): Promise<void> {
    const { database, subject } = this.#opened
    const cpu = this.#opened.cpuMicroseconds()
    const from = performance.now()
    const findings = await database.transact((tx) => subject.ledger.applyParts(tx, parts))
    this.settles.push(performance.now() - from)
    this.applyUs += this.#opened.cpuMicroseconds() - cpu
    if (findings.some((result) => result !== 'applied')) throw new Error('a part was not applied')
    this.pages += parts.reduce((sum, { pages }) => sum + pages.length, 0)
    this.testsInDatabase += parts.reduce((sum, { crossSite }) => sum + crossSite.length, 0)
  }
}

/** Parts are applied half of the time; check-outs are due every few milliseconds, whether the thread is free then or not. */
async function busyCheckOuts(opened: OpenedFrontier, traffic: Traffic, count: number): Promise<Took[]> {
  const all: Took[] = []
  const ready: Visit[] = []
  let granted = 0
  let over = false
  const applying = (async () => {
    while (!over) {
      const parts = ready.splice(0, PARTS_AT_ONCE).map((visit) => traffic.part(visit))
      const from = performance.now()
      if (parts.length > 0) await traffic.applyParts(parts)
      await turn()
      await sleep(Math.max(1, performance.now() - from))
    }
  })()
  const ticking = (async () => {
    while (!over) {
      await opened.database.transact((tx) => opened.subject.ledger.reap(tx))
      await sleep(TICK_MS)
    }
  })()
  const asked: Promise<void>[] = []
  await askInTime({ count, everyMs: CHECK_OUT_EVERY_MS }, (askedMs) => {
    asked.push(
      timedCheckOut(opened, opened.asked, 1, () => sinceMs(askedMs)).then(({ visits, took }) => {
        all.push(took)
        ready.push(...visits)
        granted += visits.length
      }),
    )
  })
  await Promise.all(asked)
  over = true
  await Promise.all([applying, ticking])
  await traffic.apply(ready)
  // Where sites are few, those that are just written are passed over: that is an answer too.
  if (granted < count / 2) throw new Error('few sites were free: more are needed')
  return all
}

function latencyOf(waits: readonly number[]): Latency {
  return {
    p50Ms: quantile(waits, 0.5),
    p99Ms: quantile(waits, 0.99),
    meanMs: waits.reduce((sum, wait) => sum + wait, 0) / waits.length,
    count: waits.length,
  }
}

/** How busy all cores of the machine were, whoever was at work: asked at the end, a share of the time since. */
function watchMachine(): () => number {
  const before = times()
  return () => {
    const now = times()
    return 1 - (now.idle - before.idle) / (now.all - before.all)
  }
}

function times(): { idle: number; all: number } {
  let idle = 0
  let all = 0
  for (const { times } of cpus()) {
    idle += times.idle
    for (const each of Object.values(times)) all += each
  }
  return { idle, all }
}

/**
 * Asks again and again from a thread of its own, as the threads of a crawl do: so what is measured is how long the answering thread
 * lets one wait, and not how late its own timers are, which count in whole milliseconds.
 */

interface Asking {
  count: number
  everyMs: number
}

const nowMs = () => Number(process.hrtime.bigint()) / 1e6

/** Calls `answer` for each question; how long that takes is counted from `askedMs`, by `sinceMs`. Resolves when all are asked. */
async function askInTime(asking: Asking, answer: (askedMs: number) => void): Promise<void> {
  const thread = new Worker(new URL(import.meta.url), { workerData: asking })
  thread.on('message', answer)
  await once(thread, 'exit')
}

function sinceMs(askedMs: number): number {
  return nowMs() - askedMs
}

if (!isMainThread && parentPort !== null && isAsking(workerData)) {
  const { count, everyMs } = workerData
  const nothing = new Int32Array(new SharedArrayBuffer(4))
  const from = nowMs()
  for (let at = 1; at <= count; at++) {
    Atomics.wait(nothing, 0, 0, Math.max(0, from + at * everyMs - nowMs()))
    parentPort.postMessage(nowMs())
  }
}

/** The module is loaded by other threads too. */
function isAsking(data: unknown): data is Asking {
  return typeof data === 'object' && data !== null && 'everyMs' in data
}
