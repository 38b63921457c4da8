/** What the coordinator does for each page, on a database in a real file. */

import { join } from 'node:path'
import { openCoordinator } from '../../src/app/composition/coordinator.ts'
import { loadSettings } from '../../src/app/config/load.ts'
import { realClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import { realDisk } from '../../src/base/real-disk.ts'
import { decodeReport } from '../../src/contracts/decode-report.ts'
import type { VisitReport } from '../../src/contracts/report.ts'
import { seal } from '../../src/contracts/sealed-part.ts'
import { laterNews } from '../../src/contracts/site-memory.ts'
import { openSqlite } from '../../src/database/sqlite/open.ts'
import { frontierQueries } from '../../src/frontier/queries.ts'
import { parseUrl } from '../../src/web/url/web-url.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import type { Material } from './material.ts'
import { timeEach, timeOnce } from './stopwatch.ts'
import type { Piece } from './worker-pieces.ts'

/** What a visit without pauses brings in a second beside two hundred others; a part has its own costs. */
const PAGES_A_PART = 4
const VISITS_AT_ONCE = 32

export async function coordinatorPieces({ seeds, parts }: Material): Promise<Piece[]> {
  using folder = temporaryFolder()
  const pages = parts.reduce((sum, part) => sum + part.pages.length, 0)
  const waves = inWaves(parts).map((wave) => wave.map(seal))
  const sealed = waves.flat()
  const decoding = (timeEach(sealed, ({ body }) => void decodeReport(body)) * sealed.length) / pages
  const { settings } = loadSettings([], 'crawl', { env: {}, readFile: () => undefined })
  for (const inside of ['archive', 'indexes', 'logs']) realDisk.makeFolder(join(folder.path, inside))
  const database = openSqlite(join(folder.path, 'collection.db'))
  const coordinator = await openCoordinator({
    database,
    disk: realDisk,
    folder: folder.path,
    clock: realClock,
    random: seededRandom(1),
    journal: { record() {} },
    settings,
  })
  await coordinator.seed(seeds.map((seed) => parseUrl(seed)!).map(({ href, key, site }) => ({ url: href, key, site })))
  let visits = 0
  const checkingOut = await timeOnce(async () => {
    for (let given = -1; given !== 0; visits += given)
      given = (await coordinator.calls.checkOut('w1', VISITS_AT_ONCE)).visits.length
  })
  const takingIn = await timeOnce(async () => {
    for (const wave of waves) await coordinator.intake.accept(wave)
    await coordinator.intake.idle()
  })
  const applied = await database.read((tx) => frontierQueries.totals(tx))
  if (applied.urls.marked === 0) throw new Error('no part was applied')
  const finishing = await timeOnce(() => coordinator.finish())
  await database.close()
  return [
    {
      name: 'check out',
      microseconds: checkingOut / visits,
      note: `a site, in groups of ${VISITS_AT_ONCE}; not a page`,
    },
    { name: 'decode report', microseconds: decoding, note: 'part of applying it' },
    {
      name: 'take in and apply',
      microseconds: takingIn / pages,
      note: `a part of each site at once, ${PAGES_A_PART} pages each: frontier, pages, captures, links, counters, log`,
    },
    { name: 'finish', microseconds: finishing / pages, note: 'reverse index of links, CDXJ; once a crawl' },
  ]
}

/** The parts of each visit joined to larger ones; the first of all visits come together, then the second, and so on. */
function inWaves(parts: readonly VisitReport[]): VisitReport[][] {
  const waves: VisitReport[][] = []
  for (const own of Map.groupBy(parts, ({ visit }) => visit).values()) {
    let wave = 0
    for (let joined: VisitReport | undefined, at = 0; at < own.length; at++) {
      joined = joined === undefined ? { ...own[at], part: wave + 1 } : together(joined, own[at])
      if (joined.pages.length < PAGES_A_PART && at < own.length - 1) continue
      waves[wave] ??= []
      waves[wave++].push(joined)
      joined = undefined
    }
  }
  return waves
}

/** As if it had been told at once: what was found and fetched within a part is not among what was found. */
function together(one: VisitReport, next: VisitReport): VisitReport {
  const fetched = new Set(next.pages.map(({ key }) => key))
  const counts = new Map(one.counts)
  for (const [name, count] of next.counts) counts.set(name, (counts.get(name) ?? 0) + count)
  return {
    ...next,
    part: one.part,
    pages: [...one.pages, ...next.pages],
    found: [...one.found.filter(({ key }) => !fetched.has(key)), ...next.found],
    crossSite: [...one.crossSite, ...next.crossSite],
    findings: [...one.findings, ...next.findings],
    counts,
    memory: laterNews(one.memory, next.memory),
  }
}
