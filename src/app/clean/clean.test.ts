/** `clean` as it is run: who may remove what, and when. `cluster/maintenance/` tests what counts as an orphan. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { realDisk } from '../../base/real-disk.ts'
import { nodeId } from '../../collection/locations/own-locations.ts'
import { lockCollection } from '../../database/lock.ts'
import { tryRole } from '../../database/postgres/election.ts'
import { openPostgres } from '../../database/postgres/open.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { loadSettings } from '../config/load.ts'
import { cleanCollection } from './clean.ts'

const root = mkdtempSync(join(tmpdir(), 'orbweaver-clean-'))
const postgres = await postgresForTests()
after(async () => {
  rmSync(root, { recursive: true })
  if (!('skipped' in postgres)) await postgres.end()
})

function newFolder(name: string): string {
  const folder = join(root, name)
  for (const inside of ['archive', 'indexes', 'logs', 'outbox']) mkdirSync(join(folder, inside), { recursive: true })
  writeFileSync(join(folder, 'server-id.new'), 'x')
  return folder
}

const clean = (folder: string, ...flags: string[]) => {
  const { settings } = loadSettings(['-c', folder, ...flags], 'clean', { env: {}, readFile: () => undefined })
  return cleanCollection(settings, '0.0.0')
}

const kindsOf = ({ orphans }: Awaited<ReturnType<typeof clean>>) =>
  orphans.map(({ kind, name, removed }) => `${kind} ${name} ${removed}`)

const LEASED = `INSERT INTO site (key, bucket, name, state, since, rank, fence, worker, lease_until, waiting, known)
  VALUES (1, 0, 'lost.test', 'leased', 0, 0, 1, 'w', 5, 0, 0)`

test('in a folder: nothing is removed without --remove, a running crawl prevents it, and leases of dead workers are freed', async () => {
  const folder = newFolder('one')
  const database = openSqlite(join(folder, 'collection.db'))
  await database.transact((tx) => queries(tx).run(LEASED))
  await database.close()
  assert.deepEqual(kindsOf(await clean(folder)), ['lease lost.test false', 'file server-id.new false'])
  assert.ok(existsSync(join(folder, 'server-id.new')))
  const lock = lockCollection(folder)
  await assert.rejects(clean(folder, '--remove'), { code: 'collection-in-use' })
  assert.match((await clean(folder)).notes.join(), /files were not checked/)
  lock.release()
  assert.deepEqual(kindsOf(await clean(folder, '--remove')), ['lease lost.test true', 'file server-id.new true'])
  assert.deepEqual(kindsOf(await clean(folder, '--remove')), [])
  assert.ok(!existsSync(join(folder, 'server-id.new')))
})

test('does not create a collection where there is none', async () => {
  const folder = join(root, 'nothing')
  await assert.rejects(clean(folder, '--remove'), { code: 'no-collection' })
  assert.ok(!existsSync(folder))
})

test("in a worker's folder only parts that no server accepts are orphans", async () => {
  const folder = newFolder('worker')
  writeFileSync(join(folder, 'worker.json'), '{}')
  writeFileSync(join(folder, 'archive', 'v.warc.gz'), 'not ours to judge')
  writeFileSync(join(folder, 'outbox', '000000000001-1.parts.refused'), 'x')
  const names = ['server-id.new', 'outbox/000000000001-1.parts.refused']
  assert.deepEqual(
    kindsOf(await clean(folder)),
    names.map((name) => `file ${name} false`),
  )
  assert.deepEqual(
    kindsOf(await clean(folder, '--remove')),
    names.map((name) => `file ${name} true`),
  )
  assert.ok(existsSync(join(folder, 'archive', 'v.warc.gz')))
})

test('over PostgreSQL: while servers run, one cleaner at a time; files only in a free folder of this database', {
  skip: 'skipped' in postgres && postgres.skipped,
}, async () => {
  if ('skipped' in postgres) return
  const address = await postgres.newDatabase(true)
  const database = await openPostgres(address)
  const folder = newFolder('shared')
  const shared = (...flags: string[]) => clean(folder, '--database', address, ...flags)
  try {
    const addLease = () => database.transact((tx) => queries(tx).run(LEASED))
    await addLease()
    assert.match((await shared()).notes.join(), /no server of this database was ever started/)
    await nodeId(realDisk, folder)
    const lock = lockCollection(folder)
    assert.deepEqual(kindsOf(await shared('--remove')), ['lease lost.test true'])
    lock.release()
    writeFileSync(join(folder, 'server-id.new'), 'x')
    writeFileSync(join(folder, 'collection.db'), '')
    assert.match((await shared('--remove')).notes.join(), /a collection of its own/)
    rmSync(join(folder, 'collection.db'))
    const other = await tryRole(database, 'cleaner')
    await assert.rejects(shared('--remove'), { code: 'collection-in-use' })
    await other!.release()
    assert.deepEqual(kindsOf(await shared('--remove')), ['file server-id.new true'])
  } finally {
    await database.close()
  }
})

test('in another folder: an unreferenced volume is removed; a folder that is not here is reported as not checked', async () => {
  const folder = newFolder('places')
  const second = newFolder('second')
  const name = 'A-20261115000000000-00001-x.warc.gz'
  writeFileSync(join(second, `${name}.open`), 'torn')
  writeFileSync(join(second, name.replace('1-x', '2-x')), 'of another collection')
  const database = openSqlite(join(folder, 'collection.db'))
  await database.transact(async (tx) => {
    for (const [volume, node] of [
      [name, `dir:${second}`],
      [name, 'dir:/not/mounted'],
    ])
      await queries(tx).run('INSERT INTO volume_location VALUES (?, ?, ?, 4, 0)', volume, node, 'crawl')
  })
  await database.close()
  const dry = await clean(folder)
  const orphan = `volume ${name} in dir:${second}`
  assert.ok(kindsOf(dry).includes(`${orphan} false`), kindsOf(dry).join())
  assert.match(dry.notes.join(), /dir:\/not\/mounted was not checked: there is no such folder here/)
  assert.match(dry.notes.join(), /1 volumes in \S+ are not in this collection's table/)
  await clean(folder, '--remove')
  assert.deepEqual(
    realDisk.list(second).filter((file) => file.includes('warc')),
    [name.replace('1-x', '2-x')],
  )
})
