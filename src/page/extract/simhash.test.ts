import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seededRandom } from '../../base/random.ts'
import { textFolder } from './text.ts'

function bitsApart(a: bigint, b: bigint): number {
  return (a ^ b).toString(2).replaceAll('0', '').length
}

function simhash(text: string): bigint {
  const folder = textFolder()
  folder.add(text, 0, text.length)
  return folder.finish().simhash
}

function shape(text: string): bigint {
  const folder = textFolder()
  folder.add(text, 0, text.length)
  return folder.finish().shape
}

const random = seededRandom(11)
const word = () => (random.integer(5000) + 1000).toString(36)
const sentence = (words: number) => Array.from({ length: words }, word)

test('a text with a word changed differs in few bits, another text in about half', () => {
  let near = 0
  let far = 0
  const runs = 40
  for (let run = 0; run < runs; run++) {
    const text = sentence(300)
    const changed = text.with(random.integer(300), 'changed')
    const apart = bitsApart(simhash(text.join(' ')), simhash(changed.join(' ')))
    assert.ok(apart <= 12, `${apart} bits`)
    near += apart / runs
    far += bitsApart(simhash(text.join(' ')), simhash(sentence(300).join(' '))) / runs
  }
  assert.ok(near < 5, `nearly equal texts: ${near} bits on average`)
  assert.ok(far > 28 && far < 36, `different texts: ${far} bits on average`)
})

test('the same words in another order are another text', () => {
  const text = sentence(200)
  assert.ok(bitsApart(simhash(text.join(' ')), simhash(text.toReversed().join(' '))) > 16)
})

test('case, white space and punctuation do not count; scripts without spaces do, letter by letter', () => {
  assert.equal(simhash('One two, three.'), simhash('one  TWO\nthree!'))
  const chinese = Array.from({ length: 400 }, () => String.fromCharCode(0x4e00 + random.integer(3000)))
  const apart = bitsApart(simhash(chinese.join('')), simhash(chinese.with(200, '新').join('')))
  assert.ok(apart <= 12, `${apart} bits`)
})

test('a text without words has no simhash; the shortest has one', () => {
  assert.equal(simhash(''), 0n)
  assert.equal(simhash(' ... '), 0n)
  assert.notEqual(simhash('a'), simhash('b'))
})

test('what differs in numbers and dates only has one shape', () => {
  const body = sentence(60).join(' ').replace(/[0-9]/g, 'z')
  const day = (date: string) => `Calendar ${date} no events ${body} next`
  assert.equal(shape(day('Monday 3 March 2024')), shape(day('Tuesday, 14 April 2031')))
  assert.equal(shape(day('3 de março')), shape(day('27 de janeiro')))
  assert.equal(shape(day('12:30')), shape(day('9')), 'a run of numbers is one word, however long')
  assert.equal(shape(day('12th')), shape(day('item7b')))
  assert.notEqual(simhash(day('3 March')), simhash(day('4 March')))
  assert.notEqual(shape(day('3 March')), shape(day('market')))
})

test('the shape is the simhash where there are no numbers, and tells different texts with the same numbers apart', () => {
  const plain = Array.from({ length: 200 }, () => word().replace(/[0-9]/g, 'q')).join(' ')
  assert.equal(shape(plain), simhash(plain))
  const table = (name: string) => Array.from({ length: 40 }, (_, i) => `${name}${'abcdefghij'[i % 10]} ${i}`).join(' ')
  assert.ok(bitsApart(shape(table('lisbon')), shape(table('porto'))) > 12)
  assert.equal(shape('1 2 3'), shape('77'))
})

test('names that are left out of the text are words of simhash and shape; what is longer than any name is not', () => {
  const usage = (name: string) =>
    `Uses of Class ${name} Package Class Use Tree Deprecated Index Help No usage of ${name}`
  const one = usage('java.nio.channels.ClosedSelectorException')
  const other = usage('java.nio.channels.ConnectionPendingException')
  assert.ok(bitsApart(shape(one), shape(other)) > 4)
  assert.equal(simhash(one), simhash(one.replaceAll('.', ' ')), 'the words that it would have with spaces in it')
  const numbered = (id: string) => usage(`/archive/messages/by-thread/${id}/index.html`)
  assert.equal(shape(numbered('4711a')), shape(numbered('0815b')), 'numbers are folded in them too')
  assert.notEqual(simhash(numbered('4711a')), simhash(numbered('0815b')))
  const data = (length: number) => 'ab-cd/'.repeat(50).slice(0, length)
  assert.notEqual(simhash(usage(data(256))), simhash(usage('')))
  assert.equal(simhash(usage(data(257))), simhash(usage('')))
})

test('shape and simhash do not depend on how the words are handed over', () => {
  const token = fc.constantFrom('a', 'b', 'cat', '1', '22', 'may', 'x9', 'friday', '你', '.')
  fc.assert(
    fc.property(fc.array(token, { maxLength: 80 }), fc.nat(80), (tokens, cut) => {
      const whole = tokens.join(' ')
      const folder = textFolder()
      const at = Math.min(cut, whole.length)
      folder.add(whole, 0, at)
      folder.add(whole, at, whole.length)
      const pieces = folder.finish()
      assert.deepEqual([pieces.simhash, pieces.shape], [simhash(whole), shape(whole)])
      const folded = tokens.map((one) => (/\d|may|friday/.test(one) ? '#0' : one))
      assert.equal(shape(whole), shape(folded.join(' ')))
    }),
    { numRuns: 300 },
  )
})
