import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatHttpDate } from './http-date.ts'
import { conditionsOf, isSameByValidators, validatorsOf } from './validators.ts'

const NOW = Date.UTC(2026, 10, 16)
const DATE = 'Sun, 15 Nov 2026 08:49:37 GMT'

test('a tag is sent as it came, whatever its form; a date in its one right form', () => {
  for (const etag of ['"abc"', 'W/"abc"', 'unquoted', '"a\xe9"', '""'])
    assert.deepEqual(conditionsOf(validatorsOf([['ETag', etag]], NOW), NOW), [['If-None-Match', etag]])
  for (const date of [DATE, 'Sunday, 15-Nov-26 08:49:37 GMT', 'Sun Nov 15 08:49:37 2026'])
    assert.deepEqual(conditionsOf(validatorsOf([['last-modified', date]], NOW), NOW), [['If-Modified-Since', DATE]])
  const both = validatorsOf(
    [
      ['Last-Modified', DATE],
      ['ETag', '"x"'],
    ],
    NOW,
  )
  assert.deepEqual(
    conditionsOf(both, NOW).map(([name]) => name),
    ['If-None-Match', 'If-Modified-Since'],
  )
})

test('what would mean something else, or nothing, is not sent', () => {
  assert.deepEqual(
    validatorsOf(
      [
        ['ETag', `"${'x'.repeat(1100)}"`],
        ['Last-Modified', 'yesterday'],
      ],
      NOW,
    ),
    {},
  )
  assert.deepEqual(validatorsOf([['ETag', '']], NOW), {})
  assert.deepEqual(conditionsOf({ lastModified: formatHttpDate(NOW + 5000) }, NOW), [])
})

test('whatever a server sends, the conditions can be sent as headers', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), fc.string(), (etag, date) => {
      for (const [, value] of conditionsOf(
        validatorsOf(
          [
            ['ETag', etag],
            ['Last-Modified', date],
          ],
          NOW,
        ),
        NOW,
      ))
        assert.doesNotMatch(value, /[\x00-\x1f\x7f]/)
    }),
  )
})

test('tags are compared weakly; the date counts only where there is no tag', () => {
  assert.ok(isSameByValidators({ etag: 'W/"a"' }, { etag: '"a"' }))
  assert.ok(!isSameByValidators({ etag: '"a"', lastModified: DATE }, { etag: '"b"', lastModified: DATE }))
  assert.ok(isSameByValidators({ lastModified: DATE }, { etag: '"new"', lastModified: DATE }))
  assert.ok(!isSameByValidators({}, {}))
})
