import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { seededRandom } from '../../base/random.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { openCrawlLog } from './crawl-log.ts'

const PATH = '/c/logs/crawl.log'

test('after any crash the log holds each line of a durable transaction once, in order', async () => {
  const random = seededRandom(5)
  for (let run = 0; run < 60; run++) {
    const database = openSqlite(':memory:')
    const disk = memoryDisk()
    let log = await openCrawlLog(database, disk, PATH, '')
    let expected = ''
    for (let line = 0; line < 40; line++) {
      const text = `line ${line}\n`.repeat(1 + random.integer(3))
      const fails = random.next() < 0.1
      const recorded = await database
        .transact(async (tx) => {
          const lines = await log.record(tx, text)
          if (fails) throw new Error('rolled back')
          return lines
        })
        .catch(() => undefined)
      if (!fails) expected += text
      const crashes = random.next() < 0.15
      // A crash between commit and write, or before the write is on the disk.
      if (recorded !== undefined && (!crashes || random.next() < 0.5)) log.written(recorded)
      if (random.next() < 0.3) await log.sync()
      if (!crashes) continue
      disk.crash(random)
      log = await openCrawlLog(database, disk, PATH, '')
      assert.equal(Buffer.from(disk.read(PATH, 0, 1e6)).toString(), expected)
    }
    await log.close()
    assert.equal(Buffer.from(disk.read(PATH, 0, 1e6)).toString(), expected)
    await database.close()
  }
})

test('a log that the database does not know is continued, not cut', async () => {
  const disk = memoryDisk()
  const old = disk.append(PATH)
  old.write(Buffer.from('old line\n'))
  await old.sync()
  const database = openSqlite(':memory:')
  const log = await openCrawlLog(database, disk, PATH, '')
  log.written(await database.transact((tx) => log.record(tx, 'new line\n')))
  await openCrawlLog(database, disk, PATH, '')
  assert.equal(Buffer.from(disk.read(PATH, 0, 1e6)).toString(), 'old line\nnew line\n')
})

test('syncs run one after the other, and a failed one leaves its lines to the next', async () => {
  const database = openSqlite(':memory:')
  const disk = memoryDisk()
  const running: string[] = []
  let fails = false
  const slow = {
    ...disk,
    append(path: string) {
      const file = disk.append(path)
      return {
        get size() {
          return file.size
        },
        write: file.write,
        close: file.close,
        async sync() {
          running.push('begin')
          await file.sync()
          if (fails) throw new Error('the disk fails')
          running.push('end')
        },
      }
    },
  }
  const log = await openCrawlLog(database, slow, PATH, '')
  const write = async (text: string) => log.written(await database.transact((tx) => log.record(tx, text)))
  const waiting = () => database.read(async (tx) => (await queries(tx).all('SELECT id FROM crawl_log_tail')).length)
  running.length = 0
  await write('a\n')
  const first = log.sync()
  await write('b\n')
  await Promise.all([first, log.sync()])
  assert.deepEqual(running, ['begin', 'end', 'begin', 'end'])
  const synced = await database.read((tx) => queries(tx).get<{ synced: number }>('SELECT synced FROM crawl_log'))
  assert.deepEqual([synced?.synced, await waiting()], [4, 0])
  await write('c\n')
  fails = true
  await assert.rejects(log.sync(), /the disk fails/)
  assert.equal(await waiting(), 1)
  fails = false
  await log.sync()
  assert.equal(await waiting(), 0)
})
