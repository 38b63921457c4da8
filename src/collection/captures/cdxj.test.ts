import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cdxjLine, type IndexedCapture } from './cdxj.ts'

const page: IndexedCapture = {
  url: 'http://www.example.org/A?b=2&a=1',
  at: Date.UTC(2024, 1, 29, 12, 30, 59, 999),
  status: 200,
  mediaType: 'text/html; charset=utf-8',
  digest: 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ',
  length: 812,
  offset: 415,
  volume: 'a.warc.gz',
  kind: 'response',
}

test('a response as cdx-indexer writes it', () => {
  assert.equal(
    cdxjLine(page),
    'org,example)/a?a=1&b=2 20240229123059 {"url": "http://www.example.org/A?b=2&a=1", "mime": "text/html", ' +
      '"status": "200", "digest": "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "length": "812", "offset": "415", ' +
      '"filename": "a.warc.gz"}',
  )
})

test('a revisit has no status, an answer without a type is unk', () => {
  assert.match(cdxjLine({ ...page, kind: 'revisit' }), /"mime": "warc\/revisit", "digest": /)
  assert.match(cdxjLine({ ...page, mediaType: '' }), /"mime": "unk", "status": "200"/)
})

test('any URL gives one ASCII line with two fields and JSON', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const url = 'http://example.org/' + text
      const line = cdxjLine({ ...page, url })
      assert.match(line, /^[\x20-\x7e]*$/)
      const json = /^\S+ \d{14} (\{.*\})$/.exec(line)?.[1]
      assert.equal((JSON.parse(json ?? '{}') as { url: string }).url, url)
    }),
  )
})
