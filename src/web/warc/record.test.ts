import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sha1 } from '../../base/digest.ts'
import { seededRandom } from '../../base/random.ts'
import { parseRecord } from './reader.ts'
import { recordIds, requestHead, responseHead, revisitHead, warcinfoBlock, warcinfoHead } from './record.ts'

const AT = 1_700_000_000_123
const nextId = recordIds(seededRandom(1), 'test')

function record(url = 'http://example.org/', block = Buffer.from('block')) {
  const common = { id: nextId(), at: AT, url, ip: '192.0.2.1', concurrentTo: nextId() }
  return { ...common, protocols: ['http/1.1', 'tls/1.3'], blockDigest: sha1(block), length: block.length }
}

function parsed(head: string, block = Buffer.from('block')) {
  const bytes = Buffer.concat([Buffer.from(head), block, Buffer.from('\r\n\r\n')])
  const read = parseRecord({ offset: 0, length: bytes.length, bytes })
  assert.equal(read.kind, 'record', read.kind === 'fault' ? read.detail : '')
  return read.kind === 'record' ? read : assert.fail()
}

test('a response carries all that a reader needs', () => {
  const made = record()
  const { headers, version } = parsed(
    responseHead({ ...made, payloadDigest: sha1(Buffer.from('x')), truncated: 'length', certificate: 'expired' }),
  )
  assert.equal(version, '1.1')
  assert.deepEqual(headers.lines, [
    ['WARC-Type', 'response'],
    ['WARC-Record-ID', `<${made.id}>`],
    ['WARC-Date', '2023-11-14T22:13:20.123Z'],
    ['WARC-Target-URI', 'http://example.org/'],
    ['WARC-Concurrent-To', `<${made.concurrentTo}>`],
    ['WARC-IP-Address', '192.0.2.1'],
    ['WARC-Protocol', 'http/1.1'],
    ['WARC-Protocol', 'tls/1.3'],
    ['WARC-Payload-Digest', sha1(Buffer.from('x'))],
    ['WARC-Truncated', 'length'],
    ['X-Crawler-Certificate', 'expired'],
    ['WARC-Block-Digest', made.blockDigest],
    ['Content-Type', 'application/http;msgtype=response'],
    ['Content-Length', '5'],
  ])
  assert.equal(headers.uri('warc-record-id'), made.id)
  assert.deepEqual(headers.all('WARC-Protocol'), ['http/1.1', 'tls/1.3'])
})

test('a revisit names the original by URL and exact date', () => {
  const original = { url: 'http://example.org/first', at: AT - 1 }
  const made = { ...record(), payloadDigest: 'sha1:X', original, profile: 'identical-payload-digest' } as const
  const { headers } = parsed(revisitHead(made))
  assert.equal(headers.get('WARC-Profile'), 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest')
  assert.equal(headers.get('WARC-Refers-To-Target-URI'), original.url)
  assert.equal(headers.get('WARC-Refers-To-Date'), '2023-11-14T22:13:20.122Z')
  const unmodified = parsed(revisitHead({ ...made, profile: 'server-not-modified' })).headers
  assert.equal(unmodified.get('WARC-Profile'), 'http://netpreserve.org/warc/1.1/revisit/server-not-modified')
})

test('requests, notes and the first record', () => {
  assert.equal(parsed(requestHead(record())).headers.get('Content-Type'), 'application/http;msgtype=request')
  const info = { software: 'orbweaver/1\r\nforged: yes', userAgent: 'orbweaver/1 (+x)', robots: 'obey' }
  const block = Buffer.from(warcinfoBlock(info, 'box'))
  assert.ok(!block.toString().includes('\r\nforged'))
  assert.ok(!block.toString().includes('operator'))
  const head = warcinfoHead({
    id: nextId(),
    at: AT,
    filename: 'a.warc.gz',
    blockDigest: sha1(block),
    length: block.length,
  })
  assert.equal(parsed(head, block).headers.get('WARC-Filename'), 'a.warc.gz')
})

test('no URL and no value makes a header line or ends the head', () => {
  const hostile = fc.string({
    unit: fc.constantFrom('\r', '\n', '\r\n', ':', ' ', 'WARC-Type', 'x', '\t', '\0', 'é', '\u2028'),
  })
  fc.assert(
    fc.property(hostile, hostile, (url, ip) => {
      const usual = parsed(responseHead({ ...record('http://e/'), payloadDigest: 'sha1:X' })).headers.lines.length
      const made = { ...record('http://e/' + url), ip: 'x' + ip, payloadDigest: 'sha1:X' }
      const { headers } = parsed(responseHead(made))
      assert.equal(headers.lines.length, usual)
      assert.equal(headers.all('WARC-Type').length, 1)
    }),
  )
})

test('lengths that lie are faults', () => {
  const whole = `WARC/1.1\r\nContent-Length: 5\r\n\r\nblock\r\n\r\n`
  const wrong = [
    whole.replace('5', '4'),
    whole.replace('5', '6'),
    whole.replace('5', '99999999999999'),
    whole.replace('5', '-1'),
    whole.replace('5', 'five'),
    whole.replace('WARC/1.1', 'HTTP/1.1'),
    whole.slice(0, 20),
    '',
  ]
  for (const text of wrong) {
    const bytes = Buffer.from(text)
    assert.equal(parseRecord({ offset: 0, length: bytes.length, bytes }).kind, 'fault', text)
  }
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void parseRecord({ offset: 0, length: 0, bytes })))
})

test('names of records are UUIDs of version 4, and differ between writers with the same seed', () => {
  const [a, b] = ['one', 'two'].map((writer) => recordIds(seededRandom(5), writer))
  const seen = new Set<string>()
  for (let i = 0; i < 2000; i++) for (const id of [a(), b()]) seen.add(id)
  assert.equal(seen.size, 4000)
  for (const id of seen)
    assert.match(id, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})
