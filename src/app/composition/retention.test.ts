/** `clean --retention` on volumes, catalogue and index together: what goes, what stays, and what a crash leaves. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { NOON, samplePage, sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { sha1 } from '../../base/digest.ts'
import type { AppendFile, Disk } from '../../base/disk.ts'
import { memoryDisk } from '../../base/memory-disk.ts'
import { seededRandom } from '../../base/random.ts'
import { realDisk } from '../../base/real-disk.ts'
import { virtualClock } from '../../base/virtual-clock.ts'
import { indexCaptures } from '../../collection/captures/index-captures.ts'
import { everyCapture, responseAt, responseWith } from '../../collection/captures/read-captures.ts'
import { nodeId } from '../../collection/locations/own-locations.ts'
import { compactVolumes, ownVolumes, successorOf } from '../../collection/retention/compact-volumes.ts'
import { parseRetention, type RetentionRule } from '../../collection/retention/rule.ts'
import { thinCaptures } from '../../collection/retention/thin-captures.ts'
import { applyReports } from '../../collection/sample-catalogue.test-data.ts'
import { localVolumes } from '../../collection/volumes/local-volumes.ts'
import { madeUpArchive } from '../../collection/volumes/made-up.test-archive.ts'
import { madeUpExchange } from '../../collection/volumes/made-up.test-exchange.ts'
import { readCapture } from '../../collection/volumes/read-capture.ts'
import type { Capture, PageReport } from '../../contracts/report.ts'
import type { Database } from '../../database/database.ts'
import { lockCollection } from '../../database/lock.ts'
import { tryRole } from '../../database/postgres/election.ts'
import { openPostgres } from '../../database/postgres/open.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { loadSettings } from '../config/load.ts'
import { verifyIndex } from '../verify/cdxj-index.ts'
import { Faults } from '../verify/faults.ts'
import { verifyVolumes } from '../verify/volumes.ts'
import { retainCaptures } from './retention.ts'

const FOLDER = 'collection'
const ARCHIVE = `${FOLDER}/archive`
const INDEXES = `${FOLDER}/indexes`
const DAY = 86_400_000
const DAYS = 45
/** For the many runs that are cut off. */
const FEW_DAYS = 14
const RULE = parseRetention('all for 5d, weekly for 20d, monthly') as RetentionRule

const postgres = await postgresForTests()
after(() => ('skipped' in postgres ? undefined : postgres.end()))

/** Daily looks at some pages of two sites; what each capture holds, by URL and time. */
async function looks(database: Database, disk: Disk, days = DAYS): Promise<Map<string, string>> {
  const random = seededRandom(7)
  const { archive } = madeUpArchive(disk, { folder: ARCHIVE, rollBytes: 10_000 })
  const held = new Map<string, string>()
  const start = NOON - days * DAY
  const reports = []
  const first = new Map<string, { url: string; at: number }>()
  for (let day = 0; day < days; day++)
    for (const site of ['a.test', 'b.test']) {
      const pages: PageReport[] = []
      for (let nth = 0; nth < 4; nth++) {
        const url = `http://${site}/${nth}`
        const at = start + day * DAY + nth * 1000
        const before = held.get(`${url} ${at - DAY}`)
        // Page 0 never changes, page 1 returns to what it was, page 2 is the same on both sites, page 3 often has news.
        const version = [0, day % 14 < 7 ? 0 : 1, Math.floor(day / 20), random.integer(3) > 0 ? day : 0][nth]
        const text = `${nth === 2 ? 'both' : url} ${version} ${'text '.repeat(60)}`
        held.set(`${url} ${at}`, text)
        const digest = sha1(Buffer.from(text))
        const copy = first.get(digest)
        const isUnmodified = before === text
        const exchange = isUnmodified
          ? madeUpExchange({ url, at, status: 304, payload: new Uint8Array(0) })
          : madeUpExchange({ url, at, payload: Buffer.from(text) })
        const capture: Capture = archive.keep(exchange, digest, copy)
        if (copy === undefined) first.set(digest, { url, at })
        pages.push(samplePage(url, { at, capture, status: isUnmodified ? 304 : 200 }, text))
      }
      reports.push(sampleReport(site, day + 1, pages))
    }
  // Its report never came, and a revisit refers to it.
  const lost = 'http://a.test/lost'
  archive.keep(madeUpExchange({ url: lost, at: start, payload: Buffer.from(lost) }), sha1(Buffer.from(lost)), undefined)
  const again = madeUpExchange({ url: `${lost}2`, at: start + 5000, payload: Buffer.from(lost) })
  const capture = archive.keep(again, sha1(Buffer.from(lost)), { url: lost, at: start })
  await archive.close()
  reports.push(sampleReport('a.test', days + 1, [samplePage(`${lost}2`, { at: start + 5000, capture }, lost)]))
  await applyReports(database, reports)
  await indexCaptures(database, disk, INDEXES)
  return held
}

async function retain(database: Database, disk: Disk, rule = RULE) {
  const parts = { database, disk, folder: FOLDER, node: undefined, guard: async () => {} }
  const volumes = new Set((await ownVolumes(parts)).map(({ id }) => id))
  const thinned = await thinCaptures({ ...parts, rule, now: NOON, volumes, remove: true })
  const { needed } = thinned
  const compacted = await compactVolumes({ ...parts, clock: virtualClock(NOON), random: seededRandom(1), needed })
  return { ...thinned, ...compacted }
}

/** No fault that `verify` would find, and every capture gives the bytes that were collected. */
async function checkWhole(
  database: Database,
  disk: Disk,
  held: Map<string, string>,
  isStale = false,
): Promise<string[]> {
  const faults = new Faults()
  const sources = { store: () => Promise.reject(new Error()), server: () => Promise.reject(new Error()), close() {} }
  await verifyVolumes(
    { database, disk, archive: ARCHIVE, server: undefined, sources, everywhere: false },
    faults,
    () => {},
  )
  await verifyIndex({ database, disk, indexes: INDEXES }, faults, isStale, async () => false)
  // The one whose original has no report.
  assert.deepEqual(
    faults.all().filter(({ what }) => !what.includes('is a revisit of http://a.test/lost')),
    [],
  )
  const urls: string[] = []
  for await (const capture of everyCapture(database)) {
    const read = await readCapture(localVolumes(disk, ARCHIVE), capture, (url, at) =>
      database.read(
        async (tx) => (await responseAt(tx, capture.digest, url, at)) ?? (await responseWith(tx, capture.digest)),
      ),
    )
    urls.push(`${capture.url} ${capture.at}`)
    if (capture.url === 'http://a.test/lost2') continue
    assert.equal(read.kind, 'capture', 'why' in read ? read.why : '')
    if (read.kind === 'capture')
      assert.equal(Buffer.from(read.body).toString(), held.get(`${capture.url} ${capture.at}`))
  }
  return urls.sort()
}

const bytesIn = (disk: Disk) => disk.list(ARCHIVE).reduce((sum, name) => sum + disk.size(`${ARCHIVE}/${name}`)!, 0)

test('old captures are thinned, volumes shrink, and all that stays is whole and readable', async () => {
  const disk = memoryDisk()
  const database = openSqlite(':memory:')
  const held = await looks(database, disk)
  const before = bytesIn(disk)
  const all = await checkWhole(database, disk, held)
  const names = disk.list(ARCHIVE)
  const { captures, volumes, bytes, notes } = await retain(database, disk)
  const left = await checkWhole(database, disk, held)
  assert.equal(left.length, all.length - captures)
  assert.ok(captures > all.length / 2, `${captures} of ${all.length}`)
  assert.ok(volumes > 3, String(volumes))
  assert.equal(bytesIn(disk), before - bytes)
  assert.ok(bytesIn(disk) < before / 2, `${bytesIn(disk)} of ${before}`)
  assert.deepEqual(notes, [])
  assert.equal(
    disk.list(ARCHIVE).filter((name) => names.includes(name) && disk.list(ARCHIVE).includes(successorOf(name))).length,
    0,
  )
  for (let nth = 0; nth < 4; nth++) {
    const last = `http://a.test/${nth} ${NOON - DAY + nth * 1000}`
    assert.ok(left.includes(last), last)
  }
  // Nothing is left to do, and what stays can be thinned further.
  assert.equal((await retain(database, disk)).captures, 0)
  await retain(database, disk, parseRetention('none') as RetentionRule)
  const last = await checkWhole(database, disk, held)
  assert.ok(last.length < left.length && last.length >= 9, String(last.length))
})

/** A process that dies at its nth step: a write, a sync, a change of a name, or before or after a transaction. */
function mortal(disk: Disk, database: Database, steps: number) {
  const state = { left: steps }
  const step = () => {
    if (state.left-- <= 0) throw new Error('died')
  }
  const mortalDisk: Disk = {
    ...disk,
    append(path) {
      step()
      const file = disk.append(path)
      const own: AppendFile = {
        get size() {
          return file.size
        },
        write(bytes) {
          step()
          file.write(bytes)
        },
        async sync() {
          step()
          await file.sync()
        },
        close: () => file.close(),
      }
      return own
    },
    rename(from, to) {
      step()
      disk.rename(from, to)
    },
    remove(path) {
      step()
      disk.remove(path)
    },
    async syncFolder(folder) {
      step()
      await disk.syncFolder(folder)
    },
  }
  const mortalDatabase: Database = {
    ...database,
    read: (work) => database.read(work),
    async transact(work) {
      step()
      const result = await database.transact(work)
      step()
      return result
    },
  }
  return { disk: mortalDisk, database: mortalDatabase, isAlive: () => state.left > 0 }
}

test('killed, or without power, at any step: nothing that stays is lost, and the next run completes it', async () => {
  const reference = { disk: memoryDisk(), database: openSqlite(':memory:') }
  const held = await looks(reference.database, reference.disk, FEW_DAYS)
  await retain(reference.database, reference.disk)
  const expected = await checkWhole(reference.database, reference.disk, held)
  let finished = false
  for (let steps = 0; !finished; steps++) {
    const disk = memoryDisk()
    const database = openSqlite(':memory:')
    await looks(database, disk, FEW_DAYS)
    await disk.syncFolder(ARCHIVE)
    await disk.syncFolder(INDEXES)
    const process = mortal(disk, database, steps)
    finished = await retain(process.database, process.disk).then(
      () => true,
      (error: Error) => {
        assert.equal(error.message, 'died', error.stack)
        return false
      },
    )
    disk.crash(seededRandom(steps))
    const isStale =
      (await database.read((tx) => queries(tx).get<{ size: number }>('SELECT size FROM cdxj_upto')))!.size < 0
    await checkWhole(database, disk, held, isStale)
    await retain(database, disk)
    assert.deepEqual(await checkWhole(database, disk, held), expected, `after ${steps} steps`)
    assert.deepEqual(disk.list(ARCHIVE), reference.disk.list(ARCHIVE), `after ${steps} steps`)
    await database.close()
  }
})

test('a damaged volume stays as it is, and is named; what the catalogue has is whole', async () => {
  const disk = memoryDisk()
  const database = openSqlite(':memory:')
  const held = await looks(database, disk)
  const name = disk.list(ARCHIVE)[2]
  const bytes = disk.read(`${ARCHIVE}/${name}`, 0, 1e6)
  // A record that goes: damage to one that stays is found by verify.
  const victim = await database.read((tx) =>
    queries(tx).get<{ offset: number }>(
      `SELECT max("offset") AS "offset" FROM capture c JOIN volume v ON v.id = c.volume WHERE v.name = ? AND c.status = 304`,
      name,
    ),
  )
  bytes[victim!.offset + 40] ^= 255
  disk.remove(`${ARCHIVE}/${name}`)
  disk.append(`${ARCHIVE}/${name}`).write(bytes)
  const { notes } = await retain(database, disk)
  assert.match(notes.join(), new RegExp(`${name} is not rewritten, because it is damaged`))
  assert.ok(disk.list(ARCHIVE).includes(name))
  assert.ok(held.size > 0)
})

test('volumes that are elsewhere too stay, with all their captures', async () => {
  const disk = memoryDisk()
  const database = openSqlite(':memory:')
  await looks(database, disk)
  const names = disk.list(ARCHIVE)
  await database.transact(async (tx) => {
    for (const name of names)
      await queries(tx).run('INSERT INTO volume_location VALUES (?, ?, ?, 7, 1)', name, 's3://there/', 'w')
  })
  const { captures, elsewhere } = await retain(database, disk)
  assert.deepEqual([captures, elsewhere > 100], [0, true])
  assert.deepEqual(disk.list(ARCHIVE), names)
})

const flags = ['--retention', 'none', '--remove']
const retainIn = (folder: string, ...more: string[]) => {
  const { settings } = loadSettings(['-c', folder, ...flags, ...more], 'clean', { env: {}, readFile: () => undefined })
  return retainCaptures(settings, '0.0.0', settings.retention!)
}
const root = mkdtempSync(join(tmpdir(), 'orbweaver-retention-'))
after(() => rmSync(root, { recursive: true }))

test('a folder in which a crawl works is refused; counting is not', async () => {
  const folder = join(root, 'one')
  await assert.rejects(retainIn(folder), { code: 'no-collection' })
  mkdirSync(folder)
  const database = openSqlite(join(folder, 'collection.db'))
  assert.equal((await retainIn(folder)).captures, 0)
  const lock = lockCollection(folder)
  await assert.rejects(retainIn(folder), { code: 'collection-in-use' })
  assert.equal((await retainIn(folder, '--no-remove')).captures, 0)
  lock.release()
  await database.close()
})

test('a database on which a server works, or that waits for reports, is refused', {
  skip: 'skipped' in postgres && postgres.skipped,
}, async () => {
  if ('skipped' in postgres) return
  const address = await postgres.newDatabase(true)
  const database = await openPostgres(address)
  const folder = join(root, 'shared')
  mkdirSync(folder)
  try {
    await assert.rejects(retainIn(folder, '--database', address), /no server of this database was ever started/)
    await nodeId(realDisk, folder)
    assert.equal((await retainIn(folder, '--database', address)).captures, 0)
    const server = await tryRole(database, 'maintenance')
    await assert.rejects(retainIn(folder, '--database', address), { code: 'collection-in-use' })
    await server!.release()
    const lease = `INSERT INTO site (key, bucket, name, state, since, rank, fence, worker, lease_until, waiting, known)
      VALUES (1, 0, 'a.test', 'leased', 0, 0, 1, 'w', ${Number.MAX_SAFE_INTEGER}, 0, 0)`
    await database.transact((tx) => queries(tx).run(lease))
    await database.transact((tx) => queries(tx).run('UPDATE frontier_total SET sites_leased = 1 WHERE bucket = 0'))
    await assert.rejects(retainIn(folder, '--database', address), /1 visits of workers .* are under way/)
  } finally {
    await database.close()
  }
})

test('PostgreSQL keeps the same captures', { skip: 'skipped' in postgres && postgres.skipped }, async () => {
  if ('skipped' in postgres) return
  const reference = { disk: memoryDisk(), database: openSqlite(':memory:') }
  const held = await looks(reference.database, reference.disk)
  await retain(reference.database, reference.disk)
  const expected = await checkWhole(reference.database, reference.disk, held)
  const database = await postgres.make()
  const disk = memoryDisk()
  await looks(database, disk)
  await retain(database, disk)
  assert.deepEqual(await checkWhole(database, disk, held), expected)
  assert.deepEqual(
    disk.list(ARCHIVE).map((name) => disk.size(`${ARCHIVE}/${name}`)),
    reference.disk.list(ARCHIVE).map((name) => reference.disk.size(`${ARCHIVE}/${name}`)),
  )
  const dangling = await database.read((tx) =>
    queries(tx).get(
      'SELECT 1 AS one FROM payload p WHERE NOT EXISTS (SELECT 1 FROM capture c WHERE c.bucket = p.bucket AND c.id = p.capture)',
    ),
  )
  assert.equal(dangling, undefined)
})
