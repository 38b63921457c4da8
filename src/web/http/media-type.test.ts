import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mediaTypeOf, parseMediaType } from './headers.ts'

test('media types as servers write them', () => {
  const cases: [string | undefined, { type: string; charset?: string }][] = [
    [undefined, { type: '' }],
    ['', { type: '' }],
    ['text/html', { type: 'text/html' }],
    ['Text/HTML; Charset=UTF-8', { type: 'text/html', charset: 'utf-8' }],
    ['text/html;charset="windows-1252"', { type: 'text/html', charset: 'windows-1252' }],
    ["text/html;charset='latin1'", { type: 'text/html', charset: 'latin1' }],
    ['text/html; charset="utf-8', { type: 'text/html', charset: 'utf-8' }],
    ['text/html;', { type: 'text/html' }],
    ['text/html;charset=', { type: 'text/html' }],
    ['text/html, text/html; charset=x', { type: 'text/html', charset: 'x' }],
    ['text/html; charset=x, text/html', { type: 'text/html', charset: 'x' }],
    ['text/html; charset=x, text/plain', { type: 'text/plain' }],
    ['text/html; charset=x, text/plain, text/html', { type: 'text/html' }],
    ['text/html, */*; charset=x', { type: 'text/html' }],
    [', text/html,', { type: 'text/html' }],
    ['text/html, charset=utf-8', { type: 'text/html', charset: 'utf-8' }],
    ['text/html; charset=x, charset=y', { type: 'text/html', charset: 'x' }],
    ['text/html; charset=x, text/html; charset=y', { type: 'text/html', charset: 'y' }],
    ['text/html charset=utf-8', { type: 'text/html', charset: 'utf-8' }],
    ['text/plain; format=flowed; charset = us-ascii ; a=b', { type: 'text/plain', charset: 'us-ascii' }],
    ['text/html; mycharset=utf-8', { type: 'text/html' }],
    ['application/xhtml+xml', { type: 'application/xhtml+xml' }],
    ['html', { type: '' }],
    ['text/', { type: '' }],
    ['te xt/html', { type: '' }],
    [`text/html; charset=${'x'.repeat(41)}`, { type: 'text/html' }],
  ]
  for (const [value, expected] of cases) assert.deepEqual(parseMediaType(value), expected, value)
})

test('of several types the last counts, in one line or in many', () => {
  const headers = (...values: string[]) => values.map((value) => ['Content-Type', value] as const)
  assert.deepEqual(mediaTypeOf(headers('application/octet-stream', 'text/html')), { type: 'text/html' })
  assert.deepEqual(mediaTypeOf(headers('text/html; charset=x', 'text/html')), { type: 'text/html', charset: 'x' })
  assert.deepEqual(mediaTypeOf(headers('text/html', '')), { type: 'text/html' })
})

test('any text gives a bounded answer', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 3000 }), (text) => {
      const { type, charset } = parseMediaType(text)
      assert.ok(type.length <= 255 && (charset ?? '').length <= 40)
      assert.equal(type, type.toLowerCase())
    }),
  )
})
