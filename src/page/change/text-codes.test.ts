import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codeII, TextCode, textCodes } from './text-codes.ts'

/** As the paper prints them; its example of method II is the end of this one. */
const TAIL =
  "Nearly every semester in his classroom, he says, students on the women's cross-country team set the curve on his exams. " +
  'So recently he started wondering if there was a vital and overlooked link between brawn and brains—if long hours at ' +
  'the gym could somehow build up not just muscles, but minds.'
const BEFORE =
  'March 26, 2007 issue - The stereotype of the "dumb jock" has never sounded right to Charles Hillman. A jock himself, he ' +
  "plays hockey four times a week, but when he isn't body-checking his opponents on the ice, he's giving his mind a " +
  `comparable workout in his neuroscience and kinesiology lab at the University of Illinois. ${TAIL}`
const AFTER = BEFORE.replace('plays hockey four', 'used to play hockey five').replace('Illinois', 'Florida')
/** The paper prints a comma and a space for the dash: its count and its difference are those of the dash. */
const TAIL_AFTER = TAIL.replaceAll('his ', 'her ').replaceAll(' he ', ' she ').replace('wondering', 'speculating')

test("text code I of the paper's texts, to the last digit (Y8)", () => {
  const before = textCodes(BEFORE)
  assert.deepEqual([before.sum, before.characters, before.distinct], [56652, 619, 43])
  assert.equal(before.codeI.toFixed(6), '1317.488403')
  const after = textCodes(AFTER)
  assert.deepEqual([after.sum, after.characters, after.distinct], [57113, 625, 43])
  assert.equal(after.codeI.toFixed(6), '1328.209351')
})

test('text code II: counts and difference follow from the texts, the codes from the printed sums only (Y8)', () => {
  const before = textCodes(TAIL)
  const after = textCodes(TAIL_AFTER)
  assert.deepEqual([before.characters, after.characters], [296, 300])
  assert.equal(after.squares - before.squares, 2_876_660 - 2_830_106)
  assert.equal(before.squares - 2_830_106, 42_759)
  assert.equal(codeII(2_830_106, 296).toFixed(4), '5.6834')
  assert.equal(codeII(2_876_660, 300).toFixed(6), '5.653573')
})

test('bytes are signed cp1252; other characters count by their bytes in UTF-8', () => {
  assert.equal(textCodes('—').sum, -105 - 1)
  assert.equal(textCodes('é').sum, 0xe9 - 256 - 1)
  assert.equal(textCodes('€').sum, 0x80 - 256 - 1)
  assert.equal(textCodes('ж').sum, 0xd0 - 256 + (0xb6 - 256) - 1)
  assert.equal(textCodes('你').sum, 0xe4 - 256 + (0xbd - 256) + (0xa0 - 256) - 1)
  assert.deepEqual([textCodes('').codeI, textCodes('').codeII], [0, 1])
})

test('pieces of a text have the code of the whole', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '—', 'ж', '你', '\u{1f600}') })), (pieces) => {
      const code = new TextCode()
      for (const piece of pieces) code.add(piece)
      assert.deepEqual(code.finish(), textCodes(pieces.join('')))
    }),
    { numRuns: 50 },
  )
})

test('why they are not the default: whatever is rearranged has the same codes', () => {
  for (const [one, other] of [
    ['The meeting is on 12 May at 10:30.', 'The meeting is on 21 May at 03:01.'],
    ['Alice owes Bob 150 euros', 'Bob owes Alice 510 euros'],
    // Corrections in Debian's FAQ (12.2 to 13.1) and in Valgrind's news (3.24 to 3.27).
    ['translating, supporting users, reviewing bug reprots,', 'translating, supporting users, reviewing bug reports,'],
    ["isn't called anymore after the program recieves a", "isn't called anymore after the program receives a"],
  ]) {
    assert.equal(textCodes(one).codeI, textCodes(other).codeI)
    assert.equal(textCodes(one).codeII, textCodes(other).codeII)
  }
  // Code II divides by the length: longer texts give ever smaller codes, and 32 bits hold fewer of them.
  assert.equal(textCodes('b'.repeat(1_000_000)).codeII, textCodes(`${'b'.repeat(999_999)}a`).codeII)
})
