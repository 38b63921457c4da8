import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_LISTED, parseSitemap } from './sitemap.ts'

const read = (text: string | Uint8Array, charset?: string) =>
  parseSitemap(typeof text === 'string' ? Buffer.from(text) : text, charset)
const locs = (text: string | Uint8Array, charset?: string) => read(text, charset).urls.map(({ loc }) => loc)
const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const urlset = (...urls: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${NS}>${urls.join('\n')}</urlset>`

test('a urlset: URLs and when they changed; priorities say nothing', () => {
  const text = urlset(
    '<url><loc>http://a.test/</loc><lastmod>2024-02-29</lastmod><changefreq>daily</changefreq><priority>1</priority></url>',
    '<url>\n  <loc>\n http://a.test/x?a=1&amp;b=2\n </loc>\n</url>',
    '<url><lastmod>yesterday</lastmod><loc>http://a.test/y</loc></url>',
    '<url></url><url/>',
  )
  assert.deepEqual(read(text), {
    kind: 'urlset',
    urls: [
      { loc: 'http://a.test/', lastmod: Date.UTC(2024, 1, 29) },
      { loc: 'http://a.test/x?a=1&b=2' },
      { loc: 'http://a.test/y' },
    ],
    sitemaps: [],
    troubles: ['1 entries without a URL', '1 dates not understood'],
  })
})

test('an index names sitemaps', () => {
  const text = `<sitemapindex ${NS}><sitemap><loc>http://a.test/1.xml.gz</loc><lastmod>2024</lastmod></sitemap>
    <sitemap><loc>http://a.test/2.xml</loc></sitemap></sitemapindex>`
  const { kind, urls, sitemaps } = read(text)
  assert.deepEqual([kind, urls, sitemaps], ['index', [], ['http://a.test/1.xml.gz', 'http://a.test/2.xml']])
})

test('plain text: one URL a line, in every kind of line', () => {
  assert.deepEqual(read('\ufeffhttp://a.test/1\r\n\r\nhttps://a.test/2 \rnot one\nHTTP://a.test/3'), {
    kind: 'text',
    urls: [{ loc: 'http://a.test/1' }, { loc: 'https://a.test/2' }, { loc: 'HTTP://a.test/3' }],
    sitemaps: [],
    troubles: [],
  })
  assert.deepEqual(locs('# our pages\n\n http://a.test/1\nhttp://a.test/2'), ['http://a.test/1', 'http://a.test/2'])
  assert.equal(read('<html>\nhttp://a.test/1').kind, 'unknown')
  const warned = 'Notice: see\nhttp://php.test/notice\n<urlset><url><loc>http://a.test/1</loc></url></urlset>'
  assert.deepEqual(locs(warned), ['http://a.test/1'])
})

test('prefixes, and the extensions that are no pages', () => {
  const text = `<sm:urlset xmlns:sm="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i">
    <sm:url><sm:loc>http://a.test/1</sm:loc><image:image><image:loc>http://a.test/1.png</image:loc></image:image>
      <video:video><video:player_loc>http://a.test/v</video:player_loc><video:url>http://a.test/u</video:url></video:video>
      <news:news><news:publication_date>2020-01-01</news:publication_date></news:news>
      <xhtml:link rel="alternate" hreflang="de" href="http://a.test/de"/><sm:lastmod>2021-01-01</sm:lastmod></sm:url>
    <sm:url><image:loc>http://a.test/2.png</image:loc><sm:loc>http://a.test/2</sm:loc></sm:url></sm:urlset>`
  assert.deepEqual(read(text).urls, [
    { loc: 'http://a.test/1', lastmod: Date.UTC(2021, 0, 1) },
    { loc: 'http://a.test/2' },
  ])
})

test('CDATA, comments, numbers and the five names; no other entity, no document type', () => {
  assert.deepEqual(
    locs(
      urlset(
        '<url><loc><![CDATA[http://a.test/1?a=1&b=&lt;]]></loc></url>',
        '<url><loc>http://a.test/<!-- <url><loc>no</loc> -->2</loc></url>',
        '<url><loc>http://a.test/&#51;&#x3f;&amp;&lt;&gt;&quot;&apos;</loc></url>',
        '<url><loc>http://a.test/&nbsp;&unknown;&#0;&#xd800;&amp;amp;</loc></url>',
        '<?php echo "<url><loc>no</loc></url>" ?>',
      ),
    ),
    [
      'http://a.test/1?a=1&b=&lt;',
      'http://a.test/2',
      'http://a.test/3?&<>"\'',
      'http://a.test/&nbsp;&unknown;&#0;&#xd800;&amp;',
    ],
  )
  const laughs = `<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY file SYSTEM "file:///etc/passwd">]>
    <urlset><url><loc>http://a.test/&b;&file;</loc></url></urlset>`
  assert.deepEqual(locs(laughs), ['http://a.test/&b;&file;'])
})

test('RSS 2.0: links of items, their guid where there is none; the channel is not an item', () => {
  const text = `<rss version="2.0" xmlns:atom="a" xmlns:dc="d"><channel><link>http://a.test/</link>
    <atom:link href="http://a.test/feed" rel="self"/><image><url>http://a.test/i.png</url></image>
    <item><title>1</title><link>http://a.test/1</link><guid isPermaLink="false">x</guid>
      <description>&lt;a href="http://a.test/no"&gt; <p>left <br> open</description>
      <pubDate>Thu, 23 Dec 2004 18:00:15 +0100</pubDate></item>
    <item><guid>http://a.test/2</guid><dc:date>2004-12-23</dc:date></item>
    <item><guid isPermaLink='false'>http://a.test/no</guid></item></channel></rss>`
  assert.deepEqual(read(text), {
    kind: 'rss',
    urls: [
      { loc: 'http://a.test/1', lastmod: Date.UTC(2004, 11, 23, 17, 0, 15) },
      { loc: 'http://a.test/2', lastmod: Date.UTC(2004, 11, 23) },
    ],
    sitemaps: [],
    troubles: ['1 entries without a URL'],
  })
})

test('RSS 1.0 is RDF', () => {
  const text = `<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="http://a.test/"><link>http://a.test/</link>
    <items><rdf:Seq><rdf:li resource="http://a.test/1"/></rdf:Seq></items></channel>
    <item rdf:about="http://a.test/1"><title>t</title><link>http://a.test/1</link><dc:date>2001-05</dc:date></item></rdf:RDF>`
  assert.deepEqual(read(text).urls, [{ loc: 'http://a.test/1', lastmod: Date.UTC(2001, 4, 1) }])
})

test('Atom: the alternate of each entry, and when it was updated', () => {
  const text = `<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://a.test/"/><link rel="self" href="http://a.test/feed"/>
    <entry><id>urn:1</id><published>2003-01-01</published><updated>2003-12-13T18:30:02Z</updated>
      <link rel="edit" href="http://a.test/edit"/><link href='/1?a&amp;b' type="text/html"></link>
      <source><link href="http://b.test/"/></source><content type="xhtml"><div><link href="no"/></div></content></entry>
    <entry><link rel="enclosure" href="http://a.test/m.mp3"/></entry></feed>`
  const { kind, urls } = read(text)
  assert.deepEqual([kind, urls], ['atom', [{ loc: '/1?a&b', lastmod: Date.UTC(2003, 11, 13, 18, 30, 2) }]])
})

test('what is malformed is read as far as it goes', () => {
  assert.deepEqual(locs('<urlset><url><loc>http://a.test/1</loc><url><loc>http://a.test/2</urlset>'), [
    'http://a.test/1',
    'http://a.test/2',
  ])
  assert.deepEqual(read('<urlset><url><loc>http://a.test/1<lastmod>2020</lastmod></url>').urls, [
    { loc: 'http://a.test/1', lastmod: Date.UTC(2020, 0, 1) },
  ])
  assert.deepEqual(locs('<url><loc>http://a.test/1</loc></url><url><loc>http://a.test/2</loc></url>'), [
    'http://a.test/1',
    'http://a.test/2',
  ])
  assert.deepEqual(
    locs('Warning: x in <b>y.php</b> on line <b>2</b><br />\n<urlset><url><loc>http://a.test/1</loc></url>'),
    ['http://a.test/1'],
  )
  assert.deepEqual(
    read('<urlset><url><loc>http://a.test/1<lastmod>2020</lastmod><loc>http://a.test/2<loc>http://a.test/3</url>').urls,
    [{ loc: 'http://a.test/1', lastmod: Date.UTC(2020, 0, 1) }, { loc: 'http://a.test/2' }, { loc: 'http://a.test/3' }],
  )
  assert.deepEqual(read('<urlset><url><loc>http://a.test/1</loc><loc/><lastmod>2020</lastmod></url></urlset>'), {
    ...{ kind: 'urlset', urls: [{ loc: 'http://a.test/1', lastmod: Date.UTC(2020, 0, 1) }], sitemaps: [] },
    troubles: [],
  })
  assert.deepEqual(
    locs('<urlset><url><image:image><image:loc>http://a.test/i</image:loc></image:image><loc>http://a.test/1</loc>'),
    ['http://a.test/1'],
  )
  assert.deepEqual(read('<sitemapindex><sitemap>\n http://a.test/1?a&amp;b\n</sitemap></sitemapindex>').sitemaps, [
    'http://a.test/1?a&b',
  ])
  assert.deepEqual(locs('<urlset><url <loc>http://a.test/1</loc ></url'), ['http://a.test/1'])
  assert.deepEqual(locs('<URLSET><URL><LOC>http://a.test/1</LOC></URL></URLSET>'), ['http://a.test/1'])
  assert.deepEqual(locs('<urlset><url><loc>http://a.test/1</loc></url><url><loc>http://a.te'), [
    'http://a.test/1',
    'http://a.te',
  ])
})

test('one that ends before its root does is torn', () => {
  const whole = urlset('<url><loc>http://a.test/1</loc></url>', '<url><loc>http://a.test/2</loc></url>')
  assert.deepEqual(read(whole).troubles, [])
  const torn = read(whole.slice(0, -12))
  assert.deepEqual([torn.urls.length, torn.troubles], [2, ['torn']])
  for (const fine of ['<urlset/>', '<url><loc>http://a.test/1</loc></url>', '<RSS:rss><channel></channel></RSS:rss>'])
    assert.deepEqual(read(fine).troubles, [], fine)
})

test('what is no sitemap lists nothing', () => {
  for (const text of [
    '',
    ' \n',
    'not a sitemap',
    '{"a": 1}',
    '<!doctype html><html><a href="http://a.test/">x</a>',
    '\0\0',
  ]) {
    assert.deepEqual(read(text), { kind: 'unknown', urls: [], sitemaps: [], troubles: [] }, text)
  }
})

test('charsets: marks, what HTTP or XML say, and what the bytes are', () => {
  const text = urlset('<url><loc>http://a.test/caf\u00e9</loc></url>')
  const expected = ['http://a.test/caf\u00e9']
  assert.deepEqual(locs(text), expected)
  assert.deepEqual(locs(text, 'iso-8859-1'), expected, 'UTF-8 that is called something else')
  assert.deepEqual(locs(Buffer.from(`\ufeff${text}`)), expected)
  assert.deepEqual(locs(Buffer.from(`\ufeff${text}`, 'utf16le')), expected)
  assert.deepEqual(locs(Buffer.from(text, 'utf16le')), expected)
  assert.deepEqual(locs(Buffer.from(`\ufeff${text}`, 'utf16le').swap16()), expected)
  assert.deepEqual(locs(Buffer.from(text.replace('UTF-8', 'ISO-8859-1'), 'latin1')), expected)
  assert.deepEqual(locs(Buffer.from(text.replace('encoding="UTF-8"', ''), 'latin1'), 'windows-1252'), expected)
  assert.deepEqual(locs(Buffer.from(text.replace('encoding="UTF-8"', ''), 'latin1'), 'nonsense'), expected)
})

test('bounds: 50,000 entries, 2,048 characters a URL', () => {
  const many = Array.from({ length: MAX_LISTED + 7 }, (_, i) => `<url><loc>http://a.test/${i}</loc></url>`)
  const { urls, troubles } = read(urlset(...many))
  assert.equal(urls.length, MAX_LISTED)
  assert.deepEqual(troubles, ['7 entries after the first 50000 left out'])
  const long = `http://a.test/${'x'.repeat(2048)}`
  const mixed = read(urlset(`<url><loc>${long}</loc></url>`, '<url><loc>http://a.test/1</loc></url>'))
  assert.deepEqual([mixed.urls.length, mixed.troubles], [1, ['1 URLs over 2048 characters left out']])
  assert.equal(read(`http://a.test/${'y'.repeat(1_000_000)}\nhttp://a.test/2`).urls.length, 1)
})
