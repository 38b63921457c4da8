/** `bench looks`: check-outs and check-ins of known pages, by how many there are. */
import { performance } from 'node:perf_hooks'
import type { Clock } from '../../src/base/clock.ts'
import type { VisitReport } from '../../src/contracts/report.ts'
import { freshMemory } from '../../src/contracts/site-memory.ts'
import { siteKeyOf, type Visit } from '../../src/contracts/visit.ts'
import { bucketOf } from '../../src/database/bucket.ts'
import type { Database } from '../../src/database/database.ts'
import { openPostgres } from '../../src/database/postgres/open.ts'
import { queries } from '../../src/database/queries.ts'
import { openSqlite } from '../../src/database/sqlite/open.ts'
import { openFrontier } from '../../src/frontier/open-frontier.ts'
import { klwf } from '../../src/frontier/order.ts'
import { grouped } from '../../src/report/text-table.ts'
import { usualUrls } from '../../src/web/url/web-url.ts'
import { page } from '../../testkit/contracts/frontier/tools.contract.ts'
import { benchmark, type Outcome, type Tools } from '../command.ts'
import type { Place } from '../frontier/child.ts'
import { type Stand, standsOf } from '../frontier/stands.ts'
import { median } from '../measure/statistics.ts'

const FLAGS = {
  pages: { default: '100000,1000000,10000000', what: 'known pages: several sizes with commas between them' },
  each: { default: 1000, what: 'pages of a site' },
  rounds: { default: 30, what: 'check-outs of 32 sites that are measured' },
  database: { default: 'sqlite', what: 'sqlite, embedded (a PostgreSQL server is started); several with commas' },
} as const

const NOW = 1_800_000_000_000
const DAY = 86_400_000
const AT_ONCE = 32
/** Rates from once in a year to once in an hour: some forty classes. */
const SLOWEST = 3e-8
const SPAN = Math.log(1 / 3600 / SLOWEST)

interface Measured {
  database: Stand['name']
  pages: number
  /** Medians: for 32 sites, and for one look. */
  checkOutMs: number
  checkOutMicroseconds: number
  applyMicroseconds: number
  looksOfVisit: number
  fillSeconds: number
}

export const looks = benchmark({
  name: 'looks',
  what: 'check-outs and check-ins of known pages, by how many there are',
  flags: FLAGS,
  async run({ pages, each, rounds, database }, tools): Promise<Outcome> {
    const all: Measured[] = []
    for (const count of pages.split(',').map(Number))
      for (const stand of standsOf(database)) all.push(await measure(stand, count, each, rounds, tools))
    const rows = all.map((one) => [
      `${one.database}, ${grouped(one.pages)}`,
      one.checkOutMs.toFixed(1),
      one.looksOfVisit.toFixed(1),
      one.checkOutMicroseconds.toFixed(0),
      one.applyMicroseconds.toFixed(0),
      one.fillSeconds.toFixed(0),
    ])
    const header = [
      'known pages',
      `check-out of ${AT_ONCE} sites, ms`,
      'looks of a visit',
      'µs per look',
      'check-in, µs per look',
      'filled, s',
    ]
    return {
      tables: [{ title: `Known pages, ${grouped(each)} of each site: medians of ${rounds}`, header, rows }],
      notes: ['By the clock, commits included. Every look finds its page unchanged.'],
      figures: { sizes: all },
    }
  },
})

async function measure(stand: Stand, count: number, each: number, rounds: number, tools: Tools): Promise<Measured> {
  await using made = await stand.make(undefined)
  const database = await open(made.place)
  const sites = Math.max(AT_ONCE, Math.round(count / each))
  tools.say(`${stand.name}: ${grouped(count)} known pages …`)
  const begun = performance.now()
  for (let from = 0; from < sites; from += 100) await fill(database, from, Math.min(sites, from + 100), each)
  const fillSeconds = (performance.now() - begun) / 1000
  let elapsed = 0
  const clock: Clock = {
    now: () => NOW + elapsed,
    elapsed: () => elapsed,
    sleep: () => Promise.reject(new Error('nobody sleeps')),
    after: () => () => {},
  }
  const { frontier, ledger, recover } = openFrontier(database, {
    ...{ clock, order: klwf, urls: usualUrls, slice: { pages: 500, time: 900_000 }, leaseMs: 180_000 },
    ...{ addressPauseMs: 500, defaultPause: () => 2000, leasesOutlive: true },
    refresh: { policy: 'index', newShare: 0.5, minAge: DAY, minGain: 1000 },
  })
  await recover(async () => {})
  const checkOuts: number[] = []
  const perLook = { checkOut: [] as number[], apply: [] as number[], looks: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    elapsed += 60_000
    const asked = performance.now()
    const { visits } = await frontier.checkOut('w1', AT_ONCE)
    const got = performance.now()
    const looked = visits.reduce((sum, { agenda }) => sum + agenda.length, 0)
    await database.transact((tx) =>
      ledger.applyParts(
        tx,
        visits.map((visit) => reportOf(visit, clock.now())),
      ),
    )
    const applied = performance.now()
    if (looked === 0) throw new Error('nothing was due')
    checkOuts.push(((got - asked) * AT_ONCE) / visits.length)
    perLook.checkOut.push(((got - asked) * 1000) / looked)
    perLook.apply.push(((applied - got) * 1000) / looked)
    perLook.looks.push(looked / visits.length)
  }
  await database.close()
  return {
    database: stand.name,
    pages: sites * each,
    checkOutMs: median(checkOuts),
    checkOutMicroseconds: median(perLook.checkOut),
    applyMicroseconds: median(perLook.apply),
    looksOfVisit: median(perLook.looks),
    fillSeconds,
  }
}

function open(place: Place): Database | Promise<Database> {
  return place.kind === 'sqlite' ? openSqlite(place.path) : openPostgres(place.address)
}

/** Sites of pages that were looked at within the last ten days, in about forty classes. */
async function fill(database: Database, from: number, to: number, each: number): Promise<void> {
  await database.transact(async (tx) => {
    const sql = queries(tx)
    const series =
      tx.dialect === 'sqlite'
        ? `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)`
        : `WITH n (i) AS (SELECT generate_series(1, ?1))`
    for (let nth = from; nth < to; nth++) {
      const name = `s${nth}.test`
      const site = siteKeyOf(name)
      const bucket = bucketOf(tx.dialect, site)
      const isSqlite = tx.dialect === 'sqlite'
      // SQLite has one bucket, which is not stored.
      const own = isSqlite ? '' : 'bucket, '
      await sql.run(
        `INSERT INTO site (bucket, key, name, state, since, rank, part, known, refreshing) VALUES (?, ?, ?, 'waiting', 0, 0, ?, ?, ?)`,
        ...[bucket, site, name, 2 ** 31, each, each],
      )
      await sql.run(
        `INSERT INTO url (${own}site, key, url, depth, path, seq, enqueued_at, due_at, tries, mark)
         ${series} SELECT ${isSqlite ? '' : '?4::smallint, '}${isSqlite ? '?2' : '?2::bigint'}, i * 1000003,
           'http://' || ${isSqlite ? '?3' : '?3::text'} || '/page/' || i, 1, 'L', i, 0, 0, 0, 1 FROM n`,
        ...[each, site, name, ...(isSqlite ? [] : [bucket])],
      )
      await sql.run(
        `INSERT INTO known_page (${own}site, key, looked_at, class, rate, weight)
         ${series} SELECT ${isSqlite ? '' : '?3::smallint, '}${isSqlite ? '?2' : '?2::bigint'}, i * 1000003,
           ${NOW} - (i * 7919 % 240) * 3600000, 10 + i * 31 % 40, ${SLOWEST} * exp((i * 31 % 40) * ${SPAN / 40}), 1 FROM n`,
        ...[each, site, ...(isSqlite ? [] : [bucket])],
      )
    }
  })
}

function reportOf({ id, fence, site, pause, agenda }: Visit, at: number): VisitReport {
  return {
    ...{ visit: id, fence, site, part: 1, found: [], crossSite: [], findings: [], counts: new Map() },
    pages: agenda.map(({ url, key }) => page(url, { kind: 'kept', how: 'same' }, { key, at })),
    memory: freshMemory(),
    courtesy: { pause, lastAnswerAt: at, notBefore: at + pause },
    ended: 'done',
  }
}
