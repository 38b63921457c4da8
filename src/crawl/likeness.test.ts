import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { freshMemory } from '../contracts/site-memory.ts'
import { judgeLikeness, type Liked, type LikePage } from './likeness.ts'

const page = (path: string, copy?: string): LikePage => ({
  site: 'copy.test',
  url: `https://copy.test${path}`,
  isHome: path === '/',
  ...(copy === undefined ? {} : { copy: `http://${copy}${path}` }),
})

function fold(pages: readonly LikePage[]): { last: Liked; proposals: Liked[] } {
  let last: Liked = { memory: freshMemory() }
  const proposals: Liked[] = []
  for (const one of pages) {
    last = judgeLikeness(last.memory, one)
    if (last.slow !== undefined) proposals.push(last)
  }
  return { last, proposals }
}

test('home page and first documents of one known site: proposed once, with examples', () => {
  const pages = ['/', '/a', '/b', '/c', '/d', '/e'].map((path) => page(path, 'first.test'))
  const { proposals, last } = fold(pages)
  assert.equal(proposals.length, 1)
  assert.deepEqual(proposals[0].slow, { rule: 'mirror', like: 'first.test' })
  assert.equal(
    proposals[0].finding?.evidence,
    'the home page and 2 of the first 2 other documents equal those of first.test',
  )
  assert.deepEqual(
    proposals[0].finding?.examples,
    pages.slice(0, 3).map(({ url }) => url),
  )
  assert.equal(last.memory.likeness?.like, 'first.test')
})

test('a page or two may have changed since', () => {
  const copies = ['/', '/b', '/c', '/d'].map((path) => page(path, 'first.test'))
  assert.equal(fold([page('/new'), ...copies]).proposals.length, 1)
  assert.equal(fold([page('/new'), page('/newer'), ...copies]).proposals.length, 0)
})

test('not without the home page, not with documents of many sites, not with its own', () => {
  const noHome = ['/a', '/b', '/c', '/d', '/e'].map((path) => page(path, 'first.test'))
  assert.equal(fold([page('/'), ...noHome]).proposals.length, 0)
  const scattered = ['/', '/a', '/b', '/c', '/d'].map((path, i) => page(path, `s${i}.test`))
  assert.equal(fold(scattered).proposals.length, 0)
  const own = ['/', '/a', '/b', '/c', '/d'].map((path) => page(path, 'copy.test'))
  const { last, proposals } = fold(own)
  assert.equal(proposals.length, 0)
  assert.equal(last.memory.likeness, undefined)
})

test('after eleven documents it is decided', () => {
  const { last } = fold(Array.from({ length: 11 }, (_, i) => page(`/${i}`)))
  assert.equal(last.memory.likeness?.like, '')
  assert.equal(judgeLikeness(last.memory, page('/', 'first.test')).memory, last.memory)
})

test('its memory stays small and it reports at most once', () => {
  const some = fc.record({
    path: fc.constantFrom('/', '/a', '/b', `/${'x'.repeat(3000)}`),
    copy: fc.option(fc.constantFrom('a.test', 'b.test', 'copy.test', `${'l'.repeat(60)}.test`, 'no name', ''), {
      nil: undefined,
    }),
  })
  fc.assert(
    fc.property(fc.array(some, { maxLength: 40 }), (given) => {
      let last: Liked = { memory: freshMemory() }
      let spoke = 0
      for (const { path, copy } of given) {
        last = judgeLikeness(last.memory, page(path, copy))
        if (last.slow !== undefined) spoke++
        assert.ok(JSON.stringify(last.memory).length < 6000)
      }
      assert.ok(spoke <= 1)
    }),
  )
})
