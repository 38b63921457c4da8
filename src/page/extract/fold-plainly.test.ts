import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeHTML } from 'entities/decode'
import fc from 'fast-check'
import { hash64 } from '../../base/digest.ts'
import { seededRandom } from '../../base/random.ts'
import { runThrough } from '../../base/stretches.ts'
import { KIND, kindsOfCharacters } from './characters.ts'
import { foldPlainly } from './fold-plainly.test-data.ts'
import { openPlainFolding } from './fold-plainly.ts'
import { foldedText, gather } from './gather.ts'
import { ASIDE, MAX_RUNS, MAX_TEXT, openMemory, PIECE, TextFolder, WINDOW } from './text.ts'

type Part = string | 0 | 1 | 2

const KIND_OF = kindsOfCharacters()

/** As a page has them: each text between tags. */
function foldPage(parts: readonly Part[], folder = new TextFolder()) {
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
function foldTexts(parts: readonly Part[], folder = new TextFolder()) {
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
  if (rest.strings === 0) assert.deepEqual([rest.digest, rest.named], [hash64(text), length])
  return { text, ...rest }
}

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
      const folder = new TextFolder()
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

test('runs longer than the window; votes of many words are counted exactly', () => {
  for (const letters of ['abcdef8', 'éдж.', '漢字กข。😀']) {
    const parts = ['first', 2 as const, manyWords(24_000, letters).join(' '), 'last']
    assert.ok(parts[2].toString().length > 2 * WINDOW)
    const expected = foldPlainly(parts)
    assert.deepEqual(foldTexts(parts), expected)
    assert.deepEqual(foldPage(parts), expected)
  }
})

/** As much of the parts as has so many characters that are seen. */
function firstSeen(parts: readonly Part[], count: number): Part[] {
  const first: Part[] = []
  for (const one of parts) {
    if (count === 0) break
    let end = 0
    for (; typeof one === 'string' && end < one.length && count > 0; end++) {
      const kind = KIND_OF[one.charCodeAt(end)]
      if (kind !== KIND.white && kind !== KIND.nothing) count--
    }
    first.push(typeof one === 'string' ? one.slice(0, end) : one)
  }
  return first
}

test('where text is cut it is what the plain way gives of as much, and nothing is cut that fits', () => {
  const some = fc.array(fc.oneof({ arbitrary: part, weight: 8 }, long), { maxLength: 12 })
  fc.assert(
    fc.property(some, fc.integer({ min: 2, max: 3 * PIECE }), (parts, max) => {
      const folder = new TextFolder(max)
      for (const one of parts) {
        if (typeof one === 'number') folder.part(one)
        else folder.add(one, 0, one.length)
      }
      const result = told(folder)
      const { text, leftOut } = result
      assert.ok(text.length <= max)
      if (!folder.cut) assert.deepEqual(result, foldPlainly(parts))
      else assert.ok(parts.join('').length >= max - 1)
      // Half a pair at the very end was seen, but is not in the text.
      if (/[\ud800-\udfff]/.test(parts.join(''))) return
      const seen = text.replace(/[ \n]/g, '').length + leftOut
      assert.deepEqual(result, foldPlainly(firstSeen(parts, seen)))
    }),
    { numRuns: 500 },
  )
})

test('the longest text there is', () => {
  const page = `<${manyWords(260_000, 'abcdefghé1').join(' ')}<`
  const folder = new TextFolder()
  folder.add(page, 1, page.length - 1)
  const { text, words, simhash, shape } = told(folder)
  assert.ok(folder.cut)
  assert.equal(text.length, MAX_TEXT - 1)
  assert.equal(text, page.slice(1, MAX_TEXT).trimEnd())
  const kept = foldPlainly([text])
  assert.deepEqual([words, simhash, shape], [kept.words, kept.simhash, kept.shape])
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

const plainMemory = openMemory(openPlainFolding())
const fastMemory = openMemory()

/** What a folder in this memory makes of the parts, as a page has them and as texts of their own, cut or not. */
function foldIn(memory: typeof plainMemory, parts: readonly Part[], max?: number) {
  const results = []
  for (const fold of [foldPage, foldTexts]) {
    const folder = new TextFolder(max, memory)
    results.push({ ...fold(parts, folder), cut: folder.cut })
  }
  return results
}

test('without vectors the same comes of a text, cut or not', () => {
  assert.notEqual(plainMemory.folding.memory.buffer.byteLength, fastMemory.folding.memory.buffer.byteLength)
  for (const name of ['ASIDE', 'MAX_RUNS', 'MAX_TEXT', 'PIECE', 'WINDOW'] as const)
    assert.equal(plainMemory.folding[name].value, fastMemory.folding[name].value, name)
  const some = fc.array(fc.oneof({ arbitrary: part, weight: 8 }, long), { maxLength: 20 })
  fc.assert(
    fc.property(some, fc.option(fc.integer({ min: 2, max: 4 * PIECE }), { nil: undefined }), (parts, max) => {
      assert.deepEqual(foldIn(plainMemory, parts, max), foldIn(fastMemory, parts, max))
    }),
    { numRuns: 2000 },
  )
  const lengthy = ['first', 2 as const, manyWords(24_000, 'abé1漢😀').join(' '), 'x'.repeat(WINDOW), 1 as const, 'last']
  assert.deepEqual(foldIn(plainMemory, lengthy), foldIn(fastMemory, lengthy))
})
