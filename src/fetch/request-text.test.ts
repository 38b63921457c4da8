import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { plainTarget, requestTarget } from './request-text.ts'

const ORIGIN = 'http://www.example.test:81'

function bySlowPath(url: string): string | undefined {
  const parsed = URL.parse(url)
  return parsed === null ? undefined : requestTarget(parsed)
}

test('ordinary URLs take the short way', () => {
  for (const path of ['/', '/a/b.html', '/a?b=c&d=%D0%B0', '/a/?', '/~u/x;y=1,2', '/a//b', '/a.b/c..d']) {
    assert.equal(plainTarget(ORIGIN + path, ORIGIN), path)
    assert.equal(bySlowPath(ORIGIN + path), path)
  }
})

test('another origin, dots, blanks, fragments and letters beyond ASCII take the long way', () => {
  for (const url of [
    'http://www.example.test:8/',
    `${ORIGIN}0/`,
    `${ORIGIN}@evil.test/`,
    ORIGIN,
    'http://other.test/',
  ]) {
    assert.equal(plainTarget(url, ORIGIN), undefined)
  }
  for (const path of ['/a/../b', '/./a', '/%2E%2e/a', '/a b', '/a#b', '/é', '/a\nb', '/a\\b', "/?q='", '/"', '/^']) {
    assert.equal(plainTarget(ORIGIN + path, ORIGIN), undefined)
  }
})

test('whatever is taken the short way is what the long way finds', () => {
  const piece = fc.constantFrom(
    '/',
    '.',
    '..',
    '%2e',
    '%2E',
    '%',
    '%zz',
    '?',
    '#',
    '\\',
    ' ',
    '\t',
    "'",
    '@',
    ':',
    'a',
    'é',
  )
  const path = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.string({ maxLength: 12 }),
  )
  fc.assert(
    fc.property(path, (rest) => {
      const url = `${ORIGIN}/${rest}`
      const target = plainTarget(url, ORIGIN)
      if (target !== undefined) assert.equal(target, bySlowPath(url))
    }),
    { numRuns: 2_000 },
  )
})
