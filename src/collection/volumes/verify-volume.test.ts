import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MemoryDisk, memoryDisk } from '../../../testkit/memory-disk.ts'
import { deflatedMember } from '../../web/warc/gzip-member.ts'
import { FOLDER, keepIn, madeUpArchive } from './made-up.test-archive.ts'
import { anyExchange, madeUpExchange } from './made-up.test-exchange.ts'
import { type FoundCapture, verifyVolume } from './verify-volume.ts'

async function verified(disk: MemoryDisk, path: string) {
  const captures: FoundCapture[] = []
  const problems: { offset: number; what: string }[] = []
  const run = verifyVolume(disk, path, (found) => void captures.push(found))
  for (;;) {
    const next = await run.next()
    if (next.done) return { captures, problems, totals: next.value }
    problems.push(next.value)
  }
}

async function volumeOf(count: number) {
  const disk = memoryDisk()
  const { archive } = madeUpArchive(disk)
  const exchanges = Array.from({ length: count }, (_, i) => anyExchange(i))
  const captures = exchanges.map((exchange) => keepIn(archive, exchange))
  await archive.close()
  return { disk, captures, path: `${FOLDER}/${captures[0].volume}` }
}

test('a sound volume has no faults, and its captures are found', async () => {
  const { disk, captures, path } = await volumeOf(30)
  const { problems, captures: found, totals } = await verified(disk, path)
  assert.deepEqual(problems, [])
  assert.deepEqual(totals, { records: 61, captures: 30, bytes: disk.size(path), problems: 0 })
  assert.deepEqual(
    found.map(({ kind, offset, length, digest }) => ({ kind, offset, length, digest })),
    captures.map(({ kind, offset, length, digest }) => ({ kind, offset, length, digest })),
  )
  assert.ok(found.every(({ status, url, at }) => status === 200 && url.startsWith('https://') && at > 0))
})

test('damage in one record is reported with its offset, and the other records are read', async () => {
  const { disk, captures, path } = await volumeOf(10)
  const bytes = disk.read(path, 0, 1e8)
  bytes[captures[4].offset + captures[4].length - 6] ^= 255
  disk.remove(path)
  disk.append(path).write(bytes)
  const { problems, totals } = await verified(disk, path)
  assert.equal(problems[0].offset, captures[4].offset)
  assert.match(problems[0].what, /CRC|damaged/)
  // The request next to it has lost its answer, which is reported too.
  assert.ok(problems.length >= 2 && totals.captures === 9)
})

function forged(change: (text: string) => string): Promise<string[]> {
  const disk = memoryDisk()
  const file = disk.append('x.warc.gz')
  const record = (text: string) => deflatedMember((bytes) => file.write(Buffer.from(bytes)), [Buffer.from(text)])
  record(
    'WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2024-01-01T00:00:00Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n',
  )
  const { wireHead, payload } = madeUpExchange().answer
  const block = Buffer.concat([wireHead, payload]).toString()
  const head =
    'WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:2>\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n' +
    'WARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\r\n'
  record(change(`${head}Content-Length: ${block.length}\r\n\r\n${block}\r\n\r\n`))
  return verified(disk, 'x.warc.gz').then(({ problems }) => problems.map(({ what }) => what))
}

test('lengths and digests of a record are checked', async () => {
  assert.deepEqual(await forged((text) => text), [])
  const cases: [(text: string) => string, RegExp][] = [
    [(text) => text.replace('hello', 'hullo'), /payload digest/],
    [(text) => text.replace('WARC-Payload-Digest', 'WARC-Block-Digest'), /block digest/],
    [(text) => text.replace(/Content-Length: \d+/, 'Content-Length: 7'), /no record/],
    [(text) => text.replace('WARC-Record-ID', 'X'), /no WARC-Record-ID/],
    [(text) => text.replace('2024-01-01T', '2024-99-01T'), /not a date/],
    [(text) => text.replace('HTTP/1.1', 'JUNK/1.1'), /not an HTTP response/],
    [(text) => text.replace('Type: response', 'Type: revisit'), /revisit without/],
    [(text) => text.replace('Type: response', 'Type: request\r\nWARC-Concurrent-To: <urn:x:9>'), /without its answer/],
  ]
  for (const [change, what] of cases) assert.match((await forged(change)).join(), what)
})
