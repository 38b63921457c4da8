/** Volumes of a cluster: wherever their workers put them, they are found. */
import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { walk } from '../../testkit/web/walker.ts'
import { folders, lastWords, readShared, type ServerProcess, startServer, startWorker } from './cluster.ts'
import { assertSameSet, orbweaver, seedFile, serveWeb, temporaryFolder } from './harness.ts'

const CRAWL = ['--pause-for', '*.test=100ms', '--address-pause', '100ms', '--patience', '0.01', '--volume-size', '1MB']

test('volumes at a server, kept, and moved on from a place that fails: read and verified from another machine', async (t) => {
  const postgres = await postgresForTests()
  if ('skipped' in postgres) return t.skip(postgres.skipped)
  let server: ServerProcess | undefined
  using folder = temporaryFolder()
  try {
    await using served = await serveWeb({ seed: 5, sites: 24, pages: 200, latencyMs: 2, pageBytes: 4000 }, folder)
    const seeds = served.web.homes()
    const database = ['--database', await postgres.newDatabase()]
    const secret = ['--join-secret', 'the secret of this test']
    const flags = ['--seeds', seedFile(folder, seeds), ...CRAWL, ...served.resolve, ...database, ...secret]
    server = await startServer(folder.at('server'), flags)
    const { url } = server
    // No folder can be made under a file.
    writeFileSync(folder.at('file'), '')
    const places = [
      ['--volumes', 'upload'],
      ['--volumes', 'keep'],
      ['--volumes', `dir:${folder.at('file')}/full`, '--volumes', `dir:${folder.at('second')}`],
    ]
    const workers = folders(folder, 'worker', 3).map((at, i) =>
      startWorker(at, [url], ['--until-done', '--workers', '1', '--visits', '3', '--json', ...secret, ...places[i]]),
    )
    const ran = await Promise.all(workers.map(({ done }) => done))
    assert.deepEqual(
      ran.map(({ code }) => code),
      [0, 0, 0],
      lastWords(ran),
    )
    const replaced = ran.map(({ stdout }) => (JSON.parse(stdout) as { locationsReplaced: number }).locationsReplaced)
    assert.deepEqual(replaced, [0, 0, 1])
    const volumesIn = (...path: string[]) => readdirSync(folder.at(path.join('/'))).filter((name) => /gz$/.test(name))
    for (const place of ['server/archive', 'worker2/archive', 'second']) assert.ok(volumesIn(place).length > 0, place)
    for (const place of ['worker1/archive', 'worker3/archive']) assert.deepEqual(volumesIn(place), [], place)
    const right = walk(served.web, { seeds, scope: { kind: 'host' }, links: 'combined' })
    const { documents } = await settled(database, right.documents.size)
    assertSameSet(documents, new Set(right.documents), 'documents')

    const elsewhere = ['-c', folder.at('operator'), ...database, ...secret]
    const verified = await orbweaver(['verify', '--everywhere', '--json', ...elsewhere])
    const found = JSON.parse(verified.stdout) as Verified
    const all = ['server/archive', 'worker2/archive', 'second'].flatMap((place) => volumesIn(place))
    assert.equal(found.volumes, all.length, verified.stdout)
    assert.ok(found.captures >= right.documents.size)
    assert.deepEqual(found.faults, [])
    assert.equal(found.elsewhere, 0)
    assert.equal(verified.code, 0, verified.stderr)
    // The index is the server's; here is none.
    assert.deepEqual(
      found.notes.map(({ where }) => where).filter((where) => /index/.test(where)),
      ['indexes/index.cdxj'],
    )
    for (const page of [...right.documents].slice(0, 6)) {
      const got = await orbweaver(['get', page, ...elsewhere])
      assert.equal(got.code, 0, got.stderr)
      assert.ok(got.stdout.length > 0, page)
    }
    // Whoever is on the server's own machine is its operator while it has no tokens.
    const local = await orbweaver(['verify', '--everywhere', '-c', folder.at('operator'), ...database])
    assert.match(local.stdout, /^No faults: /)

    // In the folder of the server, once it has ended, the index is compared too.
    server.child.kill('SIGINT')
    await server.done
    const own = await orbweaver(['verify', '--json', '-c', folder.at('server'), ...database])
    const { faults, notes, volumes, captures } = JSON.parse(own.stdout) as Verified
    assert.deepEqual([faults, notes, volumes, captures], [[], [], found.volumes, found.captures])
  } finally {
    server?.child.kill('SIGINT')
    await server?.done
    await postgres.end()
  }
})

interface Verified {
  volumes: number
  captures: number
  elsewhere: number
  faults: { what: string }[]
  notes: { where: string; what: string }[]
}

/** What workers have delivered is applied a moment later. */
async function settled(database: readonly string[], documents: number) {
  for (let times = 0; ; times++) {
    const shared = await readShared(database)
    if (shared.documents.size >= documents || times === 20) return shared
    await sleep(250)
  }
}
