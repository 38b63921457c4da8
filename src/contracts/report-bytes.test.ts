import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { packLinks } from './adjacency.ts'
import { CHANGE_CLASSES, type Change } from './change.ts'
import { decodeLinks, decodeReport } from './decode-report.ts'
import { encodeLinks, encodeReport } from './encode-report.ts'
import type { Outcome } from './outcome.ts'
import type { Capture, Finding, Link, PageReport, VisitReport } from './report.ts'
import { freshMemory } from './site-memory.ts'
import type { PageMemory } from './visit.ts'

// A byte order mark at the start of a text is not kept by the ground's decoder; no URL and no header has one.
const text = fc.string({ unit: 'binary', maxLength: 60 }).map((t) => t.replace(/[\ud800-\udfff\ufeff]/g, 'x'))
const url = fc.oneof(
  fc.constantFrom('http://a.test/', 'http://a.test/long/path/page-1.html', 'http://a.test/𝒳', 'http://a.test/𝒴z'),
  fc.webUrl(),
  text,
)
const key = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const whole = fc.nat()
const instant = fc.oneof(
  fc.nat(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0),
)
const digest = fc.oneof(fc.constant('sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'), text)
const maybe = <K extends string, T>(name: K, value: fc.Arbitrary<T>) =>
  fc.oneof(
    fc.constant({}),
    value.map((v) => ({ [name]: v })),
  )
const joined = <T>(...parts: fc.Arbitrary<object>[]): fc.Arbitrary<T> =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all) as T)

const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(model, { noNullPrototype: true })

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  record({ kind: fc.constant('kept' as const), how: fc.constantFrom('first', 'changed', 'same') }),
  record({ kind: fc.constant('moved' as const), to: url }),
  record({ kind: fc.constant('refused' as const), by: fc.constantFrom('robots', 'scope'), rule: text }),
  record({
    kind: fc.constant('refused' as const),
    by: fc.constant('hazard' as const),
    rule: text,
    held: fc.constant(true as const),
  }),
  record({ kind: fc.constant('gone' as const), why: fc.constantFrom('dns', 'status-404') }),
  joined<Outcome>(
    record({ kind: fc.constant('read' as const), as: fc.constant('sitemap' as const), urls: whole }),
    maybe('same', fc.constant(true as const)),
  ),
  record({ kind: fc.constant('later' as const), why: fc.constantFrom('reset', 'connect'), notBefore: instant }),
)
const capture: fc.Arbitrary<Capture> = record({
  volume: text,
  offset: fc.maxSafeNat(),
  length: whole,
  digest,
  kind: fc.constantFrom('response', 'revisit'),
})
const memory = joined<PageMemory>(
  record({ digest, textDigest: key, simhash: key }),
  maybe('etag', text),
  maybe('lastModified', text),
  maybe('sketch', fc.uint8Array({ maxLength: 700 })),
)
const page = joined<PageReport>(
  record({
    url,
    key,
    depth: whole,
    path: text,
    at: instant,
    status: fc.integer({ min: -9999, max: 999 }),
    mediaType: text,
    bytes: fc.maxSafeNat(),
    tookMs: instant,
    tries: whole,
    outcome,
    title: text,
    links: fc.array(record({ key })).map(packLinks),
    annotations: fc.array(text, { maxLength: 3 }),
    ownRequest: fc.boolean(),
  }),
  maybe('via', url),
  maybe('capture', capture),
  maybe('memory', memory),
  maybe('sniffed', text),
  maybe('language', text),
  maybe(
    'change',
    joined<Change>(record({ class: fc.constantFrom(...CHANGE_CLASSES) }), maybe('place', text.filter(Boolean))),
  ),
)
const link = joined<Link>(
  record({ url, key, site: text, depth: whole, via: url, path: text }),
  maybe('lastmod', instant),
  maybe('spelling', fc.constant(true)),
)
const finding = joined<Finding>(
  record({ rule: text, evidence: text, at: instant }),
  maybe('pattern', text),
  maybe('examples', fc.array(text, { minLength: 1, maxLength: 3 })),
  maybe('withdrawn', fc.constant(true)),
)
const { robots: _, ...counted } = freshMemory()
const report = joined<VisitReport>(
  record({
    visit: text,
    fence: whole,
    site: text,
    part: whole,
    pages: fc.array(page, { maxLength: 5 }),
    found: fc.array(link, { maxLength: 8 }),
    crossSite: fc.array(link, { maxLength: 4 }),
    findings: fc.array(finding, { maxLength: 2 }),
    counts: fc
      .dictionary(text, fc.maxSafeNat(), { maxKeys: 5, noNullPrototype: true })
      .map((d) => new Map(Object.entries(d))),
    memory: joined(
      fc.constant(counted),
      maybe(
        'robots',
        fc.constantFrom({}, { https: { state: 'rules', at: 1, status: 200, text: 'User-agent: \u03b1' } }),
      ),
      maybe('traps', fc.constant({ suspects: [] })),
      maybe('stopped', text),
    ),
    courtesy: joined(
      record({ pause: instant, notBefore: instant }),
      maybe('lastAnswerAt', instant),
      maybe('address', text),
      maybe('connectMs', instant),
    ),
  }),
  maybe('learnt', fc.constantFrom({ alias: { to: 'www.a.test', how: 'redirect' } }, { requeue: true })),
  maybe('ended', fc.constantFrom('done', 'slice', 'stopped', 'elsewhere', 'silent', 'given-up')),
)

test('a report comes back as it went', () => {
  fc.assert(
    fc.property(report, (sent) => {
      assert.deepEqual(decodeReport(encodeReport(sent)), sent)
      assert.deepEqual(decodeLinks(encodeLinks(sent.crossSite)), sent.crossSite)
    }),
    { numRuns: 300 },
  )
})

test('damage is a RangeError, or another report, but never anything else', () => {
  fc.assert(
    fc.property(report, fc.nat(), fc.nat(255), fc.boolean(), (sent, at, byte, cut) => {
      const bytes = encodeReport(sent)
      const place = at % bytes.length
      const damaged = cut ? bytes.slice(0, place) : bytes.with(place, byte)
      try {
        decodeReport(damaged)
        assert.ok(!cut, 'a shortened report was taken for whole')
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
      }
    }),
    { numRuns: 500 },
  )
})

test('forty links of a page cost little more than what is new in each', () => {
  const via = 'http://www.example.test/a/rather/long/path/to/the/page.html'
  const found = Array.from({ length: 40 }, (_, i) => ({
    url: `http://www.example.test/a/rather/long/path/to/another-${i}.html`,
    key: BigInt(i),
    site: 'www.example.test',
    depth: 3,
    via,
    path: 'LLL',
  }))
  const empty = { findings: [], counts: new Map(), memory: freshMemory(), courtesy: { pause: 1, notBefore: 1 } }
  const sent = { visit: 'v', fence: 1, site: 'www.example.test', part: 1, pages: [], found, crossSite: [], ...empty }
  assert.ok(encodeReport(sent).length < 40 * 30 + 400)
})

test('half a surrogate pair does not shift the words after it', () => {
  const empty = { findings: [], counts: new Map(), memory: freshMemory(), courtesy: { pause: 1, notBefore: 1 } }
  const found = ['a\ud800', 'a\ufffd', 'b', 'c'].map((site) => ({
    url: site,
    key: 1n,
    site,
    depth: 1,
    via: 'v',
    path: 'L',
  }))
  const sent = { visit: 'v', fence: 1, site: 's', part: 1, pages: [], found, crossSite: found, ...empty }
  const got = decodeReport(encodeReport(sent))
  assert.deepEqual(
    got.crossSite.map((link) => link.site),
    ['a\ufffd', 'a\ufffd', 'b', 'c'],
  )
})

test('a section of the site memory that is null is damage', () => {
  for (const section of ['robots', 'traps']) {
    const { robots: _, ...memory } = freshMemory()
    const sent = { visit: 'v', fence: 1, site: 's', part: 1, pages: [], found: [], crossSite: [], findings: [] }
    const odd = { ...memory, toJSON: () => ({ ...memory, [section]: null }) }
    const bytes = encodeReport({ ...sent, counts: new Map(), memory: odd, courtesy: { pause: 1, notBefore: 1 } })
    assert.throws(() => decodeReport(bytes), RangeError)
  }
})

test('another version is refused', () => {
  assert.throws(() => decodeReport(new Uint8Array([9, 0, 0])), RangeError)
})
