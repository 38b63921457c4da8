import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseDirectives } from './directives.ts'

const said = (...values: string[]) => {
  const { noindex, nofollow, noarchive } = parseDirectives(values, 'OrbWeaver')
  return [noindex && 'noindex', nofollow && 'nofollow', noarchive && 'noarchive'].filter(Boolean).join(' ')
}

test('directives of every line add up', () => {
  assert.equal(said(), '')
  assert.equal(said('index, follow', 'all'), '')
  assert.equal(said('NoIndex'), 'noindex')
  assert.equal(said(' noindex ,nofollow'), 'noindex nofollow')
  assert.equal(said('none'), 'noindex nofollow')
  assert.equal(said('noindex', 'noarchive'), 'noindex noarchive')
  assert.equal(said('noindex nofollow'), 'noindex nofollow')
  assert.equal(said('noindex;nofollow'), 'noindex nofollow')
  assert.equal(said('noindexing'), '')
})

test('lines for one robot concern that one only', () => {
  assert.equal(said('otherbot: noindex, nofollow'), '')
  assert.equal(said('orbweaver: noindex, nofollow'), 'noindex nofollow')
  assert.equal(said('orbweaver/1.0 : nofollow'), 'nofollow')
  assert.equal(said('*: nofollow'), 'nofollow')
  assert.equal(said('otherbot: noindex', 'nofollow'), 'nofollow')
  assert.equal(said('otherbot: noindex, orbweaver: nofollow, noarchive'), 'nofollow noarchive')
})

test('values with colons of their own do not name a robot', () => {
  assert.equal(said('unavailable_after: 25 Jun 2010 15:00:00 PST, noindex'), 'noindex')
  assert.equal(said('unavailable_after: Friday, 25 Jun 2010 15:00:00 GMT, nofollow'), 'nofollow')
  assert.equal(said('max-snippet:20, max-image-preview: large, noarchive'), 'noarchive')
  assert.equal(said('max-snippet:-1; max-image-preview:none; noindex'), 'noindex')
  assert.equal(said('max-image-preview: none'), '')
  assert.equal(said('noindex;max-snippet:-1'), 'noindex')
  assert.equal(said('nofollow;max-image-preview:large, noarchive'), 'nofollow noarchive')
})

test('anything parses', () => {
  fc.assert(fc.property(fc.array(fc.string()), (values) => typeof parseDirectives(values, 'x').noindex === 'boolean'))
})
