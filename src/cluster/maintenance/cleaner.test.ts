/** What the cleaner lists and removes, on both databases: and what it leaves alone. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { NOON, samplePage, sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { type MemoryDisk, memoryDisk } from '../../../testkit/memory-disk.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { hash64, signed64 } from '../../base/digest.ts'
import { applyReports } from '../../collection/sample-catalogue.test-data.ts'
import { FOLDER, keepIn, madeUpArchive } from '../../collection/volumes/made-up.test-archive.ts'
import { madeUpExchange } from '../../collection/volumes/made-up.test-exchange.ts'
import type { Capture } from '../../contracts/report.ts'
import { bucketOf } from '../../database/bucket.ts'
import type { Database } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import type { SqlValue } from '../../database/sqlite/tx.ts'
import { visitId } from '../../frontier/rules/visit.ts'
import { findOrphans, removeOrphans } from './find-orphans.ts'
import type { CleanerParts, Findings } from './orphan-volumes.ts'

const DAY = 86_400_000
const NODE = 'server-1'
const BASE = FOLDER.split('/')[0]

const postgres = await postgresForTests()
after(async () => {
  if (!('skipped' in postgres)) await postgres.end()
})

function onBoth(name: string, body: (database: Database, disk: MemoryDisk) => Promise<void>): void {
  test(`${name}, on SQLite`, async () => {
    const database = openSqlite(':memory:')
    await body(database, memoryDisk())
    await database.close()
  })
  test(`${name}, on PostgreSQL`, { skip: 'skipped' in postgres && postgres.skipped }, async () => {
    if ('skipped' in postgres) return
    await body(await postgres.make(), memoryDisk())
  })
}

const run = (database: Database, sql: string, ...values: SqlValue[]) =>
  database.transact((tx) => queries(tx).run(sql, ...values))

const count = async (database: Database, table: string) =>
  (await database.read((tx) => queries(tx).get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)))!.n

const partsOf = (database: Database, disk: MemoryDisk): CleanerParts => ({
  database,
  files: { disk, folder: BASE, node: NODE, owner: 'crawl' },
  locations: [],
  now: NOON,
  olderThan: 30 * DAY,
  keepCallsFor: 30 * DAY,
  isAtRest: false,
})

const named = ({ orphans }: Findings) => orphans.map(({ kind, name }) => `${kind} ${name}`)

/** Listed as expected, removed, and not found again. */
async function clean(parts: CleanerParts, expected: readonly string[]): Promise<void> {
  const found = await findOrphans(parts)
  assert.deepEqual(named(found), expected)
  const removed = await removeOrphans(found.orphans)
  assert.equal(removed.size, expected.length)
  assert.deepEqual(named(await findOrphans(parts)), [])
}

const addSite = (database: Database, name: string, fence: number, leaseUntil: number | null) => {
  const key = signed64(hash64(name))
  return run(
    database,
    `INSERT INTO site (key, bucket, name, state, since, rank, fence, worker, lease_until)
     VALUES (?, ?, ?, ?, 0, 0, ?, ?, ?)`,
    key,
    bucketOf(database.dialect, key),
    name,
    leaseUntil === null ? 'waiting' : 'leased',
    fence,
    leaseUntil === null ? null : 'w1.0',
    leaseUntil,
  )
}

const addPart = (database: Database, site: string, fence: number, part: number, corrupt: string | null) => {
  const key = signed64(hash64(site))
  const [column, location, ...bucket] =
    database.dialect === 'postgres' ? [', bucket, bytes', ', ?, 3', bucketOf('postgres', key)] : ['', '']
  return run(
    database,
    `INSERT INTO inbox (visit, part, fence, site, last, body, corrupt${column}) VALUES (?, ?, ?, ?, 0, ?, ?${location})`,
    visitId(key, fence),
    part,
    fence,
    site,
    new Uint8Array(3),
    corrupt,
    ...(bucket as number[]),
  )
}

onBoth('parts that cannot be applied or have an unknown visit are removed, others stay', async (database, disk) => {
  await addSite(database, 'known.test', 5, null)
  await addPart(database, 'known.test', 5, 1, null)
  await addPart(database, 'known.test', 5, 2, 'it is torn')
  await addPart(database, 'known.test', 4, 1, null)
  await addPart(database, 'known.test', 6, 1, null)
  await addPart(database, 'unknown.test', 1, 1, null)
  const found = await findOrphans(partsOf(database, disk))
  const whys = Object.fromEntries(found.orphans.map(({ name, why }) => [name.replace(/^\w+/, ''), why]))
  assert.deepEqual(whys, {
    '.5 part 2 (known.test)': 'cannot be applied: it is torn',
    '.4 part 1 (known.test)': 'a later visit has its site',
    '.6 part 1 (known.test)': 'there was no such visit',
    '.1 part 1 (unknown.test)': 'its site is unknown',
  })
  assert.equal((await removeOrphans(found.orphans)).size, 4)
  assert.equal(await count(database, 'inbox'), 1)
})

onBoth('leases that ended are listed; at rest all are', async (database, disk) => {
  await addSite(database, 'ended.test', 1, NOON - 1)
  await addSite(database, 'running.test', 1, NOON + 1)
  const parts = partsOf(database, disk)
  assert.deepEqual(named(await findOrphans(parts)), ['lease ended.test'])
  assert.deepEqual(named(await findOrphans({ ...parts, isAtRest: true })), ['lease ended.test', 'lease running.test'])
})

const addWorker = (database: Database, id: string, state: string, seenAt: number) =>
  run(
    database,
    `INSERT INTO worker (id, name, secret_hash, version, state, registered_at, seen_at) VALUES (?, ?, ?, '1', ?, 0, ?)`,
    id,
    `name of ${id}`,
    new Uint8Array(32),
    state,
    seenAt,
  )

const addLocation = (database: Database, name: string, worker: string, sealed: number) =>
  run(database, 'INSERT INTO volume_location VALUES (?, ?, ?, 7, ?)', name, NODE, worker, sealed)

onBoth('members that were silent for long and calls of long ago go', async (database, disk) => {
  const long = NOON - 31 * DAY
  await addWorker(database, 'aaaaaaaa1', 'working', long)
  await addWorker(database, 'bbbbbbbb1', 'working', NOON - 29 * DAY)
  await addWorker(database, 'cccccccc1', 'barred', long)
  // Keep a volume, have one that is not wholly sent, one in a folder of their own.
  await addWorker(database, 'dddddddd1', 'ending', long)
  await run(database, `INSERT INTO volume (name) VALUES ('v-20260101000000000-00001-box-dddddddd-0.warc.gz')`)
  await addWorker(database, 'eeeeeeee1', 'working', long)
  await addLocation(database, 'e.warc.gz', 'eeeeeeee1', 0)
  disk.append(`${FOLDER}/e.warc.gz.open`).write(new Uint8Array(7))
  await addWorker(database, 'ffffffff1', 'ending', long)
  await run(database, `INSERT INTO volume_location VALUES ('f.warc.gz', 'dir:/mnt', 'ffffffff1', 7, 1)`)
  for (const [id, seenAt] of [
    ['old', long],
    ['new', NOON],
  ] as const)
    await run(
      database,
      'INSERT INTO server (id, url, version, started_at, seen_at) VALUES (?, ?, ?, 0, ?)',
      id,
      `http://${id}.test`,
      '1',
      seenAt,
    )
  for (const at of [long, long + 1, NOON])
    await run(
      database,
      `INSERT INTO worker_call (at, worker, call, result, items, bytes, took_ms) VALUES (?, 'w', 'renew', 'ok', 1, 1, 1)`,
      at,
    )
  const parts = { ...partsOf(database, disk), files: { left: 'in use' } }
  await clean(parts, ['worker name of aaaaaaaa1 (aaaaaaaa1)', 'server http://old.test (old)', 'calls calls of workers'])
  assert.equal(await count(database, 'worker'), 5)
  assert.equal(await count(database, 'server'), 1)
  assert.equal(await count(database, 'worker_call'), 1)
})

/** A volume with one record, closed. */
async function volumeWith(disk: MemoryDisk, text: string, worker: string): Promise<Capture> {
  const { archive } = madeUpArchive(disk, { worker })
  const capture = keepIn(archive, madeUpExchange({ payload: Buffer.from(text) }))
  await archive.close()
  return capture
}

const report = (url: string, capture: Capture) => sampleReport('a.test', 1, [samplePage(url, { capture }, url)])

onBoth(
  'volumes in which nothing is named go; those of workers that may come back, and only copies, stay',
  async (database, disk) => {
    const known = await volumeWith(disk, 'known', 'w1')
    const nobodys = await volumeWith(disk, 'nobodys', 'w2')
    const coming = await volumeWith(disk, 'coming', 'w3')
    const gone = await volumeWith(disk, 'gone', 'w4')
    const only = await volumeWith(disk, 'only', 'w5')
    await applyReports(database, [
      report('http://a.test/1', known),
      report('http://a.test/2', { ...known, digest: only.digest, kind: 'revisit', offset: known.offset + 1 }),
    ])
    await addWorker(database, 'alive', 'working', NOON - DAY)
    await addLocation(database, coming.volume, 'alive', 1)
    await addLocation(database, gone.volume, 'nobody knows him', 1)
    const parts = partsOf(database, disk)

    await addPart(database, 'unknown.test', 1, 1, 'torn')
    const early = await findOrphans(parts)
    assert.match(early.notes.join(), /1 parts in the inbox may name/)
    assert.ok(!early.orphans.some(({ kind }) => kind === 'volume'))
    await run(database, 'DELETE FROM inbox')

    const found = await findOrphans(parts)
    assert.match(found.notes.join(), new RegExp(`${only.volume} stays`))
    await clean(parts, [`volume ${nobodys.volume}`, `volume ${gone.volume}`])
    assert.deepEqual(disk.list(FOLDER), [known.volume, coming.volume, only.volume])
    assert.equal(await count(database, 'volume_location'), 1)
  },
)

onBoth('beginnings of volumes that are complete elsewhere go, others stay', async (database, disk) => {
  const location = (name: string, node: string, bytes: number, sealed: 0 | 1) =>
    run(database, 'INSERT INTO volume_location VALUES (?, ?, ?, ?, ?)', name, node, 'w', bytes, sealed)
  await run(
    database,
    `INSERT INTO server (id, url, version, started_at, seen_at) VALUES ('server-2', 'http://two.test', '1', 0, ?)`,
    NOON,
  )
  const begun = async (text: string, worker: string): Promise<string> => {
    const capture = await volumeWith(disk, text, worker)
    await applyReports(database, [report(`http://a.test/${text}`, capture)])
    disk.rename(`${FOLDER}/${capture.volume}`, `${FOLDER}/${capture.volume}.open`)
    await location(capture.volume, NODE, 7, 0)
    return capture.volume
  }
  const withServer = await begun('with a server', 'w1')
  await location(withServer, 'server-2', 1e6, 1)
  const inStore = await begun('in a store', 'w2')
  await location(inStore, 's3://volumes/all', 1e6, 1)
  const inFolder = await begun('in a folder', 'w3')
  await location(inFolder, 'dir:/mnt/second', 1e6, 1)
  disk.append(`/mnt/second/${inFolder}`).write(new Uint8Array(1e6))
  const stay = [
    await begun('still growing there', 'w4'),
    await begun('with nobody who is known', 'w5'),
    await begun('complete there, but shorter than what captures name', 'w6'),
    await begun('in a folder that cannot be seen', 'w7'),
    await begun('in a folder that is this one', 'w8'),
  ]
  await location(stay[0], 'server-2', 1e6, 0)
  await location(stay[1], 'server-3', 1e6, 1)
  await location(stay[2], 'server-2', 1, 1)
  await location(stay[3], 'dir:/mnt/third', 1e6, 1)
  await location(stay[4], `dir:${FOLDER}`, 1e6, 1)

  const parts = partsOf(database, disk)
  const found = await findOrphans(parts)
  assert.deepEqual(
    found.orphans.map(({ why }) => why.replace(/^.*: /, '')),
    ['all of it lies with server server-2', 'all of it lies in s3://volumes/all', 'all of it lies in /mnt/second'],
  )
  await clean(
    parts,
    [withServer, inStore, inFolder].map((name) => `volume ${name}.open`),
  )
  assert.deepEqual(
    disk.list(FOLDER),
    stay.map((name) => `${name}.open`),
  )
})

onBoth('what was named since it was listed stays', async (database, disk) => {
  const late = await volumeWith(disk, 'late', 'w1')
  const { orphans } = await findOrphans(partsOf(database, disk))
  assert.equal(orphans.length, 1)
  await applyReports(database, [report('http://a.test/1', late)])
  assert.equal((await removeOrphans(orphans)).size, 0)
  assert.deepEqual(disk.list(FOLDER), [late.volume])
})

onBoth('a place without a file is forgotten, unless captures lie there', async (database, disk) => {
  const lost = await volumeWith(disk, 'lost', 'w1')
  await applyReports(database, [report('http://a.test/1', lost)])
  disk.remove(`${FOLDER}/${lost.volume}`)
  await addLocation(database, lost.volume, 'w', 1)
  await addLocation(database, 'never-sent.warc.gz', 'w', 0)
  const parts = partsOf(database, disk)
  assert.match((await findOrphans(parts)).notes.join(), new RegExp(`${lost.volume} is missing here`))
  await clean(parts, ['location never-sent.warc.gz'])
})

onBoth('files that were never finished and reports that were refused go', async (database, disk) => {
  for (const path of ['server-id.new', 'server-id', 'indexes/index.partial-run-0', 'indexes/index.cdxj'])
    disk.append(`${BASE}/${path}`).write(new Uint8Array(2))
  for (const name of ['000000000001-2.parts', '000000000002-2.parts.refused', '000000000003-1.parts.new'])
    disk.append(`${BASE}/outbox/${name}`).write(new Uint8Array(2))
  await clean(partsOf(database, disk), [
    'file server-id.new',
    'file outbox/000000000003-1.parts.new',
    'file indexes/index.partial-run-0',
    'file outbox/000000000002-2.parts.refused',
  ])
  assert.deepEqual(disk.list(`${BASE}/outbox`), ['000000000001-2.parts'])
  assert.deepEqual(disk.list(`${BASE}/indexes`), ['index.cdxj'])
})
