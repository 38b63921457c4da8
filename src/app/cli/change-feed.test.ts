import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PageChange } from '../../collection/captures/read-changes.ts'
import { parseSitemap } from '../../web/sitemap/sitemap.ts'
import { changeFeed, MAX_ENTRIES } from './change-feed.ts'

const NOON = 1_704_110_400_000
const change = (n: number, more: Partial<PageChange> = {}): PageChange => ({
  ...{ id: n, url: `http://a.test/${n}?a=1&b=<2>`, at: NOON + n * 1000, change: 'changed', status: 200 },
  ...{ mediaType: 'text/html', digest: `sha1:${n}`, digestBefore: null, class: 'small', place: 'body > p' },
  ...more,
})
const OF = { collection: '/a & b', version: '1', at: NOON }

test('the feed has the latest changes, newest first, and a bounded number', () => {
  const feed = changeFeed(
    Array.from({ length: 250 }, (_, n) => change(n)),
    OF,
  )
  const updated = [...feed.matchAll(/<updated>([^<]+)<\/updated>/g)].map(([, at]) => at)
  assert.equal(updated.length, MAX_ENTRIES + 1)
  assert.equal(updated[0], updated[1], "the feed's own time is that of its newest entry")
  assert.deepEqual(updated.slice(1), updated.slice(1).sort().reverse())
  const ids = [...feed.matchAll(/<id>(urn:uuid:[0-9a-f-]{36})<\/id>/g)].map(([, id]) => id)
  assert.equal(new Set(ids).size, MAX_ENTRIES + 1)
})

test('a reader of feeds finds the pages, whatever their URLs', () => {
  const urls = ['http://a.test/x?a=1&b=2', 'http://a.test/"><entry>', 'http://b.test/\u0007\ud800\uffff']
  const feed = changeFeed(
    urls.map((url, n) => change(n, { url })),
    OF,
  )
  const { kind, urls: found } = parseSitemap(Buffer.from(feed), 'utf-8')
  assert.equal(kind, 'atom')
  assert.deepEqual(
    found.map(({ loc, lastmod }) => [loc, lastmod]),
    [
      ['http://b.test/[U+0007][U+D800][U+FFFF]', NOON + 2000],
      [urls[1], NOON + 1000],
      [urls[0], NOON],
    ],
  )
  assert.match(changeFeed([], OF), /<updated>2024-01-01T12:00:00.000Z<\/updated>/)
})
