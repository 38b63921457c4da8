/** Servers and workers in processes of their own: the same set as one machine collects, and as polite. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import type { RequestEntry } from '../../testkit/web/ledger-of-requests.ts'
import type { WebOptions } from '../../testkit/web/options.ts'
import { type RightAnswer, walk } from '../../testkit/web/walker.ts'
import type { TestWeb } from '../../testkit/web/web.ts'
import { folders, lastWords, readShared, startServer, startWorker } from './cluster.ts'
import {
  assertNone,
  assertSameSet,
  orbweaver,
  readCatalogue,
  seedFile,
  serveWeb,
  startOrbweaver,
  temporaryFolder,
} from './harness.ts'
import { judgeRequests } from './harness-judge.ts'

const PAUSE_MS = 100
const PATIENCE = 0.01
/** Requests: well within the crawl, however long a busy machine takes to begin it. */
const STOPPED_AFTER = 60

const WEB: WebOptions = {
  seed: 11,
  sites: 40,
  pages: 900,
  latencyMs: 4,
  pageBytes: 5000,
  crawlDelaySeconds: 0.5,
  flakyShare: 0.01,
  flakyKinds: ['503-seconds', '429', '500', 'reset'],
  secureShare: 0.1,
}

const CRAWL = [
  ...['--pause-for', `*.test=${PAUSE_MS}ms`, '--address-pause', '100ms'],
  ...['--patience', `${PATIENCE}`, '--volume-size', '1MB'],
]

test('one server without PostgreSQL and three workers: the same set, every pause kept, volumes at the server', async () => {
  using folder = temporaryFolder()
  await using served = await serveWeb(WEB, folder, { tls: true })
  const { web } = served
  const seeds = web.homes()
  const collection = folder.at('collection')
  const flags = ['--seeds', seedFile(folder, seeds), '--until-done', ...CRAWL, ...served.resolve]
  const server = await startServer(collection, flags)
  const workers = folders(folder, 'worker', 3).map((at) =>
    startWorker(at, [server.url], ['--until-done', '--workers', '1']),
  )
  const ran = await Promise.all([server, ...workers].map(({ done }) => done))
  const codes = ran.map(({ code }) => code)
  assert.deepEqual(codes, [0, 0, 0, 0], lastWords(ran))

  const right = walk(web, { seeds, scope: { kind: 'host' }, links: 'combined' })
  const { documents, counters } = readCatalogue(collection)
  assertSameSet(documents, new Set(right.documents), 'documents')
  assert.equal(counters.get('documents'), right.documents.size)
  const verified = await orbweaver(['verify', '-c', collection])
  assert.equal(verified.code, 0, verified.stdout + verified.stderr)
  judge(await served.requests(), web, right)
})

test('two servers over PostgreSQL and six workers: the same set, every pause kept', async (t) => {
  const postgres = await postgresForTests()
  if ('skipped' in postgres) return t.skip(postgres.skipped)
  try {
    using folder = temporaryFolder()
    await using served = await serveWeb(WEB, folder, { tls: true })
    const { web } = served
    const seeds = web.homes()
    const database = ['--database', await postgres.newDatabase()]
    const flags = ['--seeds', seedFile(folder, seeds), '--until-done', ...CRAWL, ...served.resolve, ...database]
    const servers = await Promise.all(folders(folder, 'server', 2).map((at) => startServer(at, flags)))
    const urls = servers.map(({ url }) => url)
    const workers = folders(folder, 'worker', 6).map((at, i) =>
      startWorker(at, [urls[i % 2], urls[(i + 1) % 2]], ['--until-done', '--workers', '1']),
    )
    const ran = await Promise.all([...servers, ...workers].map(({ done }) => done))
    assert.deepEqual(
      ran.map(({ code }) => code),
      ran.map(() => 0),
      lastWords(ran),
    )

    const right = walk(web, { seeds, scope: { kind: 'host' }, links: 'combined' })
    const { documents, counters } = await readShared(database)
    assertSameSet(documents, new Set(right.documents), 'documents')
    assert.equal(counters.get('documents'), right.documents.size)
    judge(await served.requests(), web, right)
  } finally {
    await postgres.end()
  }
})

function judge(entries: RequestEntry[], web: TestWeb, right: RightAnswer): void {
  const { retries: _, ...faults } = judgeRequests(entries, web, right, {
    pauseOf: () => PAUSE_MS,
    patience: PATIENCE,
    firstByteMs: 30_000,
    toleranceMs: 3,
  })
  for (const [name, list] of Object.entries(faults)) assertNone(list, name)
}

test('crawl over PostgreSQL, stopped and gone on with: the same set as over a file', async (t) => {
  const postgres = await postgresForTests()
  if ('skipped' in postgres) return t.skip(postgres.skipped)
  try {
    using folder = temporaryFolder()
    const options = { ...WEB, sites: 15, pages: 300 }
    await using served = await serveWeb(options, folder, { tls: true })
    const { web } = served
    const seeds = web.homes()
    const database = ['--database', await postgres.newDatabase()]
    const flags = [...CRAWL, '-c', folder.at('collection'), ...served.resolve, ...database]
    const first = startOrbweaver(['crawl', '--seeds', seedFile(folder, seeds), ...flags])
    const runs = () => first.child.exitCode === null && first.child.signalCode === null
    while ((await served.requests()).length < STOPPED_AFTER && runs()) await sleep(100)
    first.child.kill('SIGTERM')
    const stopped = await first.done
    assert.equal(stopped.code, 11, stopped.stderr)
    const ran = await orbweaver(['crawl', ...flags])
    assert.equal(ran.code, 0, ran.stderr)
    const right = walk(web, { seeds, scope: { kind: 'host' }, links: 'combined' })
    const { documents, counters } = await readShared(database)
    assertSameSet(documents, new Set(right.documents), 'documents')
    assert.equal(counters.get('documents'), right.documents.size)
    judge(await served.requests(), web, right)
    const verified = await orbweaver(['verify', '-c', folder.at('collection'), ...database])
    assert.equal(verified.code, 0, verified.stdout + verified.stderr)
  } finally {
    await postgres.end()
  }
})
