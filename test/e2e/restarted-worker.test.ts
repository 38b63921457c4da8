/** A worker that is killed and started again in its folder goes on at once: its sites are not busy until their leases end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import type { WebOptions } from '../../testkit/web/options.ts'
import { walk } from '../../testkit/web/walker.ts'
import { lastWords, readShared, startServer, startWorker } from './cluster.ts'
import {
  assertNone,
  assertSameSet,
  orbweaver,
  type Running,
  readCatalogue,
  type ServedWeb,
  seedFile,
  serveWeb,
  startOrbweaver,
  type TemporaryFolder,
  temporaryFolder,
} from './harness.ts'
import { judgeRequests } from './harness-judge.ts'

const PAUSE_MS = 100
const WEB: WebOptions = { seed: 5, sites: 12, pages: 240, latencyMs: 4, pageBytes: 3000 }
/** With leases of an hour, nothing but giving them back lets a crawl end within the time of a test. */
const CRAWL = ['--pause-for', `*.test=${PAUSE_MS}ms`, '--address-pause', '100ms', '--patience', '0.01', '--lease', '1h']
const KILLED_AFTER = 60

async function killWithin(process: Running, served: ServedWeb): Promise<void> {
  const runs = () => process.child.exitCode === null && process.child.signalCode === null
  while ((await served.requests()).length < KILLED_AFTER && runs()) await sleep(50)
  assert.ok(runs(), 'it is killed while it is at work')
  process.child.kill('SIGKILL')
  await process.done
}

/** Server and worker, the worker killed once; `read` says what was collected. */
async function killAndRestart(
  folder: TemporaryFolder,
  database: readonly string[],
  read: () => Promise<Set<string>>,
): Promise<void> {
  await using served = await serveWeb(WEB, folder)
  const { web } = served
  const seeds = web.homes()
  const flags = ['--seeds', seedFile(folder, seeds), '--until-done', ...CRAWL, ...served.resolve, ...database]
  const server = await startServer(folder.at('server'), flags)
  const start = () => startWorker(folder.at('worker'), [server.url], ['--until-done', '--workers', '2'])
  await killWithin(start(), served)
  const ran = await Promise.all([server.done, start().done])
  assert.deepEqual(
    ran.map(({ code }) => code),
    [0, 0],
    lastWords(ran),
  )
  await judge(served, await read())
}

async function judge(served: ServedWeb, documents: Set<string>): Promise<void> {
  const { web } = served
  const right = walk(web, { seeds: web.homes(), scope: { kind: 'host' }, links: 'combined' })
  assertSameSet(documents, new Set(right.documents), 'documents')
  const { tooSoon, overlaps, forbidden } = judgeRequests(await served.requests(), web, right, {
    pauseOf: () => PAUSE_MS,
    patience: 0.01,
    firstByteMs: 30_000,
    toleranceMs: 3,
  })
  assertNone([...tooSoon, ...overlaps, ...forbidden], 'requests too soon, at once, or forbidden')
}

test('over the server’s own file', async () => {
  using folder = temporaryFolder()
  await killAndRestart(folder, [], async () => new Set(readCatalogue(folder.at('server')).documents))
})

test('over PostgreSQL; and so does a crawl', async (t) => {
  const postgres = await postgresForTests()
  if ('skipped' in postgres) return t.skip(postgres.skipped)
  try {
    using folder = temporaryFolder()
    const database = ['--database', await postgres.newDatabase()]
    await killAndRestart(folder, database, async () => (await readShared(database)).documents)

    using other = temporaryFolder()
    await using served = await serveWeb(WEB, other)
    const alone = ['--database', await postgres.newDatabase()]
    const flags = [...CRAWL, '-c', other.at('collection'), ...served.resolve, ...alone]
    await killWithin(startOrbweaver(['crawl', '--seeds', seedFile(other, served.web.homes()), ...flags]), served)
    const ran = await orbweaver(['crawl', ...flags])
    assert.equal(ran.code, 0, ran.stderr)
    await judge(served, (await readShared(alone)).documents)
  } finally {
    await postgres.end()
  }
})
