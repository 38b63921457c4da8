/** `clean --retention` on volumes, catalogue and index together: what goes, what stays, and what a crash leaves. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { NOON, samplePage, sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { sha1 } from '../../base/digest.ts'
import type { AppendFile, Disk } from '../../base/disk.ts'
import { seededRandom } from '../../base/random.ts'
import { realDisk } from '../../base/real-disk.ts'
import { indexCaptures } from '../../collection/captures/index-captures.ts'
import { everyCapture, responseAt, responseWith } from '../../collection/captures/read-captures.ts'
import { folderLocation, type OtherLocation, storeLocation } from '../../collection/locations/other-locations.ts'
import { nodeId } from '../../collection/locations/own-locations.ts'
import { readVolumes } from '../../collection/locations/read-volumes.ts'
import { compactVolumes, successorOf } from '../../collection/retention/compact-volumes.ts'
import { findVolumes } from '../../collection/retention/find-volumes.ts'
import { parseRetention, type RetentionRule } from '../../collection/retention/rule.ts'
import { thinCaptures } from '../../collection/retention/thin-captures.ts'
import { type MemoryStore, memoryStore } from '../../collection/s3/memory.test-store.ts'
import { storedVolumes } from '../../collection/s3/stored-volumes.ts'
import { applyReports } from '../../collection/sample-catalogue.test-data.ts'
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
import { notesOn, retainCaptures } from './retention.ts'

const FOLDER = 'collection'
const ARCHIVE = `${FOLDER}/archive`
const SECOND = '/mnt/second'
const BUCKET = 's3://bucket/volumes'
const INDEXES = `${FOLDER}/indexes`
const DAY = 86_400_000
const DAYS = 45
/** For the many runs that are cut off. */
const FEW_DAYS = 14
const RULE = parseRetention('all for 5d, weekly for 20d, monthly') as RetentionRule

const postgres = await postgresForTests()
after(() => ('skipped' in postgres ? undefined : postgres.end()))

/** Daily looks at some pages of two sites; what each capture holds, by URL and time. */
async function looks(database: Database, disk: Disk, days = DAYS, folder = ARCHIVE): Promise<Map<string, string>> {
  const random = seededRandom(7)
  const { archive } = madeUpArchive(disk, { folder, rollBytes: 10_000 })
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

async function retain(database: Database, disk: Disk, rule = RULE, locations: readonly OtherLocation[] = []) {
  const parts = { database, disk, folder: FOLDER, node: undefined, locations, guard: async () => {} }
  const { located, left } = await findVolumes(parts)
  const volumes = new Set(located.map(({ id }) => id))
  const thinned = await thinCaptures({ ...parts, rule, now: NOON, volumes, remove: true })
  const { needed } = thinned
  const compacted = await compactVolumes({ ...parts, clock: virtualClock(NOON), random: seededRandom(1), needed })
  return { ...thinned, ...compacted, left }
}

/** No fault that `verify` would find, and every capture gives the bytes that were collected. */
async function checkWhole(
  database: Database,
  disk: Disk,
  held: Map<string, string>,
  isStale = false,
  store = memoryStore(),
): Promise<string[]> {
  const faults = new Faults()
  const sources = {
    store: async () => storedVolumes(store).readAt,
    server: () => Promise.reject(new Error()),
    close() {},
  }
  await verifyVolumes(
    { database, disk, archive: ARCHIVE, server: undefined, sources, everywhere: true },
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
    const read = await readCapture(readVolumes(database, disk, ARCHIVE, sources), capture, (url, at) =>
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

test('a late report names a volume again that was rewritten: the new one stays', async () => {
  const disk = memoryDisk()
  const database = openSqlite(':memory:')
  const held = await looks(database, disk)
  const bytesOf = (name: string) => disk.read(`${ARCHIVE}/${name}`, 0, disk.size(`${ARCHIVE}/${name}`)!)
  const bytes = new Map(disk.list(ARCHIVE).map((name) => [name, bytesOf(name)]))
  await retain(database, disk)
  const [old] = [...bytes.keys()].filter((name) => disk.list(ARCHIVE).includes(successorOf(name)))
  const file = disk.append(`${ARCHIVE}/${old}`)
  file.write(bytes.get(old)!)
  file.close()
  await database.transact((tx) => queries(tx).run('INSERT INTO volume (name, removed_bytes) VALUES (?, 1e6)', old))
  const before = await checkWhole(database, disk, held)
  await retain(database, disk)
  assert.deepEqual(await checkWhole(database, disk, held), before)
})

/** A process that dies at its nth step: a write, a sync, a change of a name, or before or after a transaction. */
function mortal(disk: Disk, database: Database, steps: number) {
  let left = steps
  const step = () => {
    if (left-- <= 0) throw new Error('died')
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
  return { disk: mortalDisk, database: mortalDatabase, step }
}

interface Place {
  locations(disk: Disk): OtherLocation[]
  store: MemoryStore
  /** Of what lies there. */
  names(): string[]
}

/** The same looks, with volumes that lie elsewhere. */
async function looksIn(where: 'archive' | 'folder' | 'store', database: Database, disk: Disk) {
  const held = await looks(database, disk, FEW_DAYS, where === 'folder' ? SECOND : ARCHIVE)
  const store = memoryStore()
  const folder = where === 'folder' ? SECOND : ARCHIVE
  if (where !== 'archive') {
    const node = where === 'folder' ? `dir:${SECOND}` : BUCKET
    for (const name of disk.list(folder)) {
      const bytes = disk.read(`${folder}/${name}`, 0, 1e6)
      await database.transact((tx) =>
        queries(tx).run('INSERT INTO volume_location VALUES (?, ?, ?, ?, 1)', name, node, 'crawl', bytes.length),
      )
      if (where === 'folder') continue
      store.objects.set(name, bytes)
      disk.remove(`${folder}/${name}`)
    }
  }
  // Others use the same folder and bucket: what looks like a rewritten volume of theirs stays.
  for (const name of ['OTHER-1.warc.gz', 'OTHER-1~r1.warc.gz']) {
    if (where === 'folder') disk.append(`${SECOND}/${name}`).write(Buffer.from('theirs'))
    if (where === 'store') store.objects.set(name, Buffer.from('theirs'))
  }
  for (const one of [ARCHIVE, INDEXES, SECOND]) await disk.syncFolder(one)
  const place: Place = {
    store,
    locations: (mortalDisk) => [
      folderLocation(mortalDisk, SECOND),
      storeLocation(mortalDisk, BUCKET, ARCHIVE, async () => store),
    ],
    names: () => [...disk.list(ARCHIVE), ...disk.list(SECOND), ...[...store.objects.keys()].sort()],
  }
  return { held, place }
}

/** Every so many steps; another folder is like the archive. */
const STRIDES = { archive: 1, folder: 4, store: 2 }

for (const where of ['archive', 'folder', 'store'] as const)
  test(`${where}: killed, or without power, at any step: nothing that stays is lost, and the next run completes it`, async () => {
    const reference = { disk: memoryDisk(), database: openSqlite(':memory:') }
    const { held, place } = await looksIn(where, reference.database, reference.disk)
    const all = await checkWhole(reference.database, reference.disk, held, false, place.store)
    const { volumes } = await retain(reference.database, reference.disk, RULE, place.locations(reference.disk))
    assert.ok(volumes > 1, String(volumes))
    const expected = await checkWhole(reference.database, reference.disk, held, false, place.store)
    assert.ok(expected.length < all.length)
    const rewritten = place.names().filter((name) => name.includes('~r1') && !name.startsWith('OTHER'))
    assert.ok(rewritten.length > 0)
    assert.equal(place.names().filter((name) => name.startsWith('OTHER')).length, where === 'archive' ? 0 : 2)
    let finished = false
    for (let steps = 0; !finished; steps += STRIDES[where]) {
      const disk = memoryDisk()
      const database = openSqlite(':memory:')
      const { place: own } = await looksIn(where, database, disk)
      const process = mortal(disk, database, steps)
      own.store.may = process.step
      finished = await retain(process.database, process.disk, RULE, own.locations(process.disk)).then(
        () => true,
        (error: Error) => {
          assert.equal(error.message, 'died', error.stack)
          return false
        },
      )
      own.store.may = () => {}
      disk.crash(seededRandom(steps))
      const isStale =
        (await database.read((tx) => queries(tx).get<{ size: number }>('SELECT size FROM cdxj_upto')))!.size < 0
      await checkWhole(database, disk, held, isStale, own.store)
      await retain(database, disk, RULE, own.locations(disk))
      assert.deepEqual(await checkWhole(database, disk, held, false, own.store), expected, `after ${steps} steps`)
      assert.deepEqual(own.names(), place.names(), `after ${steps} steps`)
      assert.deepEqual(await volumeRows(database), await volumeRows(reference.database), `after ${steps} steps`)
      await database.close()
    }
  })

const volumeRows = (database: Database) =>
  database.read((tx) =>
    queries(tx).all(
      'SELECT v.name, p.node FROM volume v LEFT JOIN volume_location p ON p.name = v.name ORDER BY v.name',
    ),
  )

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

test('volumes that cannot be rewritten from here stay, with all their captures, and it is said why', async () => {
  const disk = memoryDisk()
  const database = openSqlite(':memory:')
  await looks(database, disk)
  const [several, unsealed, away, server, folder, missing, theirs, ...rest] = disk.list(ARCHIVE)
  const place = (name: string, node: string, sealed = 1) =>
    database.transact((tx) =>
      queries(tx).run('INSERT INTO volume_location VALUES (?, ?, ?, 7, ?)', name, node, 'w', sealed),
    )
  await place(several, BUCKET)
  for (const name of [unsealed, away, server, folder, missing, theirs]) disk.remove(`${ARCHIVE}/${name}`)
  await place(unsealed, `dir:${SECOND}`, 0)
  await place(away, BUCKET)
  await place(server, 'other-server')
  await place(folder, `dir:${SECOND}`)
  await place(theirs, `dir:${SECOND}`)
  disk.append(`${SECOND}/${folder}`).write(new Uint8Array(100))
  const unreachable = storeLocation(disk, BUCKET, ARCHIVE, () => Promise.reject(new Error('no such bucket')))
  const { elsewhere, left } = await retain(database, disk, RULE, [folderLocation(disk, SECOND), unreachable])
  const notes = notesOn(elsewhere, left)
  for (const why of [
    /^\d+ captures that could go are in volumes that lie in more than one place: run 'orbweaver clean' first$/m,
    /that are not complete/,
    /in s3:\/\/bucket\/volumes, which cannot be reached: no such bucket/,
    /with server other-server, which is not running: run this on its machine, too, .* file server-id has other-server$/m,
    /in \/mnt\/second on the machine of worker w, where they do not have the recorded size/,
    /in \/mnt\/second on the machine of worker w: run this there, too$/m,
    /that are missing: run 'orbweaver verify'/,
  ])
    assert.match(notes.join('\n'), why)
  assert.equal(notes.length, 7)
  assert.ok(disk.list(ARCHIVE).includes(several))
  // The others are rewritten.
  assert.ok(rest.some((name) => !disk.list(ARCHIVE).includes(name)))
  const names = await database.read((tx) => queries(tx).all<{ name: string }>('SELECT name FROM volume'))
  for (const name of [several, unsealed, away, server, folder, missing, theirs])
    assert.ok(
      names.some((row) => row.name === name),
      name,
    )
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
