/** Volumes outside of the archive folder: what is removed there, and what is somebody else's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOON, samplePage, sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { folderLocation, type OtherLocation } from '../../collection/locations/other-locations.ts'
import { applyReports } from '../../collection/sample-catalogue.test-data.ts'
import { keepIn, madeUpArchive } from '../../collection/volumes/made-up.test-archive.ts'
import { madeUpExchange } from '../../collection/volumes/made-up.test-exchange.ts'
import type { Capture } from '../../contracts/report.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { removeOrphans } from './find-orphans.ts'
import { locationNodes, orphansAt } from './orphan-volumes.ts'

const DAY = 86_400_000
const THERE = '/mnt/second'
const SINCE = NOON - 30 * DAY

async function cleaned() {
  const disk = memoryDisk()
  const database = openSqlite(':memory:')
  const run = (sql: string, ...values: (string | number)[]) =>
    database.transact((tx) => queries(tx).run(sql, ...values))
  const location = folderLocation(disk, THERE)
  /** A volume with one record, and a row in the table if it has an owner. */
  const write = async (worker: string, owner: string | undefined) => {
    const { archive } = madeUpArchive(disk, { worker, folder: THERE })
    const capture = keepIn(archive, madeUpExchange({ payload: Buffer.from(worker) }))
    await archive.close()
    if (owner !== undefined)
      await run('INSERT INTO volume_location VALUES (?, ?, ?, 7, 1)', capture.volume, location.node, owner)
    return capture
  }
  const addWorker = (id: string, seenAt: number) =>
    run(
      `INSERT INTO worker (id, name, secret_hash, version, state, registered_at, seen_at) VALUES (?, ?, x'00', '1', 'working', 0, ?)`,
      id,
      id,
      seenAt,
    )
  const report = (url: string, capture: Capture) => sampleReport('a.test', 1, [samplePage(url, { capture }, url)])
  return { disk, database, location, write, addWorker, run, report }
}

test('volumes of ours, and of workers that were silent for long, in which nothing is named, go; all others stay', async () => {
  const { disk, database, location, write, addWorker, run, report } = await cleaned()
  await addWorker('silent', NOON - 31 * DAY)
  await addWorker('alive', NOON - DAY)
  const named = await write('w1', 'crawl')
  const nobodys = await write('w2', 'crawl')
  const silents = await write('w3', 'silent')
  const coming = await write('w4', 'alive')
  const unknown = await write('w5', 'of another server')
  const strangers = await write('w6', undefined)
  const only = await write('w7', 'crawl')
  await applyReports(database, [
    report('http://a.test/1', named),
    report('http://a.test/2', { ...named, digest: only.digest, kind: 'revisit', offset: named.offset + 1 }),
  ])
  await run('INSERT INTO volume_location VALUES (?, ?, ?, 7, 0)', 'never.warc.gz', location.node, 'crawl')
  assert.deepEqual(await locationNodes(database), [location.node])

  const found = await orphansAt(database, disk, location, 'crawl', SINCE)
  const at = (volume: string) => `${volume} in ${location.node}`
  assert.deepEqual(
    found.orphans.map(({ kind, name }) => `${kind} ${name}`),
    [`location ${at('never.warc.gz')}`, `volume ${at(nobodys.volume)}`, `volume ${at(silents.volume)}`],
  )
  assert.equal(found.notes.length, 2)
  assert.match(found.notes[0], new RegExp(`${only.volume} in .* stays`))
  assert.match(found.notes[1], /^1 volumes in dir:\/mnt\/second are not in this/)
  assert.equal((await removeOrphans(found.orphans)).size, 3)
  assert.deepEqual(
    disk.list(THERE),
    [named, coming, unknown, strangers, only].map(({ volume }) => volume),
  )
  assert.deepEqual((await orphansAt(database, disk, location, 'crawl', SINCE)).orphans, [])
})

test('as long as reports wait in the inbox nothing is judged; an unreadable location is reported', async () => {
  const { disk, database, location, write, run } = await cleaned()
  await write('w1', 'crawl')
  await run(`INSERT INTO inbox (visit, part, fence, site, last, body) VALUES ('v.1', 1, 1, 'a.test', 0, x'00')`)
  assert.deepEqual((await orphansAt(database, disk, location, 'crawl', SINCE)).orphans, [])
  const away: OtherLocation = { ...location, list: () => Promise.reject(new Error('there is no such folder here')) }
  assert.deepEqual(await orphansAt(database, disk, away, 'crawl', SINCE), {
    orphans: [],
    notes: ['dir:/mnt/second was not checked: there is no such folder here'],
  })
})

test('a volume that cannot be read stays, and the others are judged', async () => {
  const { disk, database, location, write } = await cleaned()
  const torn = await write('w1', 'crawl')
  const nobodys = await write('w2', 'crawl')
  const failing: OtherLocation = {
    ...location,
    open: (volume) => (volume === torn.volume ? Promise.reject(new Error('it breaks off')) : location.open(volume)),
  }
  const { orphans, notes } = await orphansAt(database, disk, failing, 'crawl', SINCE)
  assert.deepEqual(
    orphans.map(({ name }) => name),
    [`${nobodys.volume} in ${location.node}`],
  )
  assert.deepEqual(notes, [
    `${torn.volume} in ${location.node} stays: no capture names it, but it cannot be read (it breaks off)`,
  ])
})
