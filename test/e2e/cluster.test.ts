/** Servers and workers in processes of their own: the same set as one machine collects, and as polite. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WebOptions } from '../../src/testweb/options.ts'
import { walk } from '../../src/testweb/walker.ts'
import { folders, lastWords, startServer, startWorker } from './cluster.ts'
import { assertNone, assertSameSet, orbweaver, readCatalogue, seedFile, serveWeb, temporaryFolder } from './harness.ts'
import { judgeRequests } from './harness-judge.ts'

const PAUSE_MS = 100
const PATIENCE = 0.01

const WEB: WebOptions = {
  seed: 11,
  sites: 40,
  pages: 1500,
  latencyMs: 4,
  pageBytes: 5000,
  crawlDelaySeconds: 0.5,
  flakyShare: 0.01,
  flakyKinds: ['503-seconds', '429', '500', 'reset'],
  secureShare: 0.1,
}

test('one server without PostgreSQL and three workers: the same set, every pause kept, volumes at the server', async () => {
  using folder = temporaryFolder()
  await using served = await serveWeb(WEB, folder, { tls: true })
  const { web } = served
  const seeds = web.homes()
  const collection = folder.at('collection')
  const server = await startServer(collection, [
    ...['--seeds', seedFile(folder, seeds), '--until-done', '--pause-for', `*.test=${PAUSE_MS}ms`],
    ...['--address-pause', '100ms', '--patience', `${PATIENCE}`, '--volume-size', '1MB'],
    ...served.resolve,
  ])
  const workers = folders(folder, 'worker', 3).map((at) =>
    startWorker(at, [server.url], ['--until-done', '--workers', '1']),
  )
  const ran = await Promise.all([server, ...workers].map(({ done }) => done))
  assert.deepEqual(
    ran.map(({ code }) => code),
    [0, 0, 0, 0],
    lastWords(ran),
  )

  const right = walk(web, { seeds, scope: { kind: 'host' }, links: 'combined' })
  const { documents, counters } = readCatalogue(collection)
  assertSameSet(documents, new Set(right.documents), 'documents')
  assert.equal(counters.get('documents'), right.documents.size)
  const verified = await orbweaver(['verify', '-c', collection])
  assert.equal(verified.code, 0, verified.stdout + verified.stderr)

  const { retries: _, ...faults } = judgeRequests(await served.requests(), web, right, {
    pauseOf: () => PAUSE_MS,
    patience: PATIENCE,
    firstByteMs: 30_000,
    toleranceMs: 3,
  })
  for (const [name, list] of Object.entries(faults)) assertNone(list, name)
})
