import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import type { AppendFile, Disk } from '../../base/disk.ts'
import { openCrawlLog } from './crawl-log.ts'

const postgres = await postgresForTests()
const skip = 'skipped' in postgres ? postgres.skipped : false
const server = postgres as Exclude<typeof postgres, { skipped: string }>
after(() => (skip === false ? server.end() : undefined))

const PATH = '/c/logs/crawl.log'

describe('the log of a node', { skip }, () => {
  it('has the lines of a transaction whose commit was not confirmed, once', async () => {
    const database = await server.make()
    const disk = memoryDisk()
    const text = () => Buffer.from(disk.read(PATH, 0, 1e6)).toString()
    const log = await openCrawlLog(database, disk, PATH, 'one')
    const other = await openCrawlLog(database, disk, '/other.log', 'other')
    log.written(await database.transact((tx) => log.record(tx, 'confirmed\n')))
    await database.transact((tx) => log.record(tx, 'unconfirmed\n'))
    await database.transact((tx) => other.record(tx, 'another’s\n'))
    await log.close()
    assert.equal(text(), 'confirmed\nunconfirmed\n')
    await (await openCrawlLog(database, disk, PATH, 'one')).close()
    assert.equal(text(), 'confirmed\nunconfirmed\n')
    await other.close()
  })

  it('has each line once, and whole, after its disk was full for a while', async () => {
    const database = await server.make()
    const bare = memoryDisk()
    let isFull = false
    const disk: Disk = {
      ...bare,
      append(path) {
        const file = bare.append(path)
        const write = (bytes: Uint8Array) => {
          if (!isFull) return file.write(bytes)
          file.write(bytes.subarray(0, 4))
          throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
        }
        return Object.assign(Object.create(file), { write }) as AppendFile
      },
    }
    const log = await openCrawlLog(database, disk, PATH, 'one')
    const append = async (lines: string) => log.written(await database.transact((tx) => log.record(tx, lines)))
    await append('before\n')
    isFull = true
    await assert.rejects(append('meanwhile\n'), { code: 'ENOSPC' })
    isFull = false
    await append('after\n')
    await log.close()
    assert.equal(Buffer.from(bare.read(PATH, 0, 1e6)).toString(), 'before\nafter\nmeanwhile\n')
  })
})
