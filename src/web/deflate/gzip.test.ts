import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { seededRandom } from '../../base/random.ts'
import { type Gzip, openGzip } from './gzip.ts'
import { noise, prose, texts } from './texts.test-data.ts'

const CHUNK = 65_535
const WINDOW = 32_768
/** Where records lie one behind another before the table begins anew. */
const ARENA = 262_144

const gzip = openGzip()

function packed(parts: readonly Uint8Array[], by: Gzip = gzip): Buffer {
  const pieces: Buffer[] = []
  by((bytes) => pieces.push(Buffer.from(bytes)), parts)
  return Buffer.concat(pieces)
}

/** Checks it, and says how long it was. */
function comesBack(...parts: Uint8Array[]): number {
  const member = packed(parts)
  assert.ok(gunzipSync(member).equals(Buffer.concat(parts)), 'other bytes came back')
  return member.length
}

function inParts(text: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b)
  return [0, ...at].map((start, index) => text.subarray(start, at[index] ?? text.length))
}

test('what goes in comes out of another unpacker, in however many parts', () => {
  fc.assert(
    fc.property(texts, fc.array(fc.nat(), { maxLength: 6 }), (text, cuts) => {
      const parts = inParts(text, cuts)
      assert.ok(gunzipSync(packed(parts)).equals(text))
    }),
  )
})

test('the same bytes whatever was packed before and however it was cut', () => {
  fc.assert(
    fc.property(texts, fc.array(fc.nat(), { maxLength: 6 }), (text, cuts) => {
      assert.deepEqual(packed(inParts(text, cuts)), packed([text], openGzip()))
    }),
    { numRuns: 50 },
  )
})

test('records far longer than all the memory: the window slides, and the bytes do not depend on where it began', () => {
  const text = Buffer.concat([prose(200_000), noise(70_000), prose(3 * ARENA), noise(5), prose(CHUNK)])
  for (const before of [0, 1, 1000, 100_000, 190_000]) {
    const used = openGzip()
    packed([prose(before)], used)
    assert.deepEqual(packed([text], used), packed([text], openGzip()))
  }
  comesBack(text)
  comesBack(text.subarray(0, 300_000), new Uint8Array(0), text.subarray(300_000))
})

test('what lay behind the end of a record before does not tip the balance between two matches', () => {
  const text = Buffer.from('..Xabcdefg<,,Yabcdefg>>>>>>>>;;Xabcdefg')
  const used = openGzip()
  for (let filled = 0; filled <= ARENA; filled += 60_000) packed([new Uint8Array(60_000).fill('>'.charCodeAt(0))], used)
  assert.deepEqual(packed([text], used), packed([text], openGzip()))
})

test('of the record before nothing is seen, though its bytes lie next to it', () => {
  const text = prose(5000)
  // Across more than one beginning of the arena.
  for (let round = 0; round < 200; round++) {
    comesBack(text)
    comesBack(text.subarray(round))
  }
})

test('nothing, one byte, two, some: any byte', () => {
  for (let length = 0; length < 40; length++) {
    for (const value of [0, 65, 255]) comesBack(new Uint8Array(length).fill(value))
    comesBack(prose(length))
    comesBack(noise(length))
  }
  assert.equal(packed([]).length, 20)
  assert.deepEqual(packed([]), packed([new Uint8Array(0), new Uint8Array(0)]))
})

for (const border of [16, 32, 258, 512, WINDOW, CHUNK, 2 * CHUNK, ARENA, 4 * CHUNK, ARENA + WINDOW]) {
  test(`lengths around ${border}`, () => {
    for (const size of [
      border - 5,
      border - 4,
      border - 2,
      border - 1,
      border,
      border + 1,
      border + 2,
      border + 5,
      border + 17,
    ]) {
      comesBack(prose(size))
      comesBack(noise(size))
      comesBack(new Uint8Array(size))
      comesBack(prose(size - 3), noise(3))
    }
  })
}

test('long runs, and matches of each length', () => {
  assert.ok(comesBack(new Uint8Array(1_000_000)) < 2000)
  const longest = noise(300)
  for (let length = 3; length <= 300; length++) comesBack(longest, noise(40), longest.subarray(0, length), noise(30))
})

test('a match at the farthest distance is taken, one byte farther there is none', () => {
  const piece = noise(200, 250)
  const sizes = [WINDOW - 1, WINDOW, WINDOW + 1].map((distance) =>
    comesBack(piece, new Uint8Array(distance - piece.length).fill(255), piece),
  )
  assert.ok(sizes[1]! - sizes[0]! < 10, `${sizes}`)
  assert.ok(sizes[2]! - sizes[1]! > 100, `${sizes}`)
})

test('a run that is cut off by the end of a chunk, anywhere, goes on in the next', () => {
  for (let before = 0; before < 260; before += 7) comesBack(noise(before), new Uint8Array(CHUNK + 500))
})

test('a match across the border of two chunks, and over the slide', () => {
  const piece = noise(300)
  for (let chunks = 1; chunks < 10; chunks++)
    for (const short of [0, 1, 3, 4, 5, 8, 150]) comesBack(prose(chunks * CHUNK - 300 - short), piece, piece)
})

test('frequencies that grow a little faster than those of Fibonacci need codes of the greatest length', () => {
  // Each behind a pair that comes but once, so that there is no match and what is counted is what is written.
  const GROUPS = 21_000
  const steep: number[] = []
  for (let [symbol, times, next] = [0, 1, 2]; steep.length + times <= GROUPS; symbol++) {
    steep.push(...Array(times).fill(symbol))
    ;[times, next] = [next, times + next + 1]
  }
  const random = seededRandom(1)
  for (let at = steep.length - 1; at > 0; at--) {
    const other = random.integer(at + 1)
    ;[steep[at], steep[other]] = [steep[other]!, steep[at]!]
  }
  const text = steep.flatMap((symbol, at) => [50 + Math.floor(at / 200), 50 + (at % 200), symbol])
  assert.ok(comesBack(Uint8Array.from(text)) < 0.9 * text.length)
})

test('alphabets of few symbols, with and without distances', () => {
  for (const values of [1, 2, 3, 5, 17, 100, 255])
    for (const size of [5, 30, 300, 3000, 70_000]) comesBack(noise(size, values))
  // All different: not one distance.
  comesBack(Uint8Array.from({ length: 256 }, (_, value) => value))
  comesBack(Uint8Array.from({ length: 60 }, (_, value) => 60 - value))
})

test('what cannot be compressed costs five bytes a chunk, even where text surrounds it', () => {
  assert.equal(comesBack(noise(CHUNK)), CHUNK + 5 + 18)
  assert.equal(comesBack(noise(4 * CHUNK)), 4 * (CHUNK + 5) + 18)
  comesBack(prose(CHUNK), noise(CHUNK), prose(CHUNK), noise(10))
})

test('it is no longer than what zlib makes at its fastest', () => {
  for (const size of [700, 3000, 15_000, 60_000, 200_000]) {
    const text = prose(size)
    const [ours, theirs] = [comesBack(text), gzipSync(text, { level: 1 }).length]
    assert.ok(ours < 1.03 * theirs, `${ours} bytes, not ${theirs}`)
  }
})

test('whoever takes the bytes may throw: the next member is whole', () => {
  const full = () => {
    throw new Error('no room left')
  }
  for (const size of [10, 3 * CHUNK, 10 * CHUNK]) {
    assert.throws(() => gzip(full, [noise(size)]), /no room left/)
    assert.equal(gunzipSync(packed([Buffer.from('next')])).toString(), 'next')
    let pieces = 0
    const fullLater = () => (++pieces === 2 ? full() : undefined)
    if (size > CHUNK) assert.throws(() => gzip(fullLater, [prose(size)]), /no room left/)
    assert.deepEqual(packed([prose(9000)]), packed([prose(9000)], openGzip()))
  }
})

test('the header says nothing that could differ', () => {
  assert.equal(
    packed([Buffer.from('x')])
      .subarray(0, 10)
      .toString('hex'),
    '1f8b0800000000000403',
  )
})
