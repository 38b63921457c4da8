import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeHTML } from 'entities/decode'
import fc from 'fast-check'
import { textHash } from '../../base/digest.ts'
import { seededRandom } from '../../base/random.ts'
import { runThrough } from '../../base/stretches.ts'
import { PlainFolder, type TextFolder } from './fold-plainly.ts'
import { foldedText, gather } from './gather.ts'
import { textFolder } from './text.ts'

type Part = string | 0 | 1 | 2

/** As in `assembly/memory.ts`. */
const MAX_TEXT = 1_000_000
const PIECE = 1024
const WINDOW = 64 * 1024
const ASIDE = 8 * 1024
const MAX_RUNS = 4096

/** As a page has them: each text between tags. */
function foldPage(parts: readonly Part[], folder = textFolder()) {
  const page = parts.map((part) => (typeof part === 'number' ? '<' : `<${part}`)).join('') + '<'
  let at = 0
  for (const part of parts) {
    at++
    if (typeof part === 'number') folder.part(part)
    else folder.add(page, at, at + part.length)
    if (typeof part === 'string') at += part.length
  }
  return told(folder)
}

/** As texts of their own, which is how those come that held references. */
function foldTexts(parts: readonly Part[], folder = textFolder()) {
  for (const part of parts) {
    if (typeof part === 'number') folder.part(part)
    else folder.add(part, 0, part.length)
  }
  return told(folder)
}

function told(folder: TextFolder) {
  const { length, ...rest } = folder.finish()
  const text = folder.text()
  assert.equal(text.length, length)
  if (rest.strings === 0) assert.deepEqual([rest.digest, rest.named], [textHash(text), length])
  return { text, cut: folder.cut, ...rest }
}

/** What the fast way is compared with. */
const foldPlainly = (parts: readonly Part[], max?: number) => foldTexts(parts, new PlainFolder(max))

test('vectors are there, so that two ways are compared', () => assert.ok(!(textFolder() instanceof PlainFolder)))

const letter = fc.oneof(
  { arbitrary: fc.constantFrom(...'abcXYZ'), weight: 8 },
  { arbitrary: fc.constant(' '), weight: 6 },
  fc.constantFrom(...'0189.,;-<&\'"éÀßÿ×aгдΩשع한'),
  fc.constantFrom('\n', '\t', '\r', '\0', '\x7f', '\x85', '\xa0', '\u2003', '\u3000', '\u2028'),
  fc.constantFrom('\xad', '\u200b', '\ufeff', '\u2060'),
  fc.constantFrom('你', '好', 'ก', 'ា', 'カ', 'ｱ', '１', '😀', '𠀀', '\ud83d', '\ude00', '\uffff'),
  fc.constantFrom('March', ' segunda ', '2024', 'x'.repeat(15), 'ж'.repeat(29), 'y'.repeat(31), '漢'.repeat(9)),
)
const part: fc.Arbitrary<Part> = fc.oneof(
  { arbitrary: fc.string({ unit: letter, maxLength: 60 }), weight: 6 },
  fc.constantFrom(0, 1, 2),
)
const repeated = (lengths: fc.Arbitrary<number>) =>
  fc
    .tuple(fc.string({ unit: letter, minLength: 1, maxLength: 12 }), lengths, fc.integer({ min: -70, max: 3 }))
    .map(([unit, length, more]) => unit.repeat(PIECE).slice(0, Math.max(0, length + more)))
/** Of about the lengths at which texts are cut into pieces, at which words are cut, and at which strings are no names. */
const long = fc.oneof(repeated(fc.nat(3).map((pieces) => pieces * PIECE)), repeated(fc.constantFrom(64, 128, 192, 256)))

test('the fast way of folding gives what the plain way gives, from a page and from texts', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof({ arbitrary: part, weight: 8 }, long), { maxLength: 20 }), (parts) => {
      const expected = foldPlainly(parts)
      assert.deepEqual(foldTexts(parts), expected)
      assert.deepEqual(foldPage(parts), expected)
    }),
    { numRuns: 1000 },
  )
})

test('nothing depends on where a text is cut into runs', () => {
  const text = fc.array(fc.oneof(part, long), { minLength: 1, maxLength: 8 }).map((parts) => parts.join(' '))
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 40 }), (whole, places) => {
      const cuts = [0, ...places.map((place) => place % (whole.length + 1)).sort((a, b) => a - b), whole.length]
      const runs = cuts.slice(1).map((to, i) => whole.slice(cuts[i], to))
      const expected = foldTexts([whole])
      assert.deepEqual(foldTexts(runs), expected)
      assert.deepEqual(foldPage(runs), expected)
    }),
    { numRuns: 500 },
  )
})

test('so it is at the edges of the window on a page', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(part, long), { maxLength: 8 }), fc.integer({ min: -80, max: 80 }), (parts, more) => {
      const expected = foldPlainly(['first', 2, ...parts])
      const before = 'x'.repeat(WINDOW - 6 + more)
      // The first part opens the window, the others are where it ends.
      const folder = textFolder()
      const page = `first${before}${parts.filter((one) => typeof one === 'string').join('<')}<`
      folder.add(page, 0, 5)
      folder.part(2)
      let at = 5 + before.length
      for (const one of parts) {
        if (typeof one === 'number') folder.part(one)
        else {
          folder.add(page, at, at + one.length)
          at += one.length + 1
        }
      }
      assert.deepEqual(told(folder), expected)
    }),
    { numRuns: 100 },
  )
})

/** Word after word, of some characters each. */
function manyWords(count: number, letters: string): string[] {
  const random = seededRandom(3)
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + random.integer(9) }, () => letters[random.integer(letters.length)]).join(''),
  )
}

test('every code unit there is, among letters and by itself', () => {
  for (let code = 0; code < 0x10000; code++) {
    const unit = String.fromCharCode(code)
    const parts: Part[] = [`x${unit}Y1 two three four five`, unit, 1, unit]
    assert.deepEqual(foldTexts(parts), foldPlainly(parts), `U+${code.toString(16)}`)
  }
})

test('more runs than can wait, and more beside the page than there is room for', () => {
  for (const letters of ['abcXYZ09.é', 'ab 你好。\xad', 'дж, 😀\u2003']) {
    const parts = manyWords(3 * MAX_RUNS, letters).map((word, i): Part => (i % 5 === 0 ? 1 : word))
    assert.ok(parts.join('').length > ASIDE)
    const expected = foldPlainly(parts)
    assert.deepEqual(foldTexts(parts), expected)
    assert.deepEqual(foldPage(parts), expected)
  }
})

test('more lines than are kept', () => {
  const parts = manyWords(20_000, 'abcé').flatMap((word): Part[] => [word, 2])
  assert.deepEqual(foldPage(parts), foldPlainly(parts))
})

test('runs longer than the window; votes of many words are counted exactly', () => {
  for (const letters of ['abcdef8', 'éдж.', '漢字กข。😀']) {
    const parts = ['first', 2 as const, manyWords(24_000, letters).join(' '), 'x'.repeat(WINDOW), 1 as const, 'last']
    assert.ok(parts[2].toString().length > 2 * WINDOW)
    const expected = foldPlainly(parts)
    assert.deepEqual(foldTexts(parts), expected)
    assert.deepEqual(foldPage(parts), expected)
  }
})

test('where text is cut both ways cut it alike, and nothing is cut that fits', () => {
  const some = fc.array(fc.oneof({ arbitrary: part, weight: 8 }, long), { maxLength: 20 })
  fc.assert(
    fc.property(some, fc.integer({ min: 2, max: 4 * PIECE }), (parts, max) => {
      const expected = foldPlainly(parts, max)
      assert.deepEqual(foldTexts(parts, textFolder(max)), expected)
      assert.deepEqual(foldPage(parts, textFolder(max)), expected)
      assert.ok(expected.text.length <= max)
      if (expected.cut) assert.ok(parts.join('').length >= max - 1)
      else assert.deepEqual(expected, foldPlainly(parts))
    }),
    { numRuns: 2000 },
  )
})

test('the longest text there is', () => {
  const page = `<${manyWords(260_000, 'abcdefghé1').join(' ')}<`
  const folder = textFolder()
  folder.add(page, 1, page.length - 1)
  const { text, words, simhash, shape } = told(folder)
  assert.ok(folder.cut)
  assert.equal(text.length, MAX_TEXT - 1)
  assert.equal(text, page.slice(1, MAX_TEXT).trimEnd())
  const kept = foldPlainly([text])
  assert.deepEqual([words, simhash, shape], [kept.words, kept.simhash, kept.shape])
  const plain = new PlainFolder()
  plain.add(page, 1, page.length - 1)
  plain.finish()
  assert.ok(plain.cut && plain.text() === text)
})

test('references in a page are what the decoder makes of them', () => {
  const bit = fc.constantFrom(
    '&amp;',
    '&nbsp;',
    '&lt;',
    '&#8217;',
    '&#160;',
    '&#x41;',
    '&eacute;',
    '&copy',
    '&',
    ';',
    '#',
    'amp;',
  )
  const unit = fc.oneof(bit, fc.constantFrom('a', 'B', ' ', '\n', '\r\n', '.', '7', 'é', '你', 'x'.repeat(29)))
  fc.assert(
    fc.property(fc.array(fc.string({ unit, maxLength: 30 }), { maxLength: 5 }), (texts) => {
      const page = texts.join('<b>')
      const { text, digest, simhash, shape, words, named, lines, minima } = foldPlainly(
        texts.map((one) => decodeHTML(one)),
      )
      assert.equal(foldedText(page, 'html'), text)
      const { tags: _, ...signature } = runThrough(gather(page, false)).signature
      assert.deepEqual(signature, { textDigest: digest, simhash, shape, words, length: named, lines, minima })
    }),
    { numRuns: 1000 },
  )
})
