import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { TextFolder } from './text.ts'

function fold(...parts: (string | 1 | 2)[]): string {
  const folder = new TextFolder()
  for (const part of parts) {
    if (typeof part === 'string') folder.add(part, 0, part.length)
    else folder.part(part)
  }
  return folder.finish().text
}

test('white space folds, gaps part, the larger gap counts', () => {
  assert.equal(fold('  a \n\t b', 'c', ' d '), 'a bc d')
  assert.equal(fold(2, 'a', 1, 2, 1, 'b', 1, 'c', 2), 'a\nb c')
  assert.equal(fold('a\u00a0\u3000\0\u0085b'), 'a b')
  assert.equal(fold('so\u00adft\u200b \ufeffx'), 'soft x')
})

test('letters of every width survive', () => {
  assert.equal(fold('ação'), 'ação')
  assert.equal(fold('a你', '😀 b'), 'a你😀 b')
})

test('folding is what regular expressions would do, however the text is cut in pieces', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'B', ' ', '\n', '.', 'é', '你', '\u00a0') })
  fc.assert(
    fc.property(fc.array(letters), (parts) => {
      assert.equal(fold(...parts), parts.join('').replace(/\s+/g, ' ').trim())
    }),
  )
})

test('a word cut by an inline tag is one word to the simhash', () => {
  const whole = new TextFolder()
  whole.add('one word', 0, 8)
  const pieces = new TextFolder()
  pieces.add('one wo', 0, 6)
  pieces.add('rd', 0, 2)
  assert.equal(whole.finish().simhash, pieces.finish().simhash)
})

test('text is bounded, and says so; a character is never cut in two', () => {
  const folder = new TextFolder(12)
  folder.add('a😀'.repeat(100), 0, 300)
  assert.equal(folder.finish().text, 'a😀'.repeat(3) + 'a')
  assert.ok(folder.cut)
  folder.add('x', 0, 1)
})

test('long texts grow the buffer', () => {
  const long = 'word '.repeat(60_000)
  assert.equal(fold(long).length, long.length - 1)
})
