import assert from 'node:assert/strict'
import { test } from 'node:test'
import { constants, deflateRawSync, deflateSync, gunzipSync, gzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { seededRandom } from '../../base/random.ts'
import { openGzip } from './gzip.ts'
import { type Inflated, openInflate, type Wrapping } from './inflate.ts'
import { noise, prose, texts } from './texts.test-data.ts'

/** What the module takes and gives at a time. */
const INPUT = 65_536
const OUTPUT = 262_144
const MAX = 50_000_000

const inflate = openInflate()
const pack = { gzip: gzipSync, zlib: deflateSync, raw: deflateRawSync }
const unpack = { gzip: gunzipSync, zlib: inflateSync, raw: inflateRawSync }
const WRAPPINGS: Wrapping[] = ['gzip', 'zlib', 'raw']

const wrappings = fc.constantFrom(...WRAPPINGS)
const { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED, Z_SYNC_FLUSH } = constants
const options = fc.record({
  level: fc.integer({ min: 0, max: 9 }),
  strategy: fc.constantFrom(Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED),
  memLevel: fc.integer({ min: 1, max: 9 }),
  windowBits: fc.integer({ min: 9, max: 15 }),
})

function comesBack(packed: Uint8Array, text: Uint8Array, wrapping: Wrapping = 'gzip'): void {
  const { bytes, end } = inflate(packed, wrapping, MAX)
  assert.equal(end, 'whole')
  assert.ok(Buffer.from(text).equals(bytes), 'other bytes came back')
}

/** What zlib finds: the end, and all that comes out before it. */
function judged(packed: Uint8Array, wrapping: Wrapping): Inflated {
  const attempt = (finishFlush: number, length: number) => {
    try {
      return unpack[wrapping](packed.subarray(0, length), { finishFlush })
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR' ? 'early' : 'damaged'
    }
  }
  const whole = attempt(constants.Z_FINISH, packed.length)
  if (typeof whole !== 'string') return { bytes: whole, end: 'whole' }
  // It gives all or nothing: so the longest beginning is sought that is not damaged.
  let good = 0
  let bad = packed.length + 1
  let bytes = Buffer.alloc(0)
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    const out = attempt(Z_SYNC_FLUSH, middle)
    if (typeof out === 'string') bad = middle
    else {
      bytes = out
      good = middle
    }
  }
  return { bytes, end: whole }
}

/**
 * Of the byte in which the damage is, zlib's beginning has nothing, but the symbols that end in it, before the damage, are there:
 * a few bytes, or matches.
 */
function judgedAlike(packed: Uint8Array, wrapping: Wrapping): End {
  const expected = judged(packed, wrapping)
  const found = inflate(packed, wrapping, MAX)
  assert.equal(found.end, expected.end)
  const max = expected.end === 'damaged' ? expected.bytes.length + 8 * 258 : expected.bytes.length
  assert.ok(found.bytes.length >= expected.bytes.length && found.bytes.length <= max)
  assert.ok(Buffer.from(expected.bytes).equals(found.bytes.subarray(0, expected.bytes.length)))
  return found.end
}

type End = Inflated['end']

test('what zlib packs comes back, however it packs it', () => {
  fc.assert(
    fc.property(texts, options, wrappings, (text, how, wrapping) => {
      comesBack(pack[wrapping](text, how), text, wrapping)
    }),
    { numRuns: 400 },
  )
})

test('what is packed here comes back', () => {
  const gzip = openGzip()
  fc.assert(
    fc.property(texts, (text) => {
      const pieces: Buffer[] = []
      gzip((bytes) => pieces.push(Buffer.from(bytes)), [text])
      comesBack(Buffer.concat(pieces), text)
    }),
  )
})

test('the shortest and the dullest come back', () => {
  for (const wrapping of WRAPPINGS) {
    for (const level of [0, 1, 6, 9]) {
      for (const size of [0, 1, 2, 3, 257, 258, 259, 32_768, 65_535, 65_536, 70_000]) {
        for (const text of [new Uint8Array(size), noise(size), prose(size)])
          comesBack(pack[wrapping](text, { level }), text, wrapping)
      }
    }
  }
})

test('texts and streams that are longer than the room for them come back', () => {
  for (const size of [OUTPUT - 1, OUTPUT, OUTPUT + 1, OUTPUT + 300, 3 * OUTPUT]) {
    for (const [name, text] of Object.entries({
      prose: prose(size),
      noise: noise(size),
      zeros: new Uint8Array(size),
    })) {
      for (const level of [0, 1, 9])
        for (const wrapping of WRAPPINGS) comesBack(pack[wrapping](text, { level }), text, wrapping)
      assert.ok(name !== 'noise' || gzipSync(text).length > INPUT)
    }
  }
})

test('matches reach over the border of the room, as far back as they may', () => {
  for (const distance of [1, 2, 15, 16, 17, 258, 32_000, 32_768 - 262]) {
    const head = noise(distance)
    const text = Buffer.concat(Array(Math.ceil((2.5 * OUTPUT) / distance)).fill(head))
    comesBack(deflateRawSync(text, { level: 9 }), text, 'raw')
  }
})

test('input that is longer than the room for it may be cut anywhere', () => {
  // Many blocks, so that there are headers; stored bytes before them move what the border falls on.
  const text = prose(60_000)
  const packed = deflateRawSync(text, { memLevel: 1 })
  for (let length = 65_535; length > 65_000; length -= 3) {
    const stored = noise(length)
    const head = [0, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255]
    comesBack(Buffer.concat([Buffer.from(head), stored, packed]), Buffer.concat([stored, text]), 'raw')
  }
})

test('a stream that is cut off gives all that zlib finds in it', () => {
  fc.assert(
    fc.property(texts, options, wrappings, fc.nat(), (text, how, wrapping, cut) => {
      const packed = pack[wrapping](text, how)
      assert.equal(judgedAlike(packed.subarray(0, cut % packed.length), wrapping), 'early')
    }),
    { numRuns: 400 },
  )
  const packed = gzipSync(prose(2000))
  for (let length = 0; length < packed.length; length++) judgedAlike(packed.subarray(0, length), 'gzip')
})

test('a stream that is damaged is judged as zlib judges it', () => {
  const damage = fc.array(fc.record({ at: fc.nat(), bits: fc.integer({ min: 1, max: 255 }) }), {
    minLength: 1,
    maxLength: 3,
  })
  const ends = new Set<End>()
  fc.assert(
    fc.property(texts, options, wrappings, damage, fc.boolean(), (text, how, wrapping, flips, isNearStart) => {
      const packed = pack[wrapping](text.subarray(0, 3000), how)
      for (const { at, bits } of flips)
        packed[at % (isNearStart ? Math.min(100, packed.length) : packed.length)] ^= bits
      ends.add(judgedAlike(packed, wrapping))
    }),
    { numRuns: 3000 },
  )
  assert.deepEqual([...ends].sort(), ['damaged', 'early', 'whole'])
})

test('bytes that were never a stream are judged as zlib judges them', () => {
  const random = seededRandom(7)
  const begin = { gzip: [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], zlib: [0x78, 0x9c], raw: [] }
  for (let round = 0; round < 6000; round++) {
    const wrapping = WRAPPINGS[round % 3]
    const bytes = Uint8Array.from({ length: random.integer(120) }, () => random.integer(256))
    // The first bits choose the kind of block: codes of its own are the hardest to get right.
    if (bytes.length > 0) bytes[0] = (bytes[0] & ~7) | 4 | (round & 1)
    judgedAlike(Uint8Array.from([...begin[wrapping], ...bytes]), wrapping)
  }
})

/** Bits as the format has them: numbers lowest first, codes (given as text) as they are read. */
function streamOf(...fields: ([value: number, bits: number] | string)[]): Uint8Array {
  const bits = fields.map((field) =>
    typeof field === 'string' ? field : [...field[0].toString(2).padStart(field[1], '0')].reverse().join(''),
  )
  const all = bits.join('')
  const bytes = new Uint8Array(Math.ceil(all.length / 8))
  for (let at = 0; at < all.length; at++) bytes[at >> 3] |= Number(all[at]) << (at & 7)
  return bytes
}

test('each fault of a stream is found, and what came before it is kept', () => {
  const fixed: [number, number] = [0b011, 3]
  const own: [number, number] = [0b101, 3]
  const a = '10010001'
  const faults: Record<string, [Uint8Array, string]> = {
    'a kind of block that there is not': [streamOf([0b111, 3]), ''],
    'a stored length that does not agree': [streamOf([0b001, 3], [0, 5], [5, 16], [5, 16]), ''],
    'a length that there is not': [streamOf(fixed, a, '11000110', [0, 40]), 'a'],
    'a distance that there is not': [streamOf(fixed, a, '0000001', '11110', [0, 40]), 'a'],
    'a distance before the beginning': [streamOf(fixed, a, '0000001', '00001', [0, 40]), 'a'],
    'too many literals': [streamOf(own, [30, 5], [0, 5], [0, 4], [0, 40]), ''],
    'too many distances': [streamOf(own, [0, 5], [30, 5], [0, 4], [0, 40]), ''],
    'more codes for the header than there can be': [streamOf(own, [0, 14], [1, 3], [1, 3], [1, 3], [0, 3]), ''],
    'a repetition of nothing': [streamOf(own, [0, 14], [1, 3], [0, 3], [0, 3], [1, 3], '1', [0, 2], [0, 40]), ''],
  }
  for (const [what, [stream, before]] of Object.entries(faults)) {
    assert.deepEqual([inflate(stream, 'raw', MAX).end, judged(stream, 'raw').end], ['damaged', 'damaged'], what)
    assert.equal(Buffer.from(inflate(stream, 'raw', MAX).bytes).toString(), before, what)
    // Far from the end of the input it is another loop that finds it.
    const long = Buffer.concat([stream, new Uint8Array(100)])
    assert.deepEqual(inflate(long, 'raw', MAX), { bytes: Buffer.from(before), end: 'damaged' }, what)
  }
})

test('codes as long as they may be come back', () => {
  // Each value is rarer than the one before by so much that its code is a bit longer.
  const random = seededRandom(3)
  const text = Uint8Array.from({ length: 200_000 }, () => {
    let value = 0
    while (value < 20 && random.integer(1000) < 618) value++
    return value
  })
  for (const strategy of [Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY]) {
    for (const memLevel of [5, 9]) comesBack(deflateRawSync(text, { strategy, memLevel }), text, 'raw')
  }
})

/** Codes as the lengths say them. */
function codesOf(lengths: readonly number[]): string[] {
  const codes: string[] = Array(lengths.length).fill('')
  let code = 0
  for (let length = 1; length <= 15; length++, code <<= 1) {
    for (const [symbol, its] of lengths.entries())
      if (its === length) codes[symbol] = (code++).toString(2).padStart(length, '0')
  }
  return codes
}

/** As long as they may be: one code for each number of bits, and two of 15. */
function lengthsWith(symbols: number, ...used: number[]): number[] {
  const lengths: number[] = Array(symbols).fill(0)
  for (const [at, symbol] of used.entries()) lengths[symbol] = Math.min(at + 1, 15)
  return lengths
}

test('bytes, a length and a distance that need the most bits, one behind another', () => {
  const length = 284
  const distance = 29
  const literals = lengthsWith(286, 256, 1, 2, 3, 4, 5, 6, 7, 8, 9, 97, 10, 11, 12, 13, length)
  const distances = lengthsWith(30, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, distance)
  const headerLengths = Array.from({ length: 19 }, (_, symbol) => (symbol < 13 ? 4 : 5))
  const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
  const headerCodes = codesOf(headerLengths)
  const literalCodes = codesOf(literals)
  const distanceCode = codesOf(distances)[distance]
  const far: Parameters<typeof streamOf> = [literalCodes[length], [30, 5], distanceCode, [8191, 13]]
  const block = streamOf(
    [0b101, 3],
    [29, 5],
    [29, 5],
    [15, 4],
    ...order.map((symbol): [number, number] => [headerLengths[symbol], 3]),
    ...[...literals, ...distances].map((bits) => headerCodes[bits]),
    ...Array.from({ length: 40 }, (_, round) => [...Array(round % 4).fill(literalCodes[97]), ...far]).flat(),
    literalCodes[256],
  )
  const stored = Buffer.concat([Buffer.from([0, 0x00, 0x90, 0xff, 0x6f]), noise(0x9000)])
  assert.equal(judgedAlike(Buffer.concat([stored, block]), 'raw'), 'whole')
})

test('what follows a stream is nothing, but for members of gzip', () => {
  const text = prose(1000)
  const garbage = Buffer.from('garbage')
  comesBack(Buffer.concat([deflateSync(text), garbage]), text, 'zlib')
  comesBack(Buffer.concat([deflateRawSync(text), garbage]), text, 'raw')
  comesBack(Buffer.concat([gzipSync(text), new Uint8Array(9), garbage]), text)
  const found = inflate(Buffer.concat([gzipSync(text), garbage]), 'gzip', MAX)
  assert.deepEqual(found, { bytes: Buffer.from(text), end: 'damaged' })
  const sizes = [0, 10, 300_000, 0, 1, 70_000]
  comesBack(Buffer.concat(sizes.map((size) => gzipSync(noise(size)))), Buffer.concat(sizes.map((size) => noise(size))))
  const empty = gzipSync('')
  comesBack(Buffer.concat(Array(20_000).fill(empty)), new Uint8Array(0))
})

test('a member knows nothing of those before it', () => {
  // Its first symbol is a match, one byte back.
  const reaching = Buffer.concat([gzipSync('').subarray(0, 10), streamOf([0b011, 3], '0000001', '00000', [0, 40])])
  const found = inflate(Buffer.concat([gzipSync('a'), reaching]), 'gzip', MAX)
  assert.deepEqual(found, { bytes: Buffer.from('a'), end: 'damaged' })
})

test('nor does one over which the room is filled', () => {
  const first = noise(OUTPUT - 500)
  const bytes = noise(1000)
  const stored = Buffer.concat([Buffer.from([0, 1000 & 255, 1000 >> 8, ~1000 & 255, (~1000 >> 8) & 255]), bytes])
  const head = gzipSync('').subarray(0, 10)
  for (const [distance, code, end] of [
    [1000, '10011', 'early'],
    [1001, '10011', 'damaged'],
  ] as const) {
    const reaching = streamOf([0b011, 3], '0000001', code, [distance - 769, 8], '0000000')
    const found = inflate(Buffer.concat([gzipSync(first), head, stored, reaching]), 'gzip', MAX)
    assert.equal(found.end, end)
    const match = end === 'early' ? bytes.subarray(0, 3) : []
    assert.ok(Buffer.concat([first, bytes, Uint8Array.from(match)]).equals(found.bytes))
  }
})

test('it gives as many bytes as are asked for, and says when there are more', () => {
  fc.assert(
    fc.property(texts, options, wrappings, fc.nat(), (text, how, wrapping, limit) => {
      const max = limit % (text.length + 2)
      const { bytes, end } = inflate(pack[wrapping](text, how), wrapping, max)
      assert.equal(end, max < text.length ? 'full' : 'whole')
      assert.ok(Buffer.from(text).subarray(0, max).equals(bytes))
    }),
  )
  const text = prose(3 * OUTPUT)
  for (const max of [0, 1, OUTPUT - 1, OUTPUT, OUTPUT + 1, 2 * OUTPUT, text.length - 1]) {
    const { bytes, end } = inflate(gzipSync(text), 'gzip', max)
    assert.deepEqual([end, bytes.length], ['full', max])
    assert.ok(Buffer.from(text).subarray(0, max).equals(bytes))
  }
})

test('a bomb takes no more memory than what is asked for', () => {
  const bomb = gzipSync(new Uint8Array(100_000_000), { level: 9 })
  const before = process.memoryUsage().arrayBuffers
  const { bytes, end } = inflate(bomb, 'gzip', 1_000_000)
  assert.deepEqual([end, bytes.length], ['full', 1_000_000])
  assert.ok(process.memoryUsage().arrayBuffers - before < 3_000_000)
})

test('it gives memory of its own, as much as the bytes', () => {
  const text = prose(10_000)
  const first = inflate(gzipSync(text), 'gzip', MAX).bytes
  assert.equal(first.buffer.byteLength, text.length)
  inflate(gzipSync(noise(20_000)), 'gzip', MAX)
  assert.ok(Buffer.from(text).equals(first))
})

test('what was unpacked before changes nothing', () => {
  const fresh = openInflate()
  const used = openInflate()
  const cases = [
    streamOf([0b011, 3], '0000001', '00000', [0, 40]),
    deflateRawSync(prose(300)).subarray(0, 90),
    deflateRawSync(new Uint8Array(20)),
    deflateRawSync(noise(50)),
  ]
  for (const stream of cases) {
    for (const before of [prose(5000), noise(70_000), new Uint8Array(OUTPUT + 5)]) {
      used(gzipSync(before), 'gzip', MAX)
      used(gzipSync(before).subarray(0, 500), 'gzip', MAX)
      used(gzipSync(before), 'gzip', 100)
      assert.deepEqual(used(stream, 'raw', MAX), fresh(stream, 'raw', MAX))
    }
  }
})
