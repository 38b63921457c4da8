import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeHTML } from 'entities/decode'
import fc from 'fast-check'
import { commonReference } from './letters.ts'

test('a common reference is what the decoder makes of it, whatever follows', () => {
  const named = fc.constantFrom('amp', 'nbsp', 'lt', 'gt', 'quot', 'AMP', 'am', 'copy', 'notit', 'lte', '')
  const number = fc.oneof(fc.nat(70_000), fc.constantFrom('', '0039', '00160', '8217', '128', '55296', '99999', 'x41'))
  const reference = fc.oneof(
    named,
    number.map((one) => `#${one}`),
  )
  fc.assert(
    fc.property(reference, fc.constantFrom(';', ' ', ''), fc.string({ maxLength: 5 }), (name, end, after) => {
      const text = `a&${name}${end}${after}`
      const found = commonReference(text, 1)
      if (found === 0) return
      const rest = text.slice(1 + (found >>> 16))
      assert.equal(decodeHTML(text), `a${String.fromCharCode(found & 0xffff)}${decodeHTML(rest)}`)
    }),
    { numRuns: 3000 },
  )
})

test('those that are common', () => {
  const told = (text: string) => [commonReference(text, 0) & 0xffff, commonReference(text, 0) >>> 16]
  assert.deepEqual(told('&amp;x'), [38, 5])
  assert.deepEqual(told('&nbsp;'), [160, 6])
  assert.deepEqual(told('&#8217;s'), [8217, 7])
  for (const other of ['&amp', '&', '&#', '&#;', '&#x41;', '&#128;', '&#55296;', '&#1234567;', '&eacute;'])
    assert.equal(commonReference(other, 0), 0, other)
})
