import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mark } from './marks.ts'
import { slowly, titleMark } from './title.ts'

test('pages that differ in numbers and dates only have one title', () => {
  const same = (a: string, b: string) => assert.equal(titleMark(a), titleMark(b), `${a} | ${b}`)
  same('Events of 3 May 2031', 'Events of 12 June 2032')
  same('Photo 17 of 300', 'Photo 18 of 300')
  same('MONDAY, 4.', 'friday, 11.')
  same('Право человек 1', 'ПРАВО ЧЕЛОВЕК 27')
  assert.notEqual(titleMark('Photo 17 of a cat'), titleMark('Photo 17 of a dog'))
})

test('every letter of 16 bits, alone and in a word, is folded as the regular expressions say', () => {
  for (let unit = 0; unit < 0x10000; unit++) {
    const letter = String.fromCharCode(unit)
    const title = `a${letter}b ${letter} 3${letter}4 ${letter}${letter} 5`
    if (titleMark(title) !== mark(slowly(title))) assert.fail(`U+${unit.toString(16)}`)
  }
})

const word = fc.constantFrom(
  '#',
  '##',
  '-',
  ' ',
  '3',
  'Mai',
  'März',
  '٣',
  'ß',
  'İ',
  'ΟΔΟΣ',
  'हिन्दी',
  '½',
  'x²',
  '𐐷',
  '\ud801',
  'v2',
)
const title = fc.array(fc.oneof(word, fc.string({ unit: 'binary', maxLength: 12 })), { maxLength: 30 })

test('any title, letter by letter and by regular expressions', () => {
  fc.assert(
    fc.property(title, fc.constantFrom('', ' '), (words, between) => {
      const text = words.join(between)
      assert.equal(titleMark(text), mark(slowly(text)))
    }),
    { numRuns: 3000 },
  )
})
