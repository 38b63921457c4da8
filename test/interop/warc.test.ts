/** Our volumes, read by a reader that others wrote: npm `warcio`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { WARCParser, type WARCRecord } from 'warcio'
import { sha1 } from '../../src/base/digest.ts'
import { FOLDER, keepAll, madeUpArchive } from '../../src/collection/volumes/made-up.test-archive.ts'
import { anyExchange, madeUpExchange } from '../../src/collection/volumes/made-up.test-exchange.ts'
import type { Exchange } from '../../src/contracts/exchange.ts'
import type { Capture } from '../../src/contracts/report.ts'
import { memoryDisk } from '../../testkit/memory-disk.ts'

interface Read {
  type: string
  offset: number
  length: number
  header(name: string): string | null
  status: number
  /** Content and transfer coding taken off by the reader. */
  body: Uint8Array
}

async function readByWarcio(file: Uint8Array): Promise<Read[]> {
  async function* pieces() {
    for (let at = 0; at < file.length; at += 10_000) yield file.subarray(at, at + 10_000)
  }
  const parser = new WARCParser(pieces(), { parseHttp: true })
  const found: Read[] = []
  for await (const record of parser as AsyncIterable<WARCRecord>) {
    const body = await record.readFully(true)
    found.push({
      type: record.warcType ?? '',
      offset: parser.offset,
      length: parser.recordLength,
      header: (name) => record.warcHeader(name) ?? null,
      status: record.warcType === 'request' ? 0 : Number(record.httpHeaders?.statusCode ?? 0),
      body,
    })
  }
  return found
}

async function volumeOf(exchanges: Exchange[], twins = false): Promise<{ captures: Capture[]; file: Uint8Array }> {
  const disk = memoryDisk()
  const { archive } = madeUpArchive(disk)
  const captures = await keepAll(archive, exchanges, twins)
  await archive.close()
  return { captures, file: disk.read(`${FOLDER}/${captures[0].volume}`, 0, 1e9) }
}

test('warcio.js finds every record where we said, with its headers', async () => {
  const exchanges = Array.from({ length: 25 }, (_, i) => anyExchange(i))
  const { captures, file } = await volumeOf(exchanges)
  const read = await readByWarcio(file)
  assert.deepEqual(
    read.map(({ type }) => type),
    ['warcinfo', ...exchanges.flatMap(() => ['response', 'request'])],
  )
  captures.forEach((capture, i) => {
    const response = read[1 + 2 * i]
    assert.equal(response.offset, capture.offset)
    assert.equal(response.length, capture.length)
    assert.equal(response.header('WARC-Target-URI'), exchanges[i].url)
    assert.equal(response.header('WARC-Payload-Digest'), capture.digest)
    assert.equal(response.header('WARC-IP-Address'), '192.0.2.1')
    assert.equal(read[2 + 2 * i].header('WARC-Concurrent-To'), response.header('WARC-Record-ID'))
    assert.equal(response.status, 200)
  })
})

test('warcio.js takes off chunks and content coding and has the page', async () => {
  const page = Buffer.from('<p>a page</p>'.repeat(500))
  const gzip: [string, string][] = [
    ['Content-Type', 'text/html'],
    ['Content-Encoding', 'gzip'],
  ]
  const { file, captures } = await volumeOf([
    madeUpExchange({ payload: page }),
    madeUpExchange({ payload: page, chunked: true }),
    madeUpExchange({ payload: gzipSync(page), headers: gzip }),
    madeUpExchange({ payload: gzipSync(page), headers: gzip, chunked: true }),
  ])
  const read = await readByWarcio(file)
  for (const response of read.filter(({ type }) => type === 'response')) assert.ok(page.equals(response.body))
  // The payload is the body without chunks: the same page, chunked or not, has the same digest.
  assert.equal(captures[0].digest, captures[1].digest)
  assert.equal(captures[0].digest, sha1(page))
})

test('warcio.js reads a revisit and what it refers to', async () => {
  const first = madeUpExchange({ url: 'http://www.example.org/first', at: 1_700_000_001_234 })
  const { file } = await volumeOf([first, madeUpExchange({ url: 'http://www.example.org/second' })], true)
  const revisit = (await readByWarcio(file)).find(({ type }) => type === 'revisit')
  assert.equal(revisit?.header('WARC-Refers-To-Target-URI'), first.url)
  assert.equal(revisit?.header('WARC-Refers-To-Date'), '2023-11-14T22:13:21.234Z')
  assert.equal(revisit?.status, 200)
  assert.equal(revisit?.body.length, 0)
})
