import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { cdxReader, indexedUrls } from './cdx.ts'
import { all, brief, chunksOf, line } from './sources.test-data.ts'

const read = async (text: string | Uint8Array) => (await all(indexedUrls(chunksOf(text)))).found.map(brief)
const cdxj = (url: string, more: object = {}) =>
  `com,example)/ 20200101000000 ${JSON.stringify({ url, mime: 'text/html', status: '200', ...more })}`

test('CDXJ: what answered, revisits too; dns and failures not', async () => {
  const text = [
    '!meta {"format": "cdxj"}',
    cdxj('http://example.com/'),
    cdxj('https://example.com/a?b=c', { status: '301' }),
    cdxj('http://example.com/gone', { status: '404' }),
    cdxj('http://example.com/again', { mime: 'warc/revisit', status: undefined }),
    cdxj('dns:example.com', { mime: 'text/dns', status: undefined }),
    'com,example)/x 20200101000000 {"url": "http://exa',
    '{"urlkey": "com,example)/j", "timestamp": "20200101000000", "url": "http://example.com/j", "status": 200}',
    'com,example)/ 20200101000000 {"mime": "text/html"}',
    cdxj('ftp://example.com/'),
    'com,example)/{id} 20200101000000 {"url": "http://example.com/{id}", "status": "200"}',
  ].join('\n')
  const expected = [
    '2 http://example.com/',
    '3 https://example.com/a?b=c',
    '4 refused http://example.com/gone: it was captured with status 404',
    '5 http://example.com/again',
    '7 refused com,example)/x 20200101000000 {"url": "http://exa: it contains invalid JSON',
    '8 http://example.com/j',
    '9 refused com,example)/ 20200101000000 {"mime": "text/html"}: it has no URL',
    '10 refused ftp://example.com/: it is not a URL that can be crawled',
    '11 http://example.com/%7Bid%7D',
  ]
  assert.deepEqual(await read(text), expected)
  assert.deepEqual(await read(gzipSync(text)), expected)
})

test('CDX of 11 and 9 columns, with and without its first line, in another order', async () => {
  const eleven = 'com,example)/ 20200101000000 http://example.com/ text/html 200 SHA - - 123 456 a.warc.gz'
  const nine = 'com,example)/b 20200101000000 http://example.com/b text/html 404 SHA - 456 a.arc.gz'
  assert.deepEqual(await read(` CDX N b a m s k r M S V g\n${eleven}`), ['2 http://example.com/'])
  assert.deepEqual(await read(`${eleven}\n${nine}`), [
    '1 http://example.com/',
    '2 refused http://example.com/b: it was captured with status 404',
  ])
  assert.deepEqual(await read(' CDX a b s\nhttp://example.com/ 2020 200\nhttp://example.com/x 2020 500\n'), [
    '2 http://example.com/',
    '3 refused http://example.com/x: it was captured with status 500',
  ])
  assert.deepEqual(await read('\tCDX\ta\ts\nhttp://example.com/a b\t200\n'), ['2 http://example.com/a%20b'])
  assert.deepEqual(await read('some words that are no index\n'), [
    '1 refused some words that are no index: it is not a line of an index',
  ])
})

test('an index without a column of URLs is refused', async () => {
  const { damage } = await all(indexedUrls(chunksOf(' CDX N b m s\nx y z w\n')))
  assert.match(damage ?? '', /no column of URLs/)
})

test('the media type is passed on where it is meaningful', async () => {
  const { found } = await all(
    indexedUrls(
      chunksOf([cdxj('http://a.test/i', { mime: 'image/PNG' }), cdxj('http://a.test/j', { mime: 'unk' })].join('\n')),
    ),
  )
  assert.deepEqual(
    found.map((one) => (one.kind === 'seed' ? one.mediaType : 'none')),
    ['image/png', undefined],
  )
})

test('any line yields a URL, a refusal or nothing', () => {
  const pieces = fc.constantFrom(
    ' ',
    '{',
    '}',
    '"url"',
    ':',
    '"http://a.test/"',
    '20200101',
    'com,a)/',
    '-',
    '200',
    ' CDX ',
    'a',
    'null',
    '[',
    ',',
    '"status"',
    'http://a.test/',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.array(pieces, { maxLength: 15 }).map((list) => list.join('')),
    fc.array(pieces, { maxLength: 15 }).map((list) => list.join(' ')),
    fc.json().map((json) => `com,a)/ 2020 ${json}`),
  )
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 3 }), (text, number) => {
      // The only line that may end the reading is a first line that has no URLs.
      if (/^.CDX /.test(text) && !/ a( |$)/.test(text)) return
      if (/^.CDX /.test(text)) return
      for (const one of cdxReader()(line(text, number))) {
        assert.ok(one.kind !== 'note' && one.at === number)
        if (one.kind === 'seed') assert.match(one.url.href, /^https?:/)
        else assert.ok(one.text.length <= 80)
      }
    }),
    { numRuns: 5000 },
  )
})
