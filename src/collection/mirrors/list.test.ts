import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../../base/errors.ts'
import { formatList, type ListLine, leftPairOf, MAX_LINES, pairsOf, parseList, renewed, withoutPairs } from './list.ts'

const AT = Date.UTC(2026, 4, 1)
const pair = (replica: string, original: string, shared = 3, total = 4) => ({
  replica,
  original,
  shared,
  total,
  telling: shared,
  sameHome: true,
})
const renew = (text: string, pairs: ReturnType<typeof pair>[], gone: string[] = []) => {
  const { lines, left } = renewed(parseList(text, 'm'), { heuristic: 'Dups80', pairs, at: AT, gone: new Set(gone) })
  return { text: formatList(lines), left }
}

test('pairs that an operator overruled are forbidden in the list, once', () => {
  const overruled = [{ replica: 'b.test', original: 'a.test' }]
  const again = { heuristic: 'Dups80' as const, overruled, at: AT, gone: new Set<string>() }
  const { lines } = renewed([], { ...again, pairs: [pair('a.test', 'b.test'), pair('c.test', 'a.test')] })
  assert.deepEqual(pairsOf(lines, 'm'), [{ replica: 'c.test', original: 'a.test' }])
  assert.match(formatList(lines), /^! b\.test a\.test {2}# overruled, 2026-05-01$/m)
  assert.equal(renewed(lines, { ...again, pairs: [] }).lines.filter(({ kind }) => kind === 'never').length, 1)
})

test('names are parsed as sites, comments and blank lines are kept', () => {
  const lines = parseList(
    '\ufeff# mine\r\n\n  WWW.A.test\ta.test # by hand\n! b.test c.test\nd.test:8080 bücher.test',
    'm',
  )
  assert.deepEqual(pairsOf(lines, 'm'), [
    { replica: 'www.a.test', original: 'a.test' },
    { replica: 'd.test:8080', original: 'xn--bcher-kva.test' },
  ])
})

test('faults name their lines', () => {
  const text = 'a.test b.test\na.test\nhttp://a.test/ b.test\nc.test c.test\na.test d.test\n'
  assert.throws(
    () => parseList(text, 'mirrors.txt'),
    (error) =>
      error instanceof Problem &&
      error.code === 'unreadable' &&
      /mirrors\.txt: line 2: two names .*; line 3: 'http:\/\/a\.test\/' is not a site name; line 4: c\.test cannot .*; line 5: a\.test is a replica of b\.test already, in line 1/.test(
        error.message,
      ),
  )
  assert.throws(() => parseList('\n'.repeat(MAX_LINES + 1), 'm'), /over 1000000 lines/)
})

test('chains end at the last original, circles are errors', () => {
  const lines = parseList('a.test b.test\nb.test c.test\nd.test a.test', 'm')
  assert.deepEqual(pairsOf(lines, 'm'), [
    { replica: 'a.test', original: 'c.test' },
    { replica: 'b.test', original: 'c.test' },
    { replica: 'd.test', original: 'c.test' },
  ])
  assert.throws(() => pairsOf(parseList('a.test b.test\nb.test c.test\nc.test a.test', 'm'), 'm'), /through a circle/)
})

test('a forbidden pair is never a pair, whatever other lines say', () => {
  const lines = parseList(
    'a.test b.test  # Dups60, 4/4, 2026-05-01\nc.test b.test\nd.test c.test\n! b.test a.test',
    'm',
  )
  assert.deepEqual(pairsOf(lines, 'm'), [
    { replica: 'c.test', original: 'b.test' },
    { replica: 'd.test', original: 'b.test' },
  ])
  const chain = parseList('c.test b.test\nd.test c.test\n! d.test b.test', 'm')
  assert.deepEqual(pairsOf(chain, 'm'), [{ replica: 'c.test', original: 'b.test' }])
})

test('rewriting dates found pairs anew, removes our other pairs, and keeps what a person wrote', () => {
  const first = renew('', [pair('b.test', 'a.test'), pair('c.test', 'a.test'), pair('x.test', 'y.test')])
  assert.match(first.text, /^# Sites that are copies/)
  assert.match(first.text, /\nb\.test a\.test {2}# Dups80, 3\/4, 2026-05-01\nc\.test a\.test /)
  const edited = `${first.text}# a note\n! x.test y.test  # no!\nh.test g.test  # I know it\nd.test g.test\n`
  const second = renew(
    edited,
    [pair('b.test', 'a.test', 4, 4), pair('x.test', 'y.test'), pair('h.test', 'a.test')],
    ['d.test'],
  )
  assert.equal(second.left, 3)
  const lines = second.text.split('\n').slice(2)
  assert.deepEqual(lines, [
    'b.test a.test  # Dups80, 4/4, 2026-05-01',
    '# a note',
    '! x.test y.test  # no!',
    'h.test g.test  # I know it',
    '# left 2026-05-01: d.test g.test: d.test does not resolve',
    '',
  ])
})

test('used pairs stay, dated by their evidence, unless forbidden, gone or contradicted', () => {
  const used = [
    ['b.test', 'a.test'],
    ['c.test', 'a.test'],
    ['d.test', 'a.test'],
    ['e.test', 'a.test'],
    ['f.test', 'a.test'],
    ['g.test', 'a.test'],
  ].map(([replica, original]) => ({ replica, original }))
  const again = { heuristic: 'Dups80', used, at: AT, gone: new Set(['e.test']) } as const
  const found = [pair('c.test', 'a.test', 4, 4), pair('a.test', 'b.test')]
  const before = '! d.test a.test\nf.test z.test  # I say so\ng.test a.test  # Dups60, 9/9, 2026-04-01\n'
  const { lines, left } = renewed(parseList(before, 'm'), { ...again, pairs: found })
  assert.equal(left, 0)
  assert.equal(
    formatList(lines).split('\n').slice(2).join('\n'),
    `${before}b.test a.test  # used by the crawl, 2026-05-01\nc.test a.test  # Dups80, 4/4, 2026-05-01\n`,
  )
  const dropped = renewed(lines, { ...again, used: [], pairs: [] })
  assert.deepEqual([dropped.left, pairsOf(dropped.lines, 'm').length], [3, 1], 'they are ours, and leave like others')
})

test('found pairs never make a circle with what a person wrote', () => {
  const found = [pair('b.test', 'a.test'), pair('d.test', 'a.test'), pair('e.test', 'c.test')]
  const { text } = renew('a.test b.test\nc.test d.test\n', found)
  const pairs = pairsOf(parseList(text, 'm'), 'm').map(({ replica, original }) => `${replica} ${original}`)
  assert.deepEqual(pairs.sort(), ['a.test b.test', 'c.test b.test', 'd.test b.test', 'e.test b.test'])
})

test('a pair that left is noted in a comment, for a limited time', () => {
  const many = Array.from({ length: 1500 }, (_, i) => `r${i}.test o.test`).join('\n')
  const lines = parseList(`${many}\nstays.test o.test # mine`, 'm')
  const gone = lines.slice(0, 1500).flatMap((line) => (line.kind === 'pair' ? [{ ...line, why: 'other' }] : []))
  const after = withoutPairs(lines, gone, AT)
  assert.equal(after.length, 1001)
  assert.equal(after[0].text, '# left 2026-05-01: r500.test o.test: other')
  assert.deepEqual(leftPairOf(after, 'r700.test'), {
    replica: 'r700.test',
    original: 'o.test',
    on: '2026-05-01',
    why: 'other',
  })
  for (const name of ['r1.test', 'stays.test', 'o.test']) assert.equal(leftPairOf(after, name), undefined, name)
  assert.equal(leftPairOf(parseList(`${formatList(after)}r700.test o.test\n`, 'm'), 'r700.test'), undefined)
  assert.deepEqual(pairsOf(parseList(formatList(after), 'm'), 'm'), [{ replica: 'stays.test', original: 'o.test' }])
})

test('a written list is read back', () => {
  const name = fc.constantFrom('a.test', 'b.test', 'c.test', 'd.test:81', 'xn--bcher-kva.test')
  const line = fc.oneof(
    fc.tuple(fc.constantFrom('', '! '), name, name).map(([never, a, b]) => `${never}${a} ${b}`),
    fc.constantFrom('', '# words', '   # indented'),
    fc.string({ maxLength: 20 }),
  )
  const read = (text: string): ListLine[] | undefined => {
    try {
      return parseList(text, 'm')
    } catch (error) {
      assert.ok(error instanceof Problem)
      return undefined
    }
  }
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (texts) => {
      const lines = read(texts.join('\n'))
      if (lines === undefined) return
      const kinds = (all: readonly ListLine[]) => all.filter(({ kind }) => kind !== 'text')
      assert.deepEqual(kinds(parseList(formatList(lines), 'm')), kinds(lines))
    }),
  )
})
