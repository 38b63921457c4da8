/**
 * The simulator says what the program does: one scenario, crawled by the real program over loopback in real time and by the
 * simulator in virtual time, gives the same captures and the same number of requests to each site.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { loadSettings } from '../../src/app/config/load.ts'
import { sqliteTx } from '../../src/database/sqlite/tx.ts'
import { crawlOn, setStage, TURN } from '../../testkit/simulate/crawl-run.ts'
import { faultsOf } from '../../testkit/simulate/faults.ts'
import type { RequestEntry } from '../../testkit/web/ledger-of-requests.ts'
import { DEFAULT_PLAN, type WebOptions } from '../../testkit/web/options.ts'
import { assertSameSet, orbweaver, seedFile, serveWeb, temporaryFolder } from './harness.ts'

/** Nothing changes while it is crawled: the two crawls have different dates. */
const WEB = {
  seed: Number(process.env['E2E_SEED'] ?? 4),
  sites: 48,
  pagesPerSite: 5,
  pageBytes: 2000,
  linksPerPage: 12,
  changesPerDay: 0,
  latencyMs: 100,
  sharedAddressShare: 0.5,
  sitesPerAddress: 4,
  redirectShare: 0.15,
  missingShare: 0.1,
  flakyShare: 0.05,
  flakyKinds: ['503-seconds', '503-date', '429', '500', 'reset'],
  movedHomeShare: 0.1,
  crawlDelaySeconds: 1.5,
  robots: [...DEFAULT_PLAN.robots, 'busy'],
  failingShare: 0.1,
  failingKinds: ['refused', 'reset', 'garbage'],
} satisfies WebOptions

/** The shortest pauses that strangers' servers are given; slow ones get longer ones. Failures are waited for 0.1 % as long. */
const FLAGS = ['--pause', '1s', '--address-pause', '100ms', '--pause-factor', '8', '--patience', '0.001']

test('in virtual time and in real time a crawl has the same captures and asks each site as often', async () => {
  using folder = temporaryFolder()
  const stage = setStage({
    seed: WEB.seed,
    sites: WEB.sites,
    pages: WEB.pagesPerSite,
    web: WEB,
    tick: TURN,
    settings: loadSettings(FLAGS, 'crawl', { env: {}, readFile: () => undefined }).settings,
  })
  assertVaried(stage.web.allSites())
  await crawlOn(stage)
  assert.deepEqual(await faultsOf(stage), [])
  const virtual = await stage.database.read(async (tx) => captures(sqliteTx(tx).all<CaptureRow>(CAPTURES)))
  await stage.database.close()

  await using served = await serveWeb(WEB, folder, { addresses: 'many' })
  const collection = folder.at('collection')
  const seeds = seedFile(folder, stage.seeds)
  const ran = await orbweaver(['crawl', '--seeds', seeds, '-c', collection, ...FLAGS, ...served.resolve])
  assert.equal(ran.code, 0, ran.stderr)
  const db = new DatabaseSync(join(collection, 'collection.db'), { readOnly: true })
  const real = captures(db.prepare(CAPTURES).all() as unknown as CaptureRow[])
  db.close()

  assert.ok(virtual.size > 150, `${virtual.size} captures`)
  assertSameSet(real, virtual, 'captures in real time, beside those in virtual time')
  assert.deepEqual(requestsOfSites(await served.requests()), requestsOfSites(stage.ledger.entries))
})

/** What the scenario is about occurs in it. */
function assertVaried(sites: ReturnType<ReturnType<typeof setStage>['web']['allSites']>): void {
  const groups = sites.map(({ addressGroup }) => addressGroup)
  assert.ok(new Set(groups).size < sites.length, 'some sites share an address')
  assert.ok(sites.some(({ robots }) => robots.kind === 'delay'))
  assert.ok(sites.some(({ movedHome }) => movedHome))
  assert.ok(sites.some(({ latencyMs }) => latencyMs > 200))
  assert.equal(new Set(sites.map(({ failing }) => failing)).size, WEB.failingKinds.length + 1)
}

const CAPTURES = 'SELECT url, status, digest FROM captures'

interface CaptureRow {
  url: string
  status: number
  digest: string
}

/** A failure that is tried again may be captured again: how often counts, too. */
function captures(rows: readonly CaptureRow[]): Set<string> {
  const counts = countsOf(rows.map(({ url, status, digest }) => `${status} ${digest} ${url}`))
  return new Set(Object.entries(counts).map(([capture, count]) => `${count} × ${capture}`))
}

function requestsOfSites(entries: readonly RequestEntry[]): Record<string, number> {
  return countsOf(entries.map(({ site }) => site))
}

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
