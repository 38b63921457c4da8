/**
 * A crawl of the served synthetic web, through the real program: exactly the set that the web's own definition says is
 * reachable and permitted, and nothing on the servers' side that should not be there.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_PLAN, type WebOptions } from '../../testkit/web/options.ts'
import { walk } from '../../testkit/web/walker.ts'
import { assertNone, assertSameSet, orbweaver, readCatalogue, seedFile, serveWeb, temporaryFolder } from './harness.ts'
import { judgeRequests } from './harness-judge.ts'

const PAUSE_MS = 25
const PATIENCE = 0.01
const FIRST_BYTE_MS = 6000

/** 240 sites, the largest of 344 pages. Failing sites and closed robots files are among them, each kind that a server can show. */
const WEB: WebOptions = {
  seed: Number(process.env['E2E_SEED'] ?? 8),
  sites: 240,
  pages: 15_000,
  theta: 0.4,
  latencyMs: 4,
  pageBytes: 6000,
  crawlDelaySeconds: 0.15,
  robots: [...DEFAULT_PLAN.robots, 'busy', 'timeout'],
  flakyShare: 0.008,
  flakyKinds: ['503-seconds', '503-date', '429', '500', 'reset'],
  failingShare: 0.04,
  failingKinds: ['refused', 'silent', 'reset', 'garbage'],
  secureShare: 0.1,
}

test('a crawl of 240 sites and 15,000 pages collects exactly what is right, and asks for nothing else', async () => {
  using folder = temporaryFolder()
  await using served = await serveWeb(WEB, folder, { addresses: 'many', tls: true })
  const { web } = served
  const seeds = web.homes()
  const collection = folder.at('collection')
  const courtesy = [
    '--pause-for',
    `*.test=${PAUSE_MS}ms`,
    '--patience',
    `${PATIENCE}`,
    '--first-byte-timeout',
    `${FIRST_BYTE_MS}ms`,
  ]
  const ran = await orbweaver([
    ...['crawl', '--seeds', seedFile(folder, seeds), '-c', collection, '--contact', 'https://www.example.org/crawler'],
    ...courtesy,
    ...served.resolve,
  ])
  assert.equal(ran.code, 0, `seed ${WEB.seed}: ${ran.stderr}`)

  const right = walk(web, { seeds, scope: { kind: 'host' }, links: 'combined' })
  assert.ok(right.documents.size >= 10_000, `${right.documents.size} documents`)
  const catalogue = readCatalogue(collection)
  assertSameSet(catalogue.documents, right.documents, `documents (seed ${WEB.seed})`)
  assert.equal(catalogue.counters.get('documents'), right.documents.size)
  const barred = new Set(catalogue.sites.filter(({ state }) => state === 'barred').map(({ site }) => site))
  assertNone(
    catalogue.pages.filter(({ outcome, site }) => outcome === 'later' && !barred.has(site)),
    'pages still to be tried',
  )
  assertNone(
    catalogue.sites.filter(({ waiting }) => waiting > 0),
    'sites not done',
  )

  const entries = await served.requests()
  const seen = judgeRequests(entries, web, right, {
    pauseOf: () => PAUSE_MS,
    patience: PATIENCE,
    firstByteMs: FIRST_BYTE_MS,
    toleranceMs: 3,
  })
  const { retries, ...faults } = seen
  for (const [name, list] of Object.entries(faults)) assertNone(list, `${name} (seed ${WEB.seed})`)
  for (const kind of ['status-429', 'status-503', 'status-5xx', 'robots-unreachable']) {
    assert.ok((retries.get(kind) ?? 0) > 0, `the web has retries of ${kind}`)
  }

  const verified = await orbweaver(['verify', '-c', collection])
  assert.equal(verified.code, 0, verified.stdout + verified.stderr)
  const report = await orbweaver(['report', '--json', '-c', collection])
  assert.equal(report.code, 0, report.stderr)
  assert.equal(JSON.parse(report.stdout).documents, right.documents.size)
})
