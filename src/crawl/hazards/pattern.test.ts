import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LONGEST_PATTERN, patternOf, repeatsIn } from './pattern.ts'
import { looksRandom } from './segments.ts'

const FORMS: [path: string, form: string][] = [
  ['/', '/'],
  ['/about', '/{name}'],
  ['/about.html', '/{name}.html'],
  ['/calendar/2031/04', '/calendar/#/#'],
  ['/calendar/2031/march', '/calendar/#/#'],
  ['/2019/03/12/a-title-of-words', '/#/#/#/{name}'],
  ['/photo-17.html', '/photo-#.html'],
  ['/the-long-title-of-17-words.html', '/{name}.html'],
  ['/wiki/Moth', '/wiki/{name}'],
  ['/tag/red/', '/tag/{name}/'],
  ['/x/9f86d081884c7d65', '/x/*'],
  ['/x/123e4567-e89b-12d3-a456-426614174000', '/x/*'],
  ['/list?page=3', '/list?page=#'],
  ['/list?sort=up&page=3', '/list?page=#&sort=*'],
  ['/cal.php?date=2031-04-01', '/cal.php?date=#'],
  ['/a*b/c', '/a_b/{name}'],
  ['/**', '/{name}'],
  ['/a?**', '/a?__=*'],
]

for (const [path, form] of FORMS) {
  test(`${path} has the form ${form}`, () => {
    assert.equal(patternOf(path).form, form)
    assert.equal(patternOf(path).form, form, 'also when it is remembered')
  })
}

test('folders, deepest first; a page is not in the folder of its own name', () => {
  assert.deepEqual(patternOf('/a/b/c/d/e').folders, ['/a/b/c/**', '/a/b/**', '/a/**'])
  assert.deepEqual(patternOf('/a/b/').folders, ['/a/**'])
  assert.deepEqual(patternOf('/a/').folders, [])
  assert.deepEqual(patternOf('/').folders, [])
})

test('what looks like a throw of dice, and what does not', () => {
  for (const name of ['9f86d081', 'xk3f9a', 'a1b2c3d4', 'qwrtzpx', '123e4567-e89b-12d3-a456-426614174000']) {
    assert.ok(looksRandom(name), name)
  }
  for (const name of [
    'about',
    'mp3player',
    'covid19',
    'strengths',
    'history-of-art',
    '2019-03-12',
    'iphone12pro',
    'facade',
    'rhythm',
  ]) {
    assert.ok(!looksRandom(name), name)
  }
})

test('repeated segments are counted, numbers are not', () => {
  assert.equal(repeatsIn('/a/b/c'), 0)
  assert.equal(repeatsIn('/a/b/a/b/a/b'), 4)
  assert.equal(repeatsIn('/x/x/x/'), 2)
  assert.equal(repeatsIn('/2011/11/11/'), 0)
  assert.equal(repeatsIn('/a?next=/a/a/a'), 0)
})

test('any text has a pattern of bounded size, in printable letters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (path) => {
      const { form, folders, base } = patternOf(path)
      for (const text of [form, base, ...folders]) {
        assert.ok(text.length <= LONGEST_PATTERN)
        assert.match(text, /^[\x21-\x7e…]*$/)
      }
      assert.ok(!form.endsWith('/**') && !form.endsWith('?**'))
    }),
    { numRuns: 2000 },
  )
})
