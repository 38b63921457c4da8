import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { Problem } from '../../base/errors.ts'
import type { Event } from '../../contracts/events.ts'
import { parseUrl } from '../../web/url/web-url.ts'
import { blacklistFiles, readBlacklists } from './blacklist-files.ts'

const PATH = 'lists/domains'

function begin(text: string) {
  const disk = memoryDisk()
  const clock = virtualClock(0)
  const events: Event[] = []
  let reads = 0
  const write = (written: string) => {
    disk.remove(PATH)
    disk.append(PATH).write(Buffer.from(written))
  }
  write(text)
  const counted = {
    ...disk,
    read: (path: string, offset: number, length: number) => {
      reads++
      return disk.read(path, offset, length)
    },
  }
  const blacklist = blacklistFiles([PATH], counted, clock, { record: (event) => events.push(event) })!
  const refuses = (url: string) => blacklist().refusesUrl(parseUrl(url)!) !== undefined
  const pass = (ms: number) => clock.run(clock.sleep(ms))
  return { write, refuses, pass, blacklist, events, reads: () => reads }
}

test('a changed list applies within seconds; an unchanged one stays the same object', async () => {
  const { write, refuses, pass, blacklist, reads } = begin('a.test\n')
  assert.ok(refuses('http://a.test/') && !refuses('http://b.test/'))
  const before = blacklist()
  await pass(6000)
  assert.equal(blacklist(), before)
  write('b.test\n')
  assert.ok(refuses('http://a.test/'), 'not read for every page')
  assert.equal(reads(), 2)
  await pass(6000)
  assert.ok(!refuses('http://a.test/') && refuses('http://b.test/'))
})

test('a list that cannot be read leaves the good one in force, and is reported once', async () => {
  const { write, refuses, pass, events } = begin('a.test\n')
  write('::: half a line')
  for (let i = 0; i < 3; i++) {
    await pass(6000)
    assert.ok(refuses('http://a.test/'))
  }
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ['trouble'],
  )
  write('b.test\n')
  await pass(6000)
  assert.ok(refuses('http://b.test/'))
})

test("at the start a missing list or a line of nonsense is the operator's mistake", () => {
  const disk = memoryDisk()
  assert.throws(() => readBlacklists([PATH], disk), Problem)
  disk.append(PATH).write(Buffer.from(':::\n'))
  assert.throws(() => readBlacklists([PATH], disk), /lists\/domains, line 1/)
})
