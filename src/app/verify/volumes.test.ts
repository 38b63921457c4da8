import assert from 'node:assert/strict'
import { test } from 'node:test'
import { samplePage, sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { applyReports } from '../../collection/sample-catalogue.test-data.ts'
import { keepIn, madeUpArchive } from '../../collection/volumes/made-up.test-archive.ts'
import { madeUpExchange } from '../../collection/volumes/made-up.test-exchange.ts'
import { OPEN } from '../../collection/volumes/volume-name.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { Faults } from './faults.ts'
import { verifyVolumes } from './volumes.ts'

const THERE = '/mnt/second'

/** A volume of a worker in another folder of this machine, the catalogue, and what is found. */
async function verified(server?: string) {
  const disk = memoryDisk()
  const database = openSqlite(':memory:')
  const { archive } = madeUpArchive(disk, { worker: 'w', folder: THERE })
  const url = 'http://a.test/'
  const capture = keepIn(archive, madeUpExchange({ payload: Buffer.from('page') }))
  await archive.close()
  await applyReports(database, [sampleReport('a.test', 1, [samplePage(url, { capture }, url)])])
  const path = `${THERE}/${capture.volume}`
  const location = (node: string, sealed: 0 | 1) =>
    database.transact((tx) =>
      queries(tx).run('INSERT INTO volume_location VALUES (?, ?, ?, 7, ?)', capture.volume, node, 'barn', sealed),
    )
  const sources = {
    store: () => Promise.reject(new Error('it is not asked')),
    server: () => Promise.reject(new Error('it is not asked')),
    close() {},
  }
  const verify = async () => {
    const faults = new Faults()
    const parts = { database, disk, archive: '/archive', server, sources, everywhere: false }
    const totals = await verifyVolumes(parts, faults, () => {})
    return { totals, faults: faults.faults, notes: faults.notes.map(({ what }) => what) }
  }
  return { disk, path, location, verify }
}

test('a volume in another folder of this machine is read there, complete or not', async () => {
  const { disk, path, location, verify } = await verified()
  await location(`dir:${THERE}`, 0)
  disk.rename(path, path + OPEN)
  assert.equal((await verify()).totals.captures, 1)
  disk.rename(path + OPEN, path)
  const { totals, notes } = await verify()
  assert.deepEqual(totals, { volumes: 1, records: 3, captures: 1, elsewhere: 0 })
  assert.deepEqual(notes, [])
})

test('a partial volume does not replace a complete one elsewhere', async () => {
  const { disk, path, location, verify } = await verified()
  await location(`dir:${THERE}`, 0)
  await location('s3://volumes/all', 1)
  disk.rename(path, path + OPEN)
  disk.truncate(path + OPEN, 10)
  const { faults, notes } = await verify()
  assert.deepEqual(faults, [])
  assert.deepEqual(notes, ['lies in s3://volumes/all: --everywhere fetches and verifies it'])
})

test("a partial volume in the collection's folder is noted, and the complete one elsewhere counts as not read", async () => {
  const { disk, path, location, verify } = await verified('s1')
  const beginning = `/archive/${path.slice(THERE.length + 1)}${OPEN}`
  disk.append(beginning).write(disk.read(path, 0, 10))
  disk.remove(path)
  await location('s1', 0)
  await location('s2', 1)
  const { totals, faults, notes } = await verify()
  assert.deepEqual(faults, [])
  assert.deepEqual(totals, { volumes: 0, records: 0, captures: 0, elsewhere: 1 })
  assert.deepEqual(notes, [
    "is a beginning; all of it lies with server s2, which is not running: 'orbweaver clean' lists what can go",
    'lies with server s2, which is not running: --everywhere fetches and verifies it',
  ])
})

test("a partial volume in the collection's folder does not hide the complete one in another folder of this machine", async () => {
  const { disk, path, location, verify } = await verified('s1')
  disk.append(`/archive/${path.slice(THERE.length + 1)}${OPEN}`).write(disk.read(path, 0, 10))
  await location('s1', 0)
  await location(`dir:${THERE}`, 1)
  const { totals } = await verify()
  assert.deepEqual(totals, { volumes: 1, records: 3, captures: 1, elsewhere: 0 })
})
