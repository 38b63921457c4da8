import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { all, brief, chunksOf } from './sources.test-data.ts'
import { capturedUrls } from './warc-targets.ts'

const read = async (bytes: Uint8Array, size = 1000) => {
  const { found, damage } = await all(capturedUrls(chunksOf(bytes, size)))
  return damage === undefined ? { found: found.map(brief) } : { found: found.map(brief), damage }
}

const record = (type: string, url: string, block: string | Uint8Array, version = '1.0') => {
  const head = `WARC/${version}\r\nWARC-Type: ${type}\r\nWARC-Target-URI: ${url}\r\nContent-Length: ${Buffer.byteLength(block)}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), Buffer.from(block), Buffer.from('\r\n\r\n')])
}
const answer = (status: number, body = 'hello', type = 'text/html') =>
  `HTTP/1.1 ${status} OK\r\nContent-Type: ${type}\r\n\r\n${body}`

const records = [
  record('warcinfo', 'x.warc', 'software: x\r\n'),
  record('request', 'http://a.test/', 'GET / HTTP/1.1\r\n\r\n'),
  record('response', 'http://a.test/', answer(200, 'x'.repeat(50_000))),
  record('response', '<http://a.test/brackets>', answer(302), '1.1'),
  record('response', 'http://a.test/missing', answer(404)),
  record('revisit', 'http://a.test/again', 'HTTP/1.1 200 OK\r\n\r\n'),
  record('revisit', 'http://a.test/bare', ''),
  record('response', 'dns:a.test', '20200101\na.test. 1 IN A 1.2.3.4'),
  record('response', 'http://a.test/image', answer(200, 'x', 'image/png; x=y')),
  record('metadata', 'http://a.test/', 'via: x\r\n'),
]
const expected = [
  '3 http://a.test/',
  '4 http://a.test/brackets',
  '5 refused http://a.test/missing: it was captured with status 404',
  '6 http://a.test/again',
  '7 http://a.test/bare',
  '9 http://a.test/image',
]

test('responses and revisits, plain, packed by record, packed as a whole, in pieces of any size', async () => {
  const plain = Buffer.concat(records)
  for (const bytes of [plain, Buffer.concat(records.map((one) => gzipSync(one))), gzipSync(plain)])
    for (const size of [7, 1000, 1e7]) assert.deepEqual(await read(bytes, size), { found: expected })
  const { found } = await all(capturedUrls(chunksOf(plain)))
  assert.deepEqual(
    found.flatMap((one) => (one.kind === 'seed' ? [one.mediaType] : [])),
    ['text/html', 'text/html', undefined, undefined, 'image/png'],
  )
})

test('a truncated file yields its content and the position of its end', async () => {
  const plain = Buffer.concat(records.slice(0, 4))
  const torn = await read(plain.subarray(0, plain.length - 30))
  assert.deepEqual(torn.found, expected.slice(0, 2))
  assert.match(torn.damage ?? '', /ends inside record 4/)
  const inHead = await read(Buffer.concat([records[2], records[3].subarray(0, 20)]))
  assert.deepEqual(inHead.found, ['1 http://a.test/'])
  assert.match(inHead.damage ?? '', /inside the header of a record \(record 2, byte/)
  const packed = Buffer.concat(records.slice(0, 4).map((one) => gzipSync(one)))
  const tornPacked = await read(packed.subarray(0, packed.length - 10))
  assert.equal(tornPacked.found[0], expected[0])
  assert.match(tornPacked.damage ?? '', /ends inside/)
})

test('a length that is wrong by a byte costs one record, and not those behind it', async () => {
  const wrong = (by: number) =>
    Buffer.from(
      String(records[3]).replace(/Content-Length: (\d+)/, (_, length) => `Content-Length: ${Number(length) + by}`),
    )
  for (const size of [1, 7, 1e7]) {
    assert.deepEqual((await read(Buffer.concat([records[2], wrong(-1), records[5]]), size)).found, [
      '1 http://a.test/',
      '2 http://a.test/brackets',
      '3 refused 5 bytes: no record begins where one should',
      '3 http://a.test/again',
    ])
    // The next record's first letters are in this one's block.
    const { found } = await read(Buffer.concat([wrong(6), records[5], records[6]]), size)
    assert.deepEqual(found, [
      '1 http://a.test/brackets',
      `2 refused ${records[5].length - 2} bytes: no record begins where one should`,
      '2 http://a.test/bare',
    ])
  }
  const rubbish = await read(Buffer.concat([records[2], Buffer.from('rubbish'), records[5]]))
  assert.deepEqual(rubbish.found, ['1 http://a.test/'])
  assert.match(rubbish.damage ?? '', /no record begins where one should \(record 2, byte \d+/)
})

test('other files and endless headers are reported', async () => {
  assert.match((await read(Buffer.from('<html>'))).damage ?? '', /is not a WARC file/)
  assert.match(
    (await read(Buffer.from('WARC/1.0\r\nWARC-Type: response\r\n\r\n'))).damage ?? '',
    /without a Content-Length/,
  )
  const endless = Buffer.from(`WARC/1.0\r\nX: ${'y'.repeat(300_000)}`)
  assert.match((await read(endless)).damage ?? '', /header does not end/)
  for (const empty of [Buffer.alloc(0), gzipSync('')])
    assert.deepEqual((await all(capturedUrls(chunksOf(empty)))).found, [{ kind: 'note', what: 'it is empty' }])
})

test('flipped or cut bytes are reported as damage and nothing else is thrown', async () => {
  const plain = Buffer.concat(records.slice(0, 7).filter((_, i) => i !== 2))
  const flips = fc.array(fc.tuple(fc.nat(plain.length - 1), fc.integer({ min: 1, max: 255 })), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(
      flips,
      fc.nat(plain.length),
      fc.boolean(),
      fc.integer({ min: 1, max: 500 }),
      async (list, cut, isPacked, size) => {
        const bytes = Buffer.from(plain)
        for (const [at, mask] of list) bytes[at] ^= mask
        const packed = isPacked ? gzipSync(bytes.subarray(0, cut)) : bytes.subarray(0, cut)
        const { found } = await read(packed, size)
        assert.ok(found.length <= records.length)
      },
    ),
    { numRuns: 500 },
  )
})

test('an answer whose status line no browser reads was captured with the status that it says', async () => {
  const odd = ['HTTP/1.1 404Not Found', 'HTTP/0.9 404 x', 'HTTP/1.1 000 X'].map((line) =>
    record('response', 'http://a.test/odd', `${line}\r\n\r\n`),
  )
  const { found } = await read(Buffer.concat(odd))
  assert.deepEqual(
    found.map((one) => /status (\d+)/.exec(one)?.[1]),
    ['404', '404', '000'],
  )
})
