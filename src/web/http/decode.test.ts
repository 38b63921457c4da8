import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { decodeContent } from './decode.ts'

const LIMIT = { bytes: 2_000_000, ratio: 1000 }
/** The best compression, which is the default, takes thirty times as long. */
const brotli = (bytes: Uint8Array) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
const encoders: [string, (bytes: Uint8Array) => Uint8Array][] = [
  ['gzip', gzipSync],
  ['X-GZIP', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotli],
  ['zstd', zstdCompressSync],
]
/** Text that does not compress away: 450 KB from a small generator. */
const page = Buffer.from(Array.from({ length: 28_000 }, (_, i) => `line ${(i * 2654435761) % 4294967296}`).join('\n'))

test('every coding comes off', async () => {
  for (const [name, encode] of encoders) {
    const { bytes, cut, trouble } = await decodeContent(encode(page), name, LIMIT)
    assert.ok(page.equals(bytes), name)
    assert.deepEqual({ cut, trouble }, { cut: false, trouble: undefined })
  }
})

test('bodies without a coding are passed on as they are, bounded', async () => {
  assert.equal((await decodeContent(page, undefined, LIMIT)).bytes, page)
  assert.equal((await decodeContent(page, ' identity ', LIMIT)).bytes, page)
  const cut = await decodeContent(page, undefined, { bytes: 10, ratio: 1 })
  assert.deepEqual([cut.bytes.length, cut.cut], [10, true])
  assert.equal((await decodeContent(new Uint8Array(0), 'gzip', LIMIT)).bytes.length, 0)
})

test('gzip in several members comes off whole, and so does one whose size is a lie', async () => {
  const short = Buffer.from('short')
  const both = await decodeContent(Buffer.concat([gzipSync(page), gzipSync(short)]), 'gzip', LIMIT)
  assert.ok(Buffer.concat([page, short]).equals(both.bytes))
  for (const told of [0, 1, 100_000, 0xffffffff]) {
    const lie = Buffer.from(gzipSync(page))
    lie.writeUInt32LE(told, lie.length - 4)
    const { bytes, trouble } = await decodeContent(lie, 'gzip', LIMIT)
    assert.ok(page.equals(bytes))
    assert.equal(trouble, 'damaged')
  }
})

test('zstd in several frames comes off whole, small or large, and frames to skip are skipped', async () => {
  const skipped = Buffer.from('502a4d180400000000000000', 'hex')
  const short = zstdCompressSync(Buffer.from('short'))
  const long = zstdCompressSync(page)
  const large = Array.from({ length: 12 }, () => page)
  for (const [packed, expected] of [
    [[skipped, short, skipped, short], 'shortshort'],
    [[short, long], `short${page}`],
    [[...large.map((one) => zstdCompressSync(one)), short], `${large.join('')}short`],
    [Array.from({ length: 40 }, () => short), 'short'.repeat(40)],
  ] as const) {
    const { bytes, cut, trouble } = await decodeContent(Buffer.concat(packed), 'zstd', { bytes: 24e6, ratio: 1000 })
    assert.ok(Buffer.from(expected).equals(bytes), `${bytes.length} of ${expected.length}`)
    assert.deepEqual([cut, trouble], [false, undefined])
  }
  const torn = await decodeContent(Buffer.concat([long, long.subarray(0, 5000)]), 'zstd', LIMIT)
  assert.equal(torn.trouble, 'early')
  assert.ok(torn.bytes.length >= page.length)
  const flood = await decodeContent(Buffer.concat(Array.from({ length: 20_000 }, () => skipped)), 'zstd', LIMIT)
  assert.deepEqual([flood.bytes.length, flood.cut], [0, true])
  const bomb = Buffer.concat([short, zstdCompressSync(Buffer.alloc(5_000_000))])
  const bounded = await decodeContent(bomb, 'zstd', { bytes: 1_000_000, ratio: 1e6 })
  assert.deepEqual([bounded.bytes.length, bounded.cut], [1_000_000, true])
})

test('several codings come off in reverse order, at most three', async () => {
  const twice = brotliCompressSync(gzipSync(page))
  assert.ok(page.equals((await decodeContent(twice, 'gzip, br', LIMIT)).bytes))
  const four = await decodeContent(page, 'gzip, gzip, gzip, gzip', LIMIT)
  assert.deepEqual([four.bytes, four.trouble], [page, 'too-many'])
})

test('what is not coded as announced is kept with a trouble', async () => {
  for (const [name, said] of [
    ['gzip', 'not-sent'],
    ['zstd', 'not-sent'],
    ['snappy', 'unknown'],
    ['Gzipped', 'unknown'],
    ['gzip, snappy', 'unknown'],
  ]) {
    const { bytes, trouble } = await decodeContent(page, name, LIMIT)
    assert.ok(page.equals(bytes))
    assert.equal(trouble, said)
  }
})

test('a charset, or no coding, in the place of a coding is none', async () => {
  for (const name of ['UTF-8', 'none', 'ISO-8859-1', 'windows-1252', '8bit', 'binary, utf8']) {
    const { bytes, trouble } = await decodeContent(page, name, LIMIT)
    assert.deepEqual([bytes, trouble], [page, undefined], name)
  }
})

test('what is large, or not whole, is unpacked beside the thread and comes out the same', async () => {
  const large = Buffer.concat(Array.from({ length: 12 }, () => page))
  const limit = { bytes: 24 * 2 ** 20, ratio: 1000 }
  for (const [name, encode] of encoders) {
    const packed = Buffer.from(encode(large))
    const whole = await decodeContent(packed, name, limit)
    assert.ok(large.equals(whole.bytes), name)
    assert.deepEqual([whole.cut, whole.trouble], [false, undefined], name)
    const half = await decodeContent(packed.subarray(0, packed.length - 1000), name, limit)
    assert.ok(half.bytes.length > page.length / 4 && large.subarray(0, half.bytes.length).equals(half.bytes), name)
    assert.equal(half.trouble, 'early', name)
    const some = await decodeContent(packed, name, { ...limit, bytes: 5_000_000 })
    assert.ok(large.subarray(0, 5_000_000).equals(some.bytes) && some.cut, name)
  }
})

test('a body over the bound is cut exactly there', async () => {
  for (const [name, encode] of encoders) {
    const { bytes, cut } = await decodeContent(encode(page), name, { bytes: 100_000, ratio: 1000 })
    assert.equal(cut, true)
    assert.ok(page.subarray(0, 100_000).equals(bytes), name)
  }
})

test('a bomb ends at the bound', async () => {
  const zeros = Buffer.alloc(50_000_000)
  for (const [name, encode] of encoders.filter(([name]) => name !== 'X-GZIP')) {
    const bomb = encode(zeros)
    const { bytes, cut } = await decodeContent(bomb, name, { bytes: 1_000_000, ratio: 1_000_000 })
    assert.equal(cut, true)
    assert.ok(bytes.length === 1_000_000 && bytes.every((byte) => byte === 0), name)
    assert.ok(
      (await decodeContent(bomb, name, { bytes: 10_000_000, ratio: 10 })).bytes.length <=
        Math.max(65_536, 10 * bomb.length),
    )
  }
  const nested = gzipSync(gzipSync(zeros))
  assert.ok(
    (await decodeContent(nested, 'gzip, gzip', { bytes: 1_000_000, ratio: 100 })).bytes.length <=
      100 * nested.length + 65_536,
  )
})

test('what came before the damage is kept', async () => {
  for (const [name, encode] of encoders) {
    const whole = Buffer.from(encode(page))
    const early = await decodeContent(whole.subarray(0, whole.length >> 1), name, LIMIT)
    assert.ok(early.bytes.length > page.length / 4 && page.subarray(0, early.bytes.length).equals(early.bytes), name)
    assert.equal(early.trouble, 'early')
    const damaged = Buffer.from(whole)
    damaged.fill(0xff, whole.length >> 1, (whole.length >> 1) + 400)
    const some = await decodeContent(damaged, name, LIMIT)
    // A raw deflate stream has no checksum: its damage may go unseen.
    if (name !== 'deflate') assert.ok(some.trouble, name)
    if (name.toLowerCase().endsWith('gzip')) assert.ok(some.bytes.length > page.length / 4)
  }
})

test('a small zlib stream without its sum is whole, but for the sum', async () => {
  const text = 'User-agent: *\nCrawl-delay: 10\n\nUser-agent: Orbweaver\nDisallow: /\n'
  const decoded = await decodeContent(deflateSync(Buffer.from(text)).subarray(0, -4), 'deflate', LIMIT)
  assert.deepEqual([new TextDecoder().decode(decoded.bytes), decoded.trouble], [text, 'early'])
})

test('brotli and zstd that break off early give what could be decoded, also of a small page', async () => {
  for (const [name, encode] of [
    ['br', brotli],
    ['zstd', (bytes: Uint8Array) => zstdCompressSync(bytes)],
  ] as const)
    for (const size of [2_000, 100_000, 400_000]) {
      const whole = page.subarray(0, size)
      const packed = encode(whole)
      const cut = await decodeContent(packed.subarray(0, packed.length - 4), name, LIMIT)
      assert.equal(cut.trouble, 'early', `${name} ${size}`)
      // A frame of zstd comes out in blocks of up to 128 KB, or not at all.
      if (name === 'br') assert.ok(cut.bytes.length > size - 3_000, `${name} ${size}: ${cut.bytes.length}`)
      assert.ok(whole.subarray(0, cut.bytes.length).equals(cut.bytes))
    }
  for (const size of [100_000, 400_000]) {
    const whole = page.subarray(0, size)
    const broken = Buffer.from(brotli(whole))
    broken.fill(0xff, broken.length >> 1)
    const { bytes, trouble } = await decodeContent(broken, 'br', LIMIT)
    assert.ok(trouble)
    assert.ok(bytes.length > size / 3, `${bytes.length} of ${size}`)
    assert.ok(whole.subarray(0, size / 3).equals(bytes.subarray(0, size / 3)))
  }
  const blocks = page.subarray(0, 400_000)
  const frame = Buffer.from(zstdCompressSync(blocks))
  frame.fill(0xff, frame.length - 20_000)
  const { bytes, trouble } = await decodeContent(frame, 'zstd', LIMIT)
  assert.equal(trouble, 'damaged')
  assert.ok(bytes.length >= 131_072 && blocks.subarray(0, bytes.length).equals(bytes), String(bytes.length))
})

test('a window of zstd that is larger than HTTP allows is not made', async () => {
  const text = Buffer.from('some text')
  const framed = (windowLog: number) => {
    const head = [0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3]
    return Buffer.concat([Buffer.from([...head, (text.length << 3) | 1, 0, 0]), text])
  }
  assert.deepEqual(await decodeContent(framed(23), 'zstd', LIMIT), { bytes: text, cut: false })
  const { bytes, trouble } = await decodeContent(framed(24), 'zstd', LIMIT)
  assert.deepEqual([bytes.length, trouble], [0, 'damaged'])
})

test('a large raw stream that begins as a zlib header does is read as what it is', async () => {
  const large = Buffer.concat(Array.from({ length: 12 }, () => page))
  // A stored block, whose padding is free: 78 and a length whose first byte makes the two a header of zlib.
  const length = 0xff9c
  const head = Buffer.from([0x78, length & 0xff, length >> 8, ~length & 0xff, (~length >> 8) & 0xff])
  const raw = Buffer.concat([head, large.subarray(0, length), deflateRawSync(large.subarray(length))])
  const { bytes, trouble, cut } = await decodeContent(raw, 'deflate', { bytes: 20_000_000, ratio: 1000 })
  assert.deepEqual([trouble, cut], [undefined, false])
  assert.ok(large.equals(bytes))
})

test('garbage after a gzip member costs nothing', async () => {
  const { bytes, trouble } = await decodeContent(Buffer.concat([gzipSync(page), Buffer.from('garbage')]), 'gzip', LIMIT)
  assert.ok(page.equals(bytes))
  assert.equal(trouble, 'damaged')
})

test('a raw stream that begins as a zlib header does is read as what it is', async () => {
  const text = page.subarray(0, 0x019c)
  const stored = Buffer.concat([Buffer.from([0x78, 0x9c, 0x01, 0x63, 0xfe]), text, deflateRawSync('')])
  const { bytes, cut, trouble } = await decodeContent(stored, 'deflate', LIMIT)
  assert.deepEqual({ bytes, cut, trouble }, { bytes: text, cut: false, trouble: undefined })
})

test('random bytes never throw and never grow past the bound', async () => {
  const names = fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'gzip, br', 'deflate,deflate,zstd', 'x', ',,', 'é')
  const magic = fc.constantFrom([], [0x1f, 0x8b, 8, 0], [0x28, 0xb5, 0x2f, 0xfd], [0x78, 0x9c])
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), magic, names, async (bytes, start, name) => {
      const out = await decodeContent(Uint8Array.from([...start, ...bytes]), name, { bytes: 5_000, ratio: 10 })
      assert.ok(out.bytes.length <= 5_000)
    }),
    { numRuns: 300 },
  )
})
