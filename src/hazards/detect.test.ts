import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hash64 } from '../base/digest.ts'
import { freshMemory, type SiteMemory } from '../visit/site-memory.ts'
import { countRefused, judgePage, learnProbe, refusalOf } from './detect.ts'
import { takenBy } from './open-families.ts'
import type { PageFacts } from './page-facts.ts'
import { NO_LIMITS } from './traces.test-data.ts'

const word = fc.constantFrom(
  'a',
  'b',
  'x',
  '2024',
  '7',
  'list',
  'photo-3',
  'ab12cd34ef',
  '**',
  '{name}',
  '',
  '%2F',
  'é"\\\u0000',
  'index.php',
)
const hostile = fc.string({ unit: 'binary', maxLength: 60 })
const path = fc.oneof(
  fc
    .tuple(fc.array(word, { maxLength: 6 }), fc.array(fc.tuple(word, word), { maxLength: 4 }))
    .map(([segments, query]) => {
      const base = `/${segments.join('/')}`
      return query.length === 0 ? base : `${base}?${query.map(([name, value]) => `${name}=${value}`).join('&')}`
    }),
  hostile,
  hostile.map((text) => `/${text}`),
  fc.nat({ max: 400 }).map((times) => '/loop'.repeat(times)),
)
const bits = fc.oneof(fc.constantFrom(0n, 1n, 7n, (1n << 64n) - 1n), fc.bigInt({ min: -(1n << 70n), max: 1n << 70n }))
const number = fc.oneof(fc.nat({ max: 3 }), fc.nat())
const content = fc.record({
  digest: fc.string(),
  textDigest: bits,
  simhash: bits,
  shape: fc.option(bits, { nil: undefined }),
  embeds: fc.option(bits, { nil: undefined }),
  length: number,
  words: number,
  tags: bits,
  title: fc.string(),
})
const link = fc.record({ path, fresh: fc.boolean() }).map((one) => ({ key: hash64(one.path), ...one }))
const facts: fc.Arbitrary<PageFacts> = fc.record({
  url: fc.string(),
  path,
  depth: fc.nat({ max: 60 }),
  at: fc.nat(),
  status: fc.constantFrom(200, 301, 404, 500, 0),
  mediaType: fc.constantFrom('text/html', 'application/pdf', ''),
  bytes: number,
  tookMs: number,
  outcome: fc.constantFrom('kept', 'moved', 'read', 'refused', 'gone', 'later'),
  duplicate: fc.boolean(),
  content: fc.option(content, { nil: undefined }),
  links: fc.array(link, { maxLength: 12 }),
  abroad: fc.nat({ max: 3 }),
})

test('any pages: no throw, bounded memory, nothing changes on the way through JSON, the same again gives the same', () => {
  fc.assert(
    fc.property(fc.array(facts, { maxLength: 40 }), fc.option(content, { nil: undefined }), (pages, probe) => {
      let memory = freshMemory()
      for (const page of pages) {
        const before = JSON.stringify(memory)
        const judged = judgePage(memory, page, NO_LIMITS)
        assert.equal(JSON.stringify(memory), before, 'the memory given is left as it was')
        const again = judgePage(JSON.parse(before) as SiteMemory, page, NO_LIMITS)
        assert.deepEqual(again, { ...judged, memory: again.memory })
        assert.equal(JSON.stringify(again.memory), JSON.stringify(judged.memory))
        memory = judged.memory
        if (judged.probe !== undefined) memory = learnProbe(memory, { status: 200, content: probe, path: '/none' })
        const refusal = refusalOf(memory, page.path, 1, NO_LIMITS)
        if (refusal !== undefined) memory = countRefused(memory, refusal.pattern)
        assert.ok(JSON.stringify(memory.traps).length <= 16_384)
        if (memory.traps?.taken !== undefined) assert.equal(memory.traps.taken, takenBy(memory.traps.families ?? []))
        assert.ok((memory.traps?.stopped ?? []).every(({ pattern }) => pattern !== '/' && pattern !== '/**'))
      }
    }),
    { numRuns: 300 },
  )
})

test('a thousand pages of the worst kind keep the memory bounded', () => {
  let memory = freshMemory()
  for (const page of fc.sample(facts, { numRuns: 1500, seed: 7 })) {
    memory = judgePage(memory, page, NO_LIMITS).memory
    assert.ok(JSON.stringify(memory.traps).length <= 16_384)
  }
})

test('seeds are asked for whatever was stopped, and a stop of the site names no pattern', () => {
  const memory: SiteMemory = { ...freshMemory(), stopped: 'site-urls>=8' }
  assert.deepEqual(refusalOf(memory, '/a', 1, NO_LIMITS), { rule: 'site-urls>=8', pattern: '' })
  assert.equal(refusalOf(memory, '/a', 0, NO_LIMITS), undefined)
  assert.equal(refusalOf(memory, '/a', 1, { trusted: (rule) => rule === 'site-urls' }), undefined)
  assert.equal(countRefused(memory, ''), memory)
})

test('refused URLs are counted with their pattern', () => {
  const stop = { pattern: '/cal/#', rule: 'endless-sequence', evidence: 'x', at: 1, refused: 0, examples: [] }
  const memory: SiteMemory = { ...freshMemory(), traps: { stopped: [stop] } }
  assert.deepEqual(refusalOf(memory, '/cal/2031', 3, NO_LIMITS), { rule: 'endless-sequence', pattern: '/cal/#' })
  assert.equal(refusalOf(memory, '/cal/', 3, NO_LIMITS), undefined)
  assert.equal(countRefused(memory, '/cal/#').traps?.stopped[0].refused, 1)
  assert.equal(memory.traps?.stopped[0].refused, 0)
})

test('a limit of the site is told with an example; a trusted one is no limit', () => {
  const page = { ...fc.sample(facts, { numRuns: 1, seed: 1 })[0], path: '/a' }
  const limited = { ...NO_LIMITS, urlsPerSite: 1 }
  const judged = judgePage(freshMemory(), page, limited)
  assert.equal(judged.memory.stopped, 'site-urls>=1')
  assert.equal(judged.verdicts[0].rule, 'site-urls>=1')
  const trusting = judgePage(freshMemory(), page, { ...limited, trusted: (rule) => rule === 'site-urls' })
  assert.equal(trusting.memory.stopped, undefined)
  assert.deepEqual(trusting.verdicts, [])
})

test('a later look at a page says nothing of traps', () => {
  const [page] = fc.sample(facts, { numRuns: 1, seed: 1 })
  const memory = freshMemory()
  const judged = judgePage(memory, { ...page, again: true }, NO_LIMITS)
  assert.deepEqual(judged, { memory, verdicts: [], follow: true })
})
