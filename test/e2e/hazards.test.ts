/**
 * A crawl of sites with traps that never end, beside honest sites that look like them, through the real program: it ends by
 * itself, brings home what is real, and says what it stopped and why.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { PLAIN, type WebOptions } from '../../testkit/web/options.ts'
import { walk } from '../../testkit/web/walker.ts'
import { assertNone, orbweaver, readCatalogue, seedFile, serveWeb, startNode, temporaryFolder } from './harness.ts'

const TRAPS = [
  'growing-path',
  'broken-relative',
  'endless-ids',
  'markov-tarpit',
  'soft-404-echo',
  'search-spiral',
  'unsupported-browser',
  'endless-pages',
  'amp-entities',
  'session-ids-always',
] as const

/** Ten sites with a trap, ten look-alikes, thirty ordinary ones. */
const WEB: WebOptions = {
  ...PLAIN,
  seed: 3,
  sites: 50,
  pagesPerSite: 12,
  pageBytes: 3000,
  linksPerPage: 12,
  latencyMs: 2,
  hazardShare: 0.2,
  hazardShapes: TRAPS,
  hazardBound: 0,
  lookalikeShare: 0.2,
}

/** Between ten traps; what each costs before it is known is measured by `bench hazards`. */
const MAX_IN_TRAPS = 400

test('endless traps end, what is real is collected, and the catalogue says what was stopped', async () => {
  using folder = temporaryFolder()
  await using served = await serveWeb(WEB, folder)
  const { web } = served
  const collection = folder.at('collection')
  const ran = await orbweaver([
    ...['crawl', '--seeds', seedFile(folder, web.homes()), '-c', collection, '--pause-for', '*.test=1ms'],
    // The last of all bounds: it holds for whatever no detector knows.
    ...['--patience', '0.01', '--quiet', '--max-urls-per-site', '400'],
    ...served.resolve,
  ])
  assert.equal(ran.code, 0, ran.stderr)

  const right = walk(web, { seeds: web.homes(), scope: { kind: 'host' }, links: 'combined', ideal: true })
  const real = new Set([...right.documents].flatMap((url) => web.realOf(url) ?? []))
  const kept = new Set([...readCatalogue(collection).documents].flatMap((url) => web.realOf(url) ?? []))
  const lost = [...real].filter((url) => !kept.has(url))
  if (lost.length > real.size / 100) assertNone(lost, `of ${real.size} real pages these are lacking`)

  const lostRequests = (await served.requests()).filter(({ url }) => web.trapOf(url) !== undefined)
  assert.ok(lostRequests.length < MAX_IN_TRAPS, `${lostRequests.length} requests in traps`)

  const db = new DatabaseSync(`${collection}/collection.db`, { readOnly: true })
  const stopped = db.prepare('SELECT site, rule, pattern, evidence, examples FROM hazards').all()
  db.close()
  assert.ok(stopped.length >= TRAPS.length / 2, `${stopped.length} verdicts`)
  for (const { site } of stopped) assert.ok(web.hazardSites.includes(`${site}`), `${site} is honest`)
  assert.match(readFileSync(`${collection}/logs/crawl.log`, 'utf8'), / -4000 /)
})

/** Six sites with a trap each, which the same requests give away however the crawl is run. */
const SMALL: WebOptions = {
  ...WEB,
  sites: 12,
  hazardShare: 0.5,
  hazardShapes: ['endless-ids', 'markov-tarpit', 'endless-pages', 'calendar', 'growing-path', 'session-ids-always'],
  lookalikeShare: 0,
}

test('the same is found embedded, on PostgreSQL, and after kill -9', async (scene) => {
  const postgres = await postgresForTests()
  if ('skipped' in postgres) return scene.skip(postgres.skipped)
  using folder = temporaryFolder()
  await using served = await serveWeb(SMALL, folder)
  const seeds = seedFile(folder, served.web.homes())
  const flags = (name: string) => [
    ...['--seeds', seeds, '-c', folder.at(name), '--pause-for', '*.test=1ms', '--patience', '0.01', '--quiet'],
    ...['--max-urls-per-site', '400', ...served.resolve],
  ]
  const findings = async (name: string, ...more: string[]) => {
    const { stdout } = await orbweaver(['report', '-c', folder.at(name), ...more, '--json'])
    const told = JSON.parse(stdout) as { stopped: { rule: string; sites: number }[] }
    return told.stopped
      .filter(({ sites }) => sites > 0)
      .map(({ rule, sites }) => `${rule} ${sites}`)
      .sort()
  }
  try {
    assert.equal((await orbweaver(['crawl', ...flags('embedded')])).code, 0)
    const database = ['--database', await postgres.newDatabase()]
    assert.equal((await orbweaver(['crawl', ...flags('shared'), ...database])).code, 0)
    const program = new URL('crawl-and-die.ts', import.meta.url).pathname
    for (const nth of [2, 4])
      await startNode([program, JSON.stringify({ at: 'applied', nth }), ...flags('killed')]).done
    assert.equal((await orbweaver(['crawl', ...flags('killed')])).code, 0)
    const expected = await findings('embedded')
    assert.ok(expected.length >= 2, expected.join())
    assert.deepEqual(await findings('shared', ...database), expected)
    assert.deepEqual(await findings('killed'), expected)
  } finally {
    await postgres.end()
  }
})
