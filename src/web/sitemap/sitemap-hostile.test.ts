/** 6,000 hostile sitemaps and feeds, and some that are large: none throws, and none costs more than its length allows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LONGEST_LOC, parseSitemap, STEPS_A_STRETCH, sitemapInStretches } from './sitemap.ts'

/** Seven kinds of things are searched for, each passes over the text once; then the text, a token a letter, two attributes. */
const STEPS_A_CHARACTER = 11

function examine(bytes: Uint8Array, charset?: string): void {
  const effort = { steps: 0 }
  const { urls, sitemaps, troubles } = parseSitemap(bytes, charset, effort)
  assert.ok(effort.steps <= STEPS_A_CHARACTER * bytes.length + 100, `${effort.steps} steps for ${bytes.length} bytes`)
  for (const { loc, lastmod } of urls) {
    assert.ok(loc !== '' && loc.length <= LONGEST_LOC && Number.isFinite(lastmod ?? 0))
  }
  assert.ok(sitemaps.every((loc) => loc !== '' && loc.length <= LONGEST_LOC))
  assert.ok(troubles.length <= 5)
}

const PIECES = [
  '<?xml version="1.0" encoding="utf-8"?>',
  '<!DOCTYPE x [<!ENTITY a "b">]>',
  '<!DOCTYPE',
  '<urlset>',
  '</urlset>',
  '<sitemapindex>',
  '<rss><channel>',
  '<rdf:RDF>',
  '<feed>',
  '<url>',
  '</url>',
  '<sitemap>',
  '<item>',
  '</item>',
  '<entry>',
  '<loc>',
  '</loc>',
  '<link>',
  '<link href="http://a.test/',
  '"/>',
  '<lastmod>2020-01-01</lastmod>',
  '<image:loc>',
  '<![CDATA[',
  ']]>',
  '<!--',
  '-->',
  '<?',
  '?>',
  '<',
  '>',
  '&amp;',
  '&#99999999;',
  '&a;',
  '[',
  ']',
  'http://a.test/x\n',
  '\0',
  '\ud800',
]

test('3,000 sitemaps thrown together from pieces', () => {
  const text = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary', maxLength: 8 })), {
    maxLength: 60,
  })
  const encoded = fc
    .tuple(text, fc.constantFrom('utf8', 'latin1', 'utf16le'))
    .map(([parts, encoding]) => Buffer.from(parts.join(''), encoding as BufferEncoding))
  fc.assert(
    fc.property(encoded, fc.option(fc.constantFrom('utf-8', 'utf-16', 'koi8-r', 'x')), (bytes, charset) =>
      examine(bytes, charset ?? undefined),
    ),
    { numRuns: 3000 },
  )
})

test('3,000 ordinary sitemaps with pieces cut out and put in', () => {
  const ordinary = [
    `<?xml version="1.0"?><urlset>${'<url><loc>http://a.test/1</loc><lastmod>2020</lastmod></url>'.repeat(5)}</urlset>`,
    `<rss><channel>${'<item><link>http://a.test/1</link><pubDate>1 Jan 2020 00:00:00 GMT</pubDate></item>'.repeat(4)}</channel></rss>`,
    `<feed>${'<entry><link href="http://a.test/1"/><updated>2020-01-01</updated></entry>'.repeat(4)}</feed>`,
  ]
  const change = fc.tuple(fc.nat(), fc.nat(30), fc.oneof(fc.constantFrom(...PIECES), fc.constant('')))
  fc.assert(
    fc.property(fc.constantFrom(...ordinary), fc.array(change, { maxLength: 8 }), (text, changes) => {
      let out = text
      for (const [where, length, put] of changes) {
        const at = where % (out.length + 1)
        out = out.slice(0, at) + put + out.slice(at + length)
      }
      examine(Buffer.from(out))
    }),
    { numRuns: 3000 },
  )
})

test('large ones made to be slow', () => {
  const million = 1_000_000
  const url = '<url><loc>http://a.test/</loc></url>'
  for (const text of [
    '<'.repeat(million),
    `<urlset>${'<'.repeat(million)}`,
    '<urlset>' + '<a '.repeat(million / 3),
    '<urlset>' + '<a>'.repeat(million / 3),
    '<urlset>' + '<url>'.repeat(million / 5),
    '<urlset>' + '<!'.repeat(million / 2),
    `<urlset>${'<!>'.repeat(million / 3)}[`,
    `<urlset>${'<!['.repeat(million / 3)}>`,
    '<urlset>' + '<!--'.repeat(million / 4),
    '<urlset>' + '<?'.repeat(million / 2),
    '<urlset><url><loc>' + '<![CDATA['.repeat(million / 9),
    '<urlset><url><loc>' + '&'.repeat(million),
    '<urlset><url><loc>' + '&#'.repeat(million / 2),
    '<feed><entry><link ' + 'href='.repeat(million / 5) + '/>',
    `<feed>${'<entry><link a="b" />'.repeat(million / 20)}`,
    `<feed><entry>${'<link'.repeat(million / 5)}>`,
    `<feed><entry>${`<link ${'a'.repeat(15_000)}/>`.repeat(60)}`,
    `<feed><entry>${`<link ${'a '.repeat(7_000)}/>`.repeat(60)}`,
    `<feed><entry>${`<link ${'a="'.repeat(5_000)}/>`.repeat(60)}`,
    `<rss><item>${`<guid ${'= '.repeat(7_000)}/>`.repeat(60)}`,
    `<urlset>${'<x>'.repeat(million / 10)}${url}${'</x>'.repeat(million / 10)}`,
    `<!DOCTYPE a [${'<!ENTITY a "&a;&a;">'.repeat(million / 20)}]>${url}`,
    'http://a.test/'.repeat(million / 14),
    'http:\n'.repeat(million / 6),
    ' '.repeat(million),
  ]) {
    examine(Buffer.from(text))
  }
})

test('a long one is read in stretches, none of which passes over more than its share', () => {
  const entry = '<url><loc>http://a.test/page</loc><lastmod>2026-01-01</lastmod></url>\n'
  for (const text of [`<urlset>${entry.repeat(60_000)}</urlset>`, 'http://a.test/page\n'.repeat(200_000)]) {
    const reading = sitemapInStretches(Buffer.from(text), undefined)
    let stretches = 1
    let step = reading.next()
    for (; !step.done; step = reading.next()) stretches++
    assert.deepEqual(step.value, parseSitemap(Buffer.from(text), undefined))
    // One entry may lie across the border; those of decoding come on top.
    assert.ok(stretches >= text.length / (STEPS_A_STRETCH + entry.length), `${stretches} for ${text.length} characters`)
  }
})

test('letters that lie across the border of two stretches of decoding are whole', () => {
  for (const shift of [0, 1, 2]) {
    const text = `http://a.test/${'x'.repeat(shift)}\n${'http://a.test/€\n'.repeat(100_000)}`
    const { urls } = parseSitemap(Buffer.from(text), undefined)
    assert.ok(urls.slice(1).every(({ loc }) => loc === 'http://a.test/€'))
  }
})
