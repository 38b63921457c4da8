/** Check-outs, check-ins and URL tests of an opened frontier. Whatever it stands on, it is measured by this. */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { turn } from '../../src/base/clock.ts'
import { HashSet64 } from '../../src/base/hash-set.ts'
import type { FrontierHouse } from '../../src/frontier/house.ts'
import type { Link, VisitReport } from '../../src/visit/report.ts'
import type { Visit } from '../../src/visit/visit.ts'
import { quantile } from '../measure/statistics.ts'
import type { NumberedWeb } from './numbered-web.ts'
import type { OpenedFrontier } from './opened.ts'

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
  settleMicroseconds: number
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
  /** One check-out at a time, of leases granted ahead, from when it was due, while parts are applied half of the time. */
  whileApplying: Latency
  settling: Latency
  rssBytes: number
}

const WORKER = 'w1'
const VISITS_AT_ONCE = 32
/** Parts in a transaction: about what intake puts into one. */
const PARTS_AT_ONCE = 10
const CHECK_OUT_EVERY_MS = 20

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
  const { checkOutUs, settleUs, visitUs, granted, pages, testsInVisits, testsInDatabase } = traffic
  const alone = latencyOf(traffic.checkOuts)
  const settling = latencyOf(traffic.settles)
  const whileApplying = await busyCheckOuts(opened.ahead, traffic, Math.ceil(visits / 2))
  return {
    checkOutMicroseconds: checkOutUs / granted,
    settleMicroseconds: settleUs / pages,
    pages,
    testsInVisits,
    testsInDatabase,
    testsInVisitsPerSecond: (testsInVisits / visitUs) * 1e6,
    testsInDatabasePerSecond: (testsInDatabase / settleUs) * 1e6,
    testsPerSecond: ((testsInVisits + testsInDatabase) / (visitUs + settleUs)) * 1e6,
    alone,
    whileApplying,
    settling,
    rssBytes: process.memoryUsage().rss,
  }
}

export async function checkOut({ frontier }: FrontierHouse, atMost: number): Promise<Visit[]> {
  const { visits } = await frontier.checkOut(WORKER, atMost)
  if (visits.length === 0) throw new Error('no site is free: more sites are needed')
  return visits
}

class Traffic {
  checkOuts: number[] = []
  settles: number[] = []
  checkOutUs = 0
  settleUs = 0
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
    this.checkOutUs = this.settleUs = this.visitUs = 0
    this.granted = this.pages = this.testsInVisits = this.testsInDatabase = 0
  }

  async checkOut(atMost: number): Promise<Visit[]> {
    const from = performance.now()
    const cpu = process.threadCpuUsage()
    const visits = await checkOut(this.#opened.house, atMost)
    this.checkOutUs += spent(cpu)
    this.checkOuts.push(performance.now() - from)
    this.granted += visits.length
    return visits
  }

  async apply(visits: readonly Visit[]): Promise<void> {
    for (let at = 0; at < visits.length; at += PARTS_AT_ONCE)
      await this.settle(visits.slice(at, at + PARTS_AT_ONCE).map((visit) => this.part(visit)))
  }

  /** Pages that the visit asked for, with links of which it knows most. */
  part(visit: Visit): VisitReport {
    const site = this.#web.numberOf(visit.site)
    const internal = visit.agenda.map(({ url }) => this.#web.internal(site, url))
    const found: Link[] = []
    const cpu = process.threadCpuUsage()
    if (visit.known === 'too many') for (const links of internal) found.push(...links)
    else {
      const known = new HashSet64(visit.known)
      for (const links of internal) for (const link of links) if (known.add(link.key)) found.push(link)
    }
    this.visitUs += spent(cpu)
    const part = this.#web.part(visit, found, Date.now())
    this.testsInVisits += internal.reduce((sum, links) => sum + links.length, 0)
    return part
  }

  async settle(parts: VisitReport[]): Promise<void> {
    const { database, house } = this.#opened
    const from = performance.now()
    const cpu = process.threadCpuUsage()
    const verdicts = await database.transact((tx) => house.ledger.settle(tx, parts))
    this.settleUs += spent(cpu)
    this.settles.push(performance.now() - from)
    if (verdicts.some((verdict) => verdict !== 'applied')) throw new Error('a part was not applied')
    this.pages += parts.reduce((sum, { pages }) => sum + pages.length, 0)
    this.testsInDatabase += parts.reduce((sum, { abroad }) => sum + abroad.length, 0)
  }
}

/** Parts are applied half of the time; check-outs are due every few milliseconds, whether the thread is free then or not. */
async function busyCheckOuts(ahead: FrontierHouse, traffic: Traffic, count: number): Promise<Latency> {
  const waits: number[] = []
  const ready: Visit[] = []
  let over = false
  const applying = (async () => {
    while (!over) {
      const parts = ready.splice(0, PARTS_AT_ONCE).map((visit) => traffic.part(visit))
      const from = performance.now()
      if (parts.length > 0) await traffic.settle(parts)
      await turn()
      await sleep(Math.max(1, performance.now() - from))
    }
  })()
  const from = performance.now()
  const asked: Promise<void>[] = []
  for (let at = 1; at <= count; at++) {
    const due = from + at * CHECK_OUT_EVERY_MS
    const wait = due - performance.now()
    if (wait > 0) await sleep(wait)
    asked.push(
      checkOut(ahead, 1).then((visits) => {
        waits.push(performance.now() - due)
        ready.push(...visits)
      }),
    )
  }
  await Promise.all(asked)
  over = true
  await applying
  return latencyOf(waits)
}

function latencyOf(waits: readonly number[]): Latency {
  return {
    p50Ms: quantile(waits, 0.5),
    p99Ms: quantile(waits, 0.99),
    meanMs: waits.reduce((sum, wait) => sum + wait, 0) / waits.length,
    count: waits.length,
  }
}

function spent(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return user + system
}
