/** Intake and the frontier together: whatever crashes, every URL is fetched once and counted once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '../../../src/base/clock.ts'
import { hash64 } from '../../../src/base/digest.ts'
import { Readers } from '../../../src/base/journal.ts'
import { seededRandom } from '../../../src/base/random.ts'
import { DigestFilter } from '../../../src/collection/captures/digest-filter.ts'
import { capturesSince } from '../../../src/collection/captures/read-captures.ts'
import { fillFilter } from '../../../src/collection/captures/stored-copies.ts'
import { readCounter, readCounters } from '../../../src/collection/counters/counters.ts'
import { pagesSince } from '../../../src/collection/pages/read-pages.ts'
import type { Event } from '../../../src/contracts/events.ts'
import type { Link, VisitReport } from '../../../src/contracts/report.ts'
import { seal } from '../../../src/contracts/sealed-part.ts'
import type { Visit } from '../../../src/contracts/visit.ts'
import type { Database } from '../../../src/database/database.ts'
import { openFrontier } from '../../../src/frontier/open-frontier.ts'
import { klwf } from '../../../src/frontier/order.ts'
import { openIntake } from '../../../src/intake/open-intake.ts'
import { usualUrls } from '../../../src/web/url/web-url.ts'
import { memoryDisk } from '../../memory-disk.ts'
import { samplePage, sampleReport } from './sample-report.contract.ts'

const SITES = ['a.test', 'b.test', 'c.test']
const PAGES_EACH = 12

const link = (url: string, via: string): Link => ({
  url,
  key: hash64(url),
  site: new URL(url).host,
  depth: 1,
  via,
  path: 'L',
})

/** Page n of a site links to pages 2n+1 and 2n+2, and to the home page of the next site. */
function linksOf(url: string): Link[] {
  const { host, pathname } = new URL(url)
  const number = Number(pathname.slice(1) || 0)
  const own = [2 * number + 1, 2 * number + 2].filter((n) => n < PAGES_EACH).map((n) => `http://${host}/${n}`)
  const next = `http://${SITES[(SITES.indexOf(host) + 1) % SITES.length]}/`
  return [...own, next].map((to) => link(to, url))
}

/** A worker's report: one part per page of the agenda, and an end. */
function reportOf(visit: Visit, clock: Clock): VisitReport[] {
  const courtesy = { pause: 1000, notBefore: clock.now() + 1000, lastAnswerAt: clock.now() }
  const same = { visit: visit.id, fence: visit.fence, courtesy }
  const parts = visit.agenda.map(({ url }, at) => {
    const all = linksOf(url)
    const page = samplePage(url, { at: clock.now(), key: hash64(url) }, url)
    return sampleReport(visit.site, at + 1, [page], {
      ...same,
      found: all.filter(({ site }) => site === visit.site),
      crossSite: all.filter(({ site }) => site !== visit.site),
    })
  })
  return [...parts, sampleReport(visit.site, parts.length + 1, [], { ...same, ended: 'done' })]
}

async function openCoordinator(
  database: Database,
  disk: ReturnType<typeof memoryDisk>,
  clock: Clock,
  atOnceBytes?: number,
) {
  const journal = new Readers<Event>()
  const filter = DigestFilter.ofBits(2 ** 16)
  await fillFilter(database, filter)
  const coordinator = openFrontier(database, {
    clock,
    order: klwf,
    urls: usualUrls,
    slice: { pages: 5, time: 60_000 },
    leaseMs: 60_000,
    addressPauseMs: 100,
    defaultPause: () => 1000,
  })
  const logPath = '/c/logs/crawl.log'
  const intake = await openIntake({
    database,
    ledger: coordinator.ledger,
    filter,
    disk,
    logPath,
    clock,
    journal,
    atOnceBytes,
  })
  await coordinator.recover(() => intake.drain())
  return { ...coordinator, intake, journal }
}

/** True when the crawl is over; throws when it crashes. */
async function crawl(coordinator: Awaited<ReturnType<typeof openCoordinator>>, clock: Clock): Promise<boolean> {
  for (;;) {
    const { visits, next } = await coordinator.frontier.checkOut('w', 2)
    if (visits.length === 0 && next === 'over') return true
    if (visits.length === 0) await clock.sleep(next as number)
    for (const visit of visits) {
      for (const part of reportOf(visit, clock)) await coordinator.intake.accept([part].map(seal))
      await coordinator.intake.idle()
    }
  }
}

export interface Stage {
  name: string
  make(): Database | Promise<Database>
  /** Time that passes only during sleeps. */
  clock(): Clock
  /** Runs everything that sleeps by that clock to its end. */
  run<T>(work: Promise<T>, clock: Clock): Promise<T>
  seeds: number
}

export function crashContract({ name, make, clock: newClock, run: toTheEnd, seeds }: Stage): void {
  test(`crashes at random moments of intake on ${name}: the same set, nothing lost, nothing twice`, async () => {
    const moments = ['inbox-stored', 'applying', 'applied']
    for (let seed = 0; seed < seeds; seed++) {
      const random = seededRandom(seed)
      const clock = newClock()
      const disk = memoryDisk()
      const database = await make()
      const run = async () => {
        const first = await openCoordinator(database, disk, clock)
        const home = 'http://a.test/'
        await database.transact((tx) => first.ledger.seed(tx, [{ url: home, key: hash64(home), site: 'a.test' }]))
        await first.intake.close()
        for (let crashes = 0; ; crashes++) {
          // Only parts that go through the inbox reach the first moment.
          const moment = moments[random.integer(3)]
          const coordinator = await openCoordinator(
            database,
            disk,
            clock,
            moment === moments[0] || seed % 2 === 0 ? 0 : undefined,
          )
          let left = crashes < 10 ? 1 + random.integer(8) : Number.POSITIVE_INFINITY
          coordinator.journal.read((event) => {
            if (event.kind === moment && --left === 0) throw new Error('crash')
          })
          const over = await crawl(coordinator, clock).catch((error: Error) => {
            assert.equal(error.message, 'crash')
            return false
          })
          // Running work ends before the next process starts.
          if (!over) await coordinator.intake.idle().catch(() => {})
          if (!over) continue
          await coordinator.intake.drain()
          return coordinator.intake.close()
        }
      }
      await toTheEnd(run(), clock)
      await database.read(async (tx) => {
        const pages = await pagesSince(tx, 0, 1000)
        assert.equal(pages.length, SITES.length * PAGES_EACH)
        assert.ok(pages.every(({ looks }) => looks === 1))
        assert.equal(await readCounter(tx, 'documents'), pages.length)
        assert.equal((await readCounters(tx)).get('requests'), pages.length)
        assert.equal((await capturesSince(tx, 0, 1000)).length, pages.length)
      })
      const lines = Buffer.from(disk.read('/c/logs/crawl.log', 0, 1e6))
        .toString()
        .trimEnd()
        .split('\n')
      assert.equal(lines.length, SITES.length * PAGES_EACH)
      await database.close()
    }
  })
}
