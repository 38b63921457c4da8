import assert from 'node:assert/strict'
import { test } from 'node:test'
import { samplePage, sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import type { Disk } from '../../base/disk.ts'
import type { Database } from '../../database/database.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { fileReports } from '../sample-catalogue.test-data.ts'
import { INDEX } from './cdxj-merge.ts'
import { indexCaptures } from './index-captures.ts'

const FOLDER = 'indexes'
const PATH = `${FOLDER}/${INDEX}`

const keep = (database: Database, ...paths: string[]) =>
  database.transact((tx) => {
    const pages = paths.map((path) => samplePage(`http://a.test/${path}`, {}, path))
    return fileReports(tx, [sampleReport('a.test', 1, pages)])
  })
const keysIn = (disk: Disk) =>
  Buffer.from(disk.read(PATH, 0, 1e6))
    .toString()
    .split('\n')
    .map((line) => line.split(' ', 1)[0].slice('test,a)/'.length))
    .slice(0, -1)

test('the index takes new captures, and all of them if it was changed', async () => {
  const database = openSqlite(':memory:')
  const disk = memoryDisk()
  await indexCaptures(database, disk, FOLDER)
  await keep(database, 'c', 'a')
  await indexCaptures(database, disk, FOLDER)
  assert.deepEqual(keysIn(disk), ['a', 'c'])
  await keep(database, 'b')
  await indexCaptures(database, disk, FOLDER)
  assert.deepEqual(keysIn(disk), ['a', 'b', 'c'])

  // Nothing new: it is not even opened.
  let read = 0
  const counting: Disk = {
    ...disk,
    read: (...args) => {
      read++
      return disk.read(...args)
    },
  }
  await indexCaptures(database, counting, FOLDER)
  assert.equal(read, 0)

  disk.remove(PATH)
  await indexCaptures(database, disk, FOLDER)
  assert.deepEqual(keysIn(disk), ['a', 'b', 'c'])

  // Cut by another program, or a crash before its length was noted.
  disk.truncate(PATH, Buffer.from(disk.read(PATH, 0, 1e6)).indexOf('\n') + 1)
  assert.deepEqual(keysIn(disk), ['a'])
  await keep(database, 'd')
  await indexCaptures(database, disk, FOLDER)
  assert.deepEqual(keysIn(disk), ['a', 'b', 'c', 'd'])
})
