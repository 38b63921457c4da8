/** What operators are told at the door between workers and servers: secrets that are not right, servers that do not agree. */
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { startServer } from './cluster.ts'
import { orbweaver, temporaryFolder } from './harness.ts'

const SECRET = 'a-secret-of-enough-letters'

test('a wrong join secret, and an identity that the servers do not know, are told with what to do', async () => {
  using folder = temporaryFolder()
  const server = await startServer(folder.at('collection'), ['http://a.test/', '--join-secret', SECRET])
  const worker = (...flags: string[]) =>
    orbweaver(['worker', '-c', folder.at('worker'), '--server', server.url, '--until-done', ...flags])
  const without = await worker()
  assert.equal(without.code, 2, without.stderr)
  assert.match(without.stderr, /No join secret was given here: set ORBWEAVER_JOIN_SECRET, or give --join-secret @FILE/)
  const wrong = await worker('--join-secret', `${SECRET}!`)
  assert.equal(wrong.code, 2, wrong.stderr)
  assert.match(wrong.stderr, /The join secret given here is not the server's/)

  const identity = folder.at('worker/worker.json')
  writeFileSync(identity, JSON.stringify({ worker: '0123456789abcdef', secret: 's'.repeat(43) }))
  const stale = await worker('--join-secret', SECRET)
  assert.equal(stale.code, 2, stale.stderr)
  assert.ok(stale.stderr.includes(`is in ${identity}`), stale.stderr)
  assert.match(stale.stderr, /remove that file: the same command then joins again/)
  rmSync(identity)
  // The only site does not exist: it is tried and given up.
  const joined = await worker('--join-secret', SECRET)
  assert.equal(joined.code, 0, joined.stderr)
  assert.match(JSON.parse(readFileSync(identity, 'utf8')).worker, /^[0-9a-f]{16}$/)
  server.child.kill('SIGTERM')
  await server.done
})

test('servers over one database that go by different settings: status and log name them', async (t) => {
  const postgres = await postgresForTests()
  if ('skipped' in postgres) return t.skip(postgres.skipped)
  try {
    using folder = temporaryFolder()
    const database = ['--database', await postgres.newDatabase()]
    const flags = ['--contact', 'https://a.example/', '--verbose', ...database]
    const one = await startServer(folder.at('one'), ['http://a.test/', '--pause', '3s', ...flags])
    const two = await startServer(folder.at('two'), ['--pause', '4s', ...flags])
    const status = await orbweaver(['status', ...database])
    assert.match(status.stdout, /their settings differ in pause, /)
    const { cluster } = JSON.parse((await orbweaver(['status', '--json', ...database])).stdout)
    assert.deepEqual(cluster.differing, ['pause'])
    await sleep(100)
    for (const { child } of [one, two]) child.kill('SIGTERM')
    await one.done
    assert.match((await two.done).stderr, /the servers of this crawl differ in pause/)
  } finally {
    await postgres.end()
  }
})
