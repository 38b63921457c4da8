import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type DatedCapture, pageRetention, parseRetention, type RetentionRule } from './rule.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 10, 16, 12)

function ruleOf(text: string): RetentionRule {
  const rule = parseRetention(text)
  if ('wrong' in rule) throw new Error(rule.wrong)
  return rule
}

/** Which captures stay; oldest first, both given and returned. */
function kept<C extends DatedCapture>(text: string, captures: readonly C[], content: string | null = null): C[] {
  const stay = new Map<C, boolean>()
  const retention = pageRetention<C>(ruleOf(text), NOW, content, (capture, stays) => {
    assert.ok(!stay.has(capture), 'decided twice')
    stay.set(capture, stays)
  })
  for (const capture of captures.toReversed()) retention.add(capture)
  retention.end()
  assert.equal(stay.size, captures.length)
  return captures.filter((capture) => stay.get(capture))
}

const kindOf = (status: number) => (status === 304 ? ('revisit' as const) : ('response' as const))
const look = (daysAgo: number, digest: string, status = 200, kind: DatedCapture['kind'] = kindOf(status)) => ({
  ...{ at: NOW - daysAgo * DAY, digest, status, kind },
})
const shown = (captures: readonly DatedCapture[]) =>
  captures.map(({ at, digest, status }) => `${(NOW - at) / DAY} ${digest}${status === 200 ? '' : ` ${status}`}`)

test('a rule is read, with spaces and long units, and a wrong one is refused with what to write', () => {
  assert.deepEqual(parseRetention('all for 30d, daily for 1y,monthly'), [
    { what: 'all', upTo: 30 * DAY },
    { what: 'daily', upTo: 365 * DAY },
    { what: 'monthly', upTo: Number.POSITIVE_INFINITY },
  ])
  assert.deepEqual(parseRetention(' ALL  for 2 weeks, changes'), [
    { what: 'all', upTo: 14 * DAY },
    { what: 'changes', upTo: Number.POSITIVE_INFINITY },
  ])
  const wrong: [string, RegExp][] = [
    ['', /'' is not a step of a rule: each is one of all, changes/],
    ['dayly', /'dayly' is not a step/],
    ['all for ever', /'ever' is not an age: write 12h, 30d, 8w or 1y/],
    ['all for 0d, none', /'0d' is not an age/],
    ['all for 30d', /nothing of captures older than 30d: end it with/],
    ['all, monthly', /'all' leaves nothing to the steps after it/],
    ['all for 30d, daily for 30d, none', /does not reach further back/],
    ['monthly for 30d, daily', /'daily' cannot follow monthly/],
    ['changes for 30d, all', /'all' cannot follow changes/],
    [Array(30).fill('all').join(), /30 steps/],
  ]
  for (const [text, why] of wrong) {
    const rule = parseRetention(text)
    assert.match('wrong' in rule ? rule.wrong : 'accepted', why, text)
  }
})

test('of each period the last that brought the page stays; unchanged looks go first', () => {
  const captures = [
    look(100, 'A'),
    look(99.4, 'A', 304),
    look(99.3, 'B'),
    look(99.2, 'C'),
    look(99.1, 'C', 304),
    look(50.4, 'C', 304),
    look(50.3, 'C', 304),
    look(3, 'C', 304),
    look(2, 'C', 304),
  ]
  const [, ...rest] = shown(kept('all for 30d, daily', captures))
  assert.deepEqual(rest, ['99.2 C', '50.3 C 304', '3 C 304', '2 C 304'])
  assert.deepEqual(shown(kept('changes', captures)), ['100 A', '99.3 B', '99.2 C', '2 C 304'])
  assert.deepEqual(shown(kept('none', captures)), ['2 C 304'])
})

test('a month keeps its last look, weeks begin on Monday', () => {
  const at = (date: string) => ({ at: Date.parse(date), digest: 'A', status: 200, kind: 'response' as const })
  const days = ['2026-08-02', '2026-08-03', '2026-08-09', '2026-08-10', '2026-09-30', '2026-11-16'].map(at)
  const iso = (captures: readonly DatedCapture[]) => captures.map((one) => new Date(one.at).toISOString().slice(5, 10))
  assert.deepEqual(iso(kept('monthly', days)), ['08-10', '09-30', '11-16'])
  assert.deepEqual(iso(kept('weekly', days)), ['08-02', '08-09', '08-10', '09-30', '11-16'])
})

test('the last good capture stays whatever came after it, and so does what the page row says', () => {
  const captures = [look(400, 'A'), look(300, 'B'), look(200, 'gone', 404), look(100, 'other gone', 404)]
  assert.deepEqual(shown(kept('none', captures)), ['300 B', '100 other gone 404'])
  assert.deepEqual(shown(kept('none', captures, 'A')), ['400 A', '300 B', '100 other gone 404'])
})

test('a part of a page, or a 304 that nobody asked for, is not a page', () => {
  const captures = [look(1.2, 'A'), look(1.1, 'part', 206), look(1, 'none', 304, 'response')]
  assert.deepEqual(shown(kept('daily', captures)), ['1.2 A', '1 none 304'])
})

test('the same bytes with the same status are no change, and of captures that show the content one is enough', () => {
  assert.deepEqual(
    shown(kept('changes', [look(9, 'A'), look(8, 'A'), look(7, 'A', 404), look(6, 'A', 404), look(5, 'B')])),
    ['9 A', '7 A 404', '5 B'],
  )
  assert.deepEqual(shown(kept('none', [look(9, 'A'), look(8, 'A'), look(7, 'B')], 'A')), ['8 A', '7 B'])
})

test('for any history: the last, the last good and the content stay, each period keeps one, and a second run changes nothing', () => {
  const histories = fc.array(
    fc.record({
      hours: fc.integer({ min: 0, max: 24 * 800 }),
      digest: fc.constantFrom('A', 'B', 'C'),
      status: fc.constantFrom(200, 200, 304, 301, 404),
    }),
    { minLength: 1, maxLength: 60 },
  )
  const rules = fc.constantFrom(
    'all for 30d, daily for 1y, monthly',
    'weekly',
    'changes for 30d, none',
    'hourly for 7d, yearly',
  )
  fc.assert(
    fc.property(histories, rules, (history, rule) => {
      const captures = history
        .map(({ hours, digest, status }, nth) => ({
          at: NOW - hours * 3_600_000,
          digest,
          status,
          kind: kindOf(status),
          nth,
        }))
        .sort((a, b) => a.at - b.at || a.nth - b.nth)
      const content = captures[0].digest
      const left = kept(rule, captures, content)
      const isGood = ({ status }: DatedCapture) => status === 200 || status === 304
      assert.ok(left.includes(captures.at(-1)!))
      const good = captures.findLast(isGood)
      assert.ok(good === undefined || left.includes(good))
      assert.ok(left.some(({ digest }) => digest === content))
      if (rule === 'weekly') {
        const weeks = (all: readonly DatedCapture[]) => new Set(all.map(({ at }) => Math.floor((at / DAY + 3) / 7)))
        assert.deepEqual(weeks(left), weeks(captures))
        assert.ok(left.length <= weeks(captures).size + 3)
      }
      assert.deepEqual(kept(rule, left, content), left)
    }),
  )
})
