/** Parts of many visits, brought together and applied: how long that takes, from the first call to the last row. */
import { realClock } from '../../src/base/clock.ts'
import { Readers } from '../../src/base/journal.ts'
import { DigestFilter } from '../../src/collection/captures/digest-filter.ts'
import type { Event } from '../../src/contracts/events.ts'
import type { Link } from '../../src/contracts/report.ts'
import type { Database } from '../../src/database/database.ts'
import { queries } from '../../src/database/queries.ts'
import type { OpenFrontier } from '../../src/frontier/contract.ts'
import { openFrontier } from '../../src/frontier/open-frontier.ts'
import { klwf } from '../../src/frontier/order.ts'
import { openIntake } from '../../src/intake/open-intake.ts'
import { usualUrls } from '../../src/web/url/web-url.ts'
import { memoryDisk } from '../../testkit/memory-disk.ts'
import { NumberedWeb } from '../frontier/numbered-web.ts'
import { type Brought, visited } from './traffic.ts'

export interface IntakeFigures {
  urls: number
  pages: number
  parts: number
  seconds: number
  /** Of them, until the parts were acknowledged. */
  storeSeconds: number
  transactions: number
  /** Of this process, not of the database. */
  cpuSeconds: number
  /** When that began. */
  since: number
  bodyBytes: number
}

const URLS_EACH = 20
const SITES_AT_ONCE = 200
/** Parts in a call, as a worker with many sites makes them. */
const PARTS_A_CALL = 64
const WARM = 0.2

export async function measureIntake(
  database: Database,
  { sites, visits, atOnce }: { sites: number; visits: number; atOnce: number },
  say: (line: string) => void,
): Promise<IntakeFigures> {
  const coordinator = openFrontier(database, {
    clock: realClock,
    order: klwf,
    urls: usualUrls,
    slice: { pages: 10, time: 600_000 },
    leaseMs: 600_000,
    addressPauseMs: 0,
    defaultPause: () => 0,
    leasesOutlive: true,
  })
  let figures = none()
  const journal = new Readers<Event>()
  let trouble: string | undefined
  journal.read((event) => {
    if (event.kind === 'applied') figures.transactions++
    if (event.kind === 'trouble') trouble ??= event.what
  })
  const tools = { database, ledger: coordinator.ledger, filter: DigestFilter.ofBits(), disk: memoryDisk() }
  const intake = await openIntake({ ...tools, logPath: 'logs/crawl.log', node: 'bench', clock: realClock, journal })
  await coordinator.recover(() => intake.drain())
  const web = new NumberedWeb({ urls: sites * URLS_EACH, sites }, 1)
  say(`${sites} sites are entered …`)
  await enter(database, coordinator, web)
  say(`${visits} visits are brought …`)
  const bring = async ({ parts, pages, urls }: Brought) => {
    const cpu = process.cpuUsage()
    const from = performance.now()
    const calls = []
    for (let at = 0; at < parts.length; at += PARTS_A_CALL)
      calls.push(intake.accept(parts.slice(at, at + PARTS_A_CALL)))
    await Promise.all(calls)
    figures.storeSeconds += (performance.now() - from) / 1000
    await intake.idle()
    figures.seconds += (performance.now() - from) / 1000
    const { user, system } = process.cpuUsage(cpu)
    figures.cpuSeconds += (user + system) / 1e6
    figures.parts += parts.length
    figures.pages += pages
    figures.urls += urls
    for (const { body } of parts) figures.bodyBytes += body.length
  }
  while (figures.parts < visits * WARM) await bring(await together(coordinator, web, atOnce))
  figures = none()
  while (figures.parts < visits) await bring(await together(coordinator, web, atOnce))
  await intake.close()
  if (trouble !== undefined) throw new Error(trouble)
  return figures
}

/** A check-out gives fewer at a time. */
async function together(coordinator: OpenFrontier, web: NumberedWeb, atOnce: number): Promise<Brought> {
  const all: Brought = { parts: [], pages: 0, urls: 0 }
  while (all.parts.length < atOnce) {
    const { parts, pages, urls } = await visited(coordinator, web, atOnce - all.parts.length)
    if (parts.length === 0) break
    all.parts.push(...parts)
    all.pages += pages
    all.urls += urls
  }
  if (all.parts.length === 0) throw new Error('no site is free: more sites are needed')
  return all
}

async function enter(database: Database, { ledger }: OpenFrontier, web: NumberedWeb): Promise<void> {
  const { sites } = web.size
  for (let first = 0; first < sites; first += SITES_AT_ONCE) {
    const links: Link[] = []
    for (let site = first; site < Math.min(sites, first + SITES_AT_ONCE); site++)
      for (let page = 0; page < URLS_EACH; page++) links.push(web.link(site, page, web.text(site, 0)))
    await database.transact((tx) => ledger.admit(tx, links))
  }
  await database.transact((tx) => queries(tx).run('ANALYZE'))
}

function none(): IntakeFigures {
  const counts = { urls: 0, pages: 0, parts: 0, transactions: 0, bodyBytes: 0 }
  return { ...counts, seconds: 0, storeSeconds: 0, cpuSeconds: 0, since: Date.now() }
}
