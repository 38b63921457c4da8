import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hash64 } from '../../base/digest.ts'
import { freshMemory, type SiteMemory } from '../../contracts/site-memory.ts'
import type { SuspectPattern, TrapMemory } from '../../contracts/trap-memory.ts'
import { admitUrl, familiesBeside, judgePage, learnProbe } from './detect.ts'
import { closeTraps, type OpenTraps, openTraps } from './open-traps.ts'
import type { PageFacts } from './page-facts.ts'
import { NO_LIMITS } from './traces.test-data.ts'
import { initialWords } from './trial.ts'

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
  minima: fc.option(
    fc.array(fc.nat({ max: 0xffff }), { minLength: 64, maxLength: 64 }).map((all) => new Uint16Array(all)),
    { nil: undefined },
  ),
  title: fc.string(),
  text: fc.string().map((text) => () => text),
})
const link = fc.record({ path, fresh: fc.boolean() }).map((one) => ({ key: hash64(one.path), ...one }))
const facts: fc.Arbitrary<PageFacts> = fc.record({
  url: fc.string(),
  path,
  depth: fc.nat({ max: 60 }),
  generation: fc.nat({ max: 3 }),
  via: fc.option(path, { nil: undefined }),
  at: fc.nat(),
  status: fc.constantFrom(200, 301, 404, 500, 0),
  mediaType: fc.constantFrom('text/html', 'application/pdf', ''),
  bytes: number,
  tookMs: number,
  outcome: fc.constantFrom('kept', 'moved', 'read', 'refused', 'gone', 'later'),
  duplicate: fc.boolean(),
  content: fc.option(content, { nil: undefined }),
  links: fc.array(link, { maxLength: 12 }),
  crossSite: fc.nat({ max: 3 }),
  isInferred: fc.boolean(),
})

test('any pages: no throw, bounded memory, and closed and opened after every page all is judged the same', () => {
  fc.assert(
    fc.property(fc.array(facts, { maxLength: 40 }), fc.option(content, { nil: undefined }), (pages, probe) => {
      let memory = freshMemory()
      const traps = openTraps(undefined)
      let stored = JSON.stringify(closeTraps(traps))
      for (const page of pages) {
        const reopened = openTraps(JSON.parse(stored) as TrapMemory)
        const judged = judgePage(memory, traps, page, NO_LIMITS)
        assert.deepEqual(judgePage(memory, reopened, page, NO_LIMITS), judged)
        const answer = { status: 200, content: probe, path: '/none' }
        const { path, generation, via } = page
        const url = { path, depth: 1, generation, via, isInferred: page.isInferred }
        for (const one of [traps, reopened]) if (judged.probe !== undefined) learnProbe(one, answer)
        assert.deepEqual(admitUrl(memory, reopened, url, NO_LIMITS), admitUrl(memory, traps, url, NO_LIMITS))
        memory = judged.memory
        stored = JSON.stringify(closeTraps(traps))
        assert.equal(JSON.stringify(closeTraps(reopened)), stored)
        assert.ok(stored.length <= 16_384)
        const sizes = [...traps.families.values()].map(({ size }) => size)
        assert.equal(
          traps.taken,
          sizes.reduce((sum, size) => sum + size, 0),
        )
        assert.ok(traps.suspects.every(({ pattern }) => pattern !== '/' && pattern !== '/**'))
      }
    }),
    { numRuns: 300 },
  )
})

test('what was closed stays as it was, whatever is judged afterwards', () => {
  const traps = openTraps(undefined)
  let memory = freshMemory()
  for (const page of fc.sample(facts, { numRuns: 60, seed: 3 })) {
    const closed = closeTraps(traps)
    const before = JSON.stringify(closed)
    memory = judgePage(memory, traps, page, NO_LIMITS).memory
    assert.equal(JSON.stringify(closed), before)
  }
})

test('a thousand pages of the worst kind keep the memory bounded', () => {
  let memory = freshMemory()
  const traps = openTraps(undefined)
  for (const page of fc.sample(facts, { numRuns: 1500, seed: 7 })) {
    memory = judgePage(memory, traps, page, NO_LIMITS).memory
    assert.ok(JSON.stringify(closeTraps(traps)).length <= 16_384)
  }
})

const refusedBy = (
  { memory, traps }: Site,
  path: string,
  url: { depth?: number; generation?: number; via?: string } = {},
) => admitUrl(memory, traps, { path, depth: 1, generation: 1, ...url }, NO_LIMITS)

interface Site {
  memory: SiteMemory
  traps: OpenTraps
}

test('seeds are asked for whatever was stopped, and a stop of the site names no pattern', () => {
  const memory: SiteMemory = { ...freshMemory(), stopped: 'site-urls>=8' }
  const site = { memory, traps: openTraps(undefined) }
  assert.deepEqual(refusedBy(site, '/a'), { rule: 'site-urls>=8', pattern: '' })
  assert.equal(refusedBy(site, '/a', { depth: 0 }), undefined)
  const trusting = { trusted: (rule: string) => rule === 'site-urls' }
  assert.equal(admitUrl(memory, site.traps, { path: '/a', depth: 1, generation: 1 }, trusting), undefined)
})

const CALENDAR: SuspectPattern = {
  pattern: '/cal/#',
  rule: 'endless-sequence',
  proof: 'text',
  evidence: 'x',
  at: 1,
  examples: [],
  stopped: true,
  budget: 0,
  confirmed: 4,
  contradicted: 0,
  refused: 0,
  nextSample: 4,
}

const stoppedCalendar = (changes: Partial<SuspectPattern> = {}): Site => ({
  memory: freshMemory(),
  traps: openTraps({ suspects: [{ ...CALENDAR, words: initialWords(calendarPage(0)), ...changes }] }),
})

/** Judges one more page of the site. */
function judge(site: Site, page: PageFacts): ReturnType<typeof judgePage> {
  const judged = judgePage(site.memory, site.traps, page, NO_LIMITS)
  site.memory = judged.memory
  return judged
}

test('of a stopped pattern its own offspring is refused and counted, and what other pages list is not', () => {
  const site = stoppedCalendar()
  assert.deepEqual(refusedBy(site, '/cal/2031'), { rule: 'endless-sequence', pattern: '/cal/#' })
  assert.equal(refusedBy(site, '/cal/'), undefined, 'of another pattern')
  assert.equal(refusedBy(site, '/cal/2031', { generation: 0, via: '/news' }), undefined, 'listed')
  assert.notEqual(refusedBy(site, '/cal/2031', { generation: 0, via: '/cal/2030' }), undefined, 'by its own kind')
  assert.equal(site.traps.suspects[0].refused, 2)
  assert.notEqual(refusedBy(stoppedCalendar({ proof: 'alias' }), '/cal/2031', { generation: 0 }), undefined)
})

test('a stopped pattern is sampled ever more seldom', () => {
  const site = stoppedCalendar()
  const sampled: number[] = []
  for (let at = 1; at <= 40; at++) {
    if (refusedBy(site, `/cal/${at}`) !== undefined) continue
    sampled.push(at)
    judge(site, calendarPage(at))
  }
  assert.deepEqual(sampled, [4, 9, 18, 35])
})

test('samples that contradict a finding withdraw it, and what it held back is asked for', () => {
  const site = stoppedCalendar({ refused: 7, budget: 1 })
  let judged = judge(site, calendarPage(1, 'something altogether different'))
  for (const text of ['violins trombones', 'apples oranges', 'iron copper']) {
    assert.deepEqual(judged.findings, [])
    assert.equal(refusedBy(site, '/cal/7'), undefined, 'the next one is a sample, too')
    judged = judge(site, calendarPage(2, text))
  }
  assert.equal(judged.requeue, true)
  const [finding] = judged.findings
  assert.deepEqual([finding.rule, finding.pattern, finding.withdrawn], ['endless-sequence', '/cal/#', true])
  assert.equal(refusedBy(site, '/cal/7'), undefined)
  assert.deepEqual(site.traps.suspects, [])
})

test('a redirect to an unknown page contradicts an alias, and so does one of which nobody knows where it leads', () => {
  const judged = (fresh: boolean, isBlind?: boolean) => {
    const site = stoppedCalendar({ proof: 'alias', budget: 1 })
    const links = [{ key: 5n, path: '/elsewhere', fresh }]
    const { content: _, ...page } = calendarPage(1)
    judge(site, { ...page, outcome: 'moved', status: 302, links, isBlind })
    const [{ confirmed, contradicted }] = site.traps.suspects
    return [confirmed - CALENDAR.confirmed, contradicted]
  }
  assert.deepEqual(judged(false), [1, 0])
  assert.deepEqual(judged(true), [0, 1])
  assert.deepEqual(judged(false, true), [0, 1])
})

test('numbers, dates and throws of dice are no news', () => {
  const site = stoppedCalendar({ stopped: false, budget: 4, confirmed: 0 })
  for (const text of ['No events 17, January', 'No events', 'No events xq8z7kf2v9w1', 'No events']) {
    assert.equal(site.traps.suspects[0].stopped, false)
    judge(site, calendarPage(2, text))
  }
  assert.equal(site.traps.suspects[0].stopped, true)
})

test('a page of the same form or place is no other family, and neither are names that a machine throws', () => {
  assert.equal(familiesBeside('/texts/one.html', undefined)('/texts/two.html'), false)
  assert.equal(familiesBeside('/shop', undefined)('/shop?color=red'), false)
  assert.equal(familiesBeside('/x/96226dea07', undefined)('/x/99999'), false)
  assert.equal(familiesBeside('/', undefined)('/calendar/2031/5'), true)
  assert.equal(familiesBeside('/std/', undefined)('/std/vec/struct.Vec.html'), true)
})

function calendarPage(at: number, text = 'No events'): PageFacts {
  const path = `/cal/${at}`
  const hash = hash64(text + at)
  const signature = { digest: text, textDigest: hash, simhash: 1n, shape: 1n, embeds: 0n, tags: 1n, title: '' }
  return {
    url: `http://site.test${path}`,
    path,
    depth: 1,
    generation: 1,
    at,
    status: 200,
    mediaType: 'text/html',
    bytes: 100,
    tookMs: 10,
    outcome: 'kept',
    duplicate: false,
    content: { ...signature, length: text.length, words: 2, text: () => text },
    links: [{ key: hash64(`/cal/${at + 1}`), path: `/cal/${at + 1}`, fresh: true }],
    crossSite: 0,
  }
}

test('a site limit is reported with an example, and ignored if trusted', () => {
  const page = { ...fc.sample(facts, { numRuns: 1, seed: 1 })[0], path: '/a' }
  const limited = { ...NO_LIMITS, urlsPerSite: 1 }
  const judged = judgePage(freshMemory(), openTraps(undefined), page, limited)
  assert.equal(judged.memory.stopped, 'site-urls>=1')
  assert.equal(judged.findings[0].rule, 'site-urls>=1')
  const trusted = (rule: string) => rule === 'site-urls'
  const trusting = judgePage(freshMemory(), openTraps(undefined), page, { ...limited, trusted })
  assert.equal(trusting.memory.stopped, undefined)
  assert.deepEqual(trusting.findings, [])
})
