import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type DiffCounts, type DiffRow, diffPages, wordParts } from './diff.ts'

const diff = (before: string, after: string, as: 'html' | 'text' = 'html') =>
  diffPages({ as, text: before }, { as, text: after })
const some = (counts: DiffCounts) => Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
const counted = (before: string, after: string, as?: 'text') => some(diff(before, after, as).counts)
const kinds = (rows: readonly DiffRow[]) => rows.map(({ kind }) => kind)

const PAGE = Array.from({ length: 9 }, (_, n) => `<p>This is paragraph number ${n} of the page.</p>`)
const without = (n: number) => PAGE.filter((_, i) => i !== n)

test('added, removed, changed', () => {
  assert.deepEqual(counted(PAGE.join(''), PAGE.join('')), { same: 9 })
  assert.deepEqual(counted(PAGE.join(''), without(4).join('')), { same: 8, removed: 1 })
  assert.deepEqual(counted(without(0).join(''), PAGE.join('')), { same: 8, added: 1 })
  const edited = PAGE.with(3, '<p>This is paragraph number three of the page.</p>')
  const { rows, counts } = diff(PAGE.join(''), edited.join(''))
  assert.deepEqual(some(counts), { same: 8, changed: 1 })
  assert.deepEqual(kinds(rows), ['same', 'changed', 'same'])
  const [, changed] = rows
  assert.ok(changed.kind === 'changed')
  assert.deepEqual(changed.words, [
    { kind: 'same', text: 'This is paragraph number ' },
    { kind: 'removed', text: '3' },
    { kind: 'added', text: 'three' },
    { kind: 'same', text: ' of the page.' },
  ])
})

test('a counter at its place is changed, though no word is the same', () => {
  assert.deepEqual(counted(`${PAGE.join('')}<div>1234</div>`, `${PAGE.join('')}<div>1235</div>`), {
    same: 9,
    changed: 1,
  })
})

test('moved blocks are moved, up or down, and say which of them is which', () => {
  const moved = [...without(1), PAGE[1]]
  const down = diff(PAGE.join(''), moved.join(''))
  assert.deepEqual(some(down.counts), { same: 8, moved: 1 })
  const [away, here] = down.rows.filter((row) => row.kind === 'moved-away' || row.kind === 'moved-here')
  assert.deepEqual([away.kind, away.nth, away.isDown], ['moved-away', 1, true])
  assert.deepEqual([here.kind, here.nth, here.isDown], ['moved-here', 1, true])
  const up = diff(moved.join(''), PAGE.join(''))
  const [first, second] = up.rows.filter((row) => row.kind === 'moved-away' || row.kind === 'moved-here')
  assert.deepEqual([first.kind, first.isDown, second.kind, second.isDown], ['moved-here', false, 'moved-away', false])
})

test('mark-up that changed around the same text is said, by kind', () => {
  assert.deepEqual(counted('<p class=a>one text', '<p class=b>one text'), { attribute: 1 })
  assert.deepEqual(counted('<p><a href=/x>one text</a>', '<p><a href=/y>one text</a>'), { link: 1 })
  assert.deepEqual(counted('<p><img src=1.png>one text', '<p><img src=2.png>one text'), { image: 1 })
  assert.deepEqual(counted('<p><b>one text</b>', '<p><i>one text</i>'), { tag: 1 })
  assert.deepEqual(counted('<div id=a><p>one text</div>', '<div id=b><p>one text</div>'), { place: 1, attribute: 1 })
  assert.deepEqual(counted('<p a=1 b=2>one text', '<p b=2 a=1>one text'), { same: 1 })
  const images = diff('<p>x<p><img src=1.png>', '<p>x<p><img src=2.png>')
  assert.deepEqual(kinds(images.rows), ['same', 'changed'])
  const [, changed] = images.rows
  assert.ok(changed.kind === 'changed')
  assert.deepEqual(changed.facts, [{ kind: 'image', before: ['1.png'], after: ['2.png'] }])
})

test('many blocks whose place changed in the same way are one row', () => {
  const { rows, counts } = diff(`<body>${PAGE.join('')}`, `<body><main>${PAGE.join('')}</main>`)
  assert.equal(counts.place, 9)
  assert.deepEqual(kinds(rows), ['marked', 'marked'], 'the first has the new tag, too')
  assert.ok(rows[1].kind === 'marked' && rows[1].count === 8)
})

test('what is not shown as text is named', () => {
  assert.deepEqual(diff('<p>a<script>1</script>', '<p>a<script>2</script>').unseen, ['scripts'])
  assert.deepEqual(diff('<p>a<!--1--><style>1</style>', '<p>a<!--2--><style>2</style>').unseen, ['styles', 'comments'])
  const long = '<p>x'.repeat(60_000)
  const { unseen, rest } = diff(long, `${long}y`)
  assert.deepEqual([unseen, rest], [['the rest'], { before: 10_000, after: 10_001 }])
})

test('plain text is compared by line', () => {
  const { unit, rows, counts } = diff('one\ntwo lines here\nthree', 'one\ntwo rows here\nthree\nfour', 'text')
  assert.deepEqual([unit, some(counts)], ['line', { same: 2, changed: 1, added: 1 }])
  assert.deepEqual(kinds(rows), ['same', 'changed', 'same', 'added'])
})

test('the words of a text add up to both versions', () => {
  const word = fc.constantFrom('a', 'bb', '.', ' ', '日', '本', 'é', '🙂', '\n')
  const text = fc.array(word, { maxLength: 40 }).map((words) => words.join(''))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const parts = wordParts(before, after)
      const joined = (without: string) => parts.flatMap(({ kind, text }) => (kind === without ? [] : text)).join('')
      assert.equal(joined('added'), before)
      assert.equal(joined('removed'), after)
    }),
  )
})

test('rows account for every block of both versions', () => {
  const paragraph = fc.constantFrom(...PAGE, '<p>x', '<p>y', '<p><img src=a></p>')
  const page = fc.array(paragraph, { maxLength: 30 })
  fc.assert(
    fc.property(page, page, (before, after) => {
      const { counts, rows } = diff(before.join(''), after.join(''))
      const matched = rows.reduce((sum, row) => sum + (row.kind === 'same' || row.kind === 'marked' ? row.count : 0), 0)
      assert.equal(matched + counts.changed + counts.removed + counts.moved, before.length)
      assert.equal(matched + counts.changed + counts.added + counts.moved, after.length)
    }),
  )
})

/** 10 MB of one tag, depth 100,000, 10⁶ attributes, one endless text (issue 19). Quadratic time would take hours. */
test('hostile pages are compared within seconds, in bounded memory', () => {
  const size = 10_000_000
  const attributes = (value: string) => `<p ${Array.from({ length: 1e6 }, (_, i) => `a${i}=${value}`).join(' ')}>x`
  const pairs: [string, string, Partial<DiffCounts>][] = [
    ['<p>'.repeat(size / 3), `${'<p>'.repeat(size / 3)}x`, { changed: 1 }],
    [`${'<div>'.repeat(1e5)}a`, `${'<div>'.repeat(1e5)}b`, { changed: 1 }],
    [`${'<div>'.repeat(1e5)}${'</ul>'.repeat(1e6)}x`, `${'<div>'.repeat(1e5)}${'</ol>'.repeat(1e6)}x`, { same: 1 }],
    [attributes('x'), attributes('y'), { attribute: 1 }],
    ['<p>x'.repeat(size / 40), '<p>y'.repeat(size / 40), { changed: 50_000 }],
  ]
  for (const [before, after, counts] of pairs) {
    const { rows, counts: found } = diff(before, after)
    assert.deepEqual(some(found), counts)
    assert.ok(rows.length <= 5000)
  }
})
