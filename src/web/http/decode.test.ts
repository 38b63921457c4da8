import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { decodeContent } from './decode.ts'

const LIMIT = { bytes: 2_000_000, ratio: 1000 }
const encoders: [string, (bytes: Uint8Array) => Uint8Array][] = [
  ['gzip', gzipSync],
  ['X-GZIP', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
]
/** Text that does not compress away: 450 KB from a small generator. */
const page = Buffer.from(Array.from({ length: 28_000 }, (_, i) => `line ${(i * 2654435761) % 4294967296}`).join('\n'))

test('every coding comes off', () => {
  for (const [name, encode] of encoders) {
    const { bytes, cut, trouble } = decodeContent(encode(page), name, LIMIT)
    assert.ok(page.equals(bytes), name)
    assert.deepEqual({ cut, trouble }, { cut: false, trouble: undefined })
  }
})

test('bodies without a coding are passed on as they are, bounded', () => {
  assert.equal(decodeContent(page, undefined, LIMIT).bytes, page)
  assert.equal(decodeContent(page, ' identity ', LIMIT).bytes, page)
  const cut = decodeContent(page, undefined, { bytes: 10, ratio: 1 })
  assert.deepEqual([cut.bytes.length, cut.cut], [10, true])
  assert.equal(decodeContent(new Uint8Array(0), 'gzip', LIMIT).bytes.length, 0)
})

test('gzip in several members comes off whole, and so does one whose size is a lie', () => {
  const short = Buffer.from('short')
  const both = decodeContent(Buffer.concat([gzipSync(page), gzipSync(short)]), 'gzip', LIMIT)
  assert.ok(Buffer.concat([page, short]).equals(both.bytes))
  for (const told of [0, 1, 100_000, 0xffffffff]) {
    const lie = Buffer.from(gzipSync(page))
    lie.writeUInt32LE(told, lie.length - 4)
    const { bytes, trouble } = decodeContent(lie, 'gzip', LIMIT)
    assert.ok(page.equals(bytes))
    assert.equal(trouble, 'gzip is damaged')
  }
})

test('several codings come off in reverse order, at most three', () => {
  const twice = brotliCompressSync(gzipSync(page))
  assert.ok(page.equals(decodeContent(twice, 'gzip, br', LIMIT).bytes))
  const four = decodeContent(page, 'gzip, gzip, gzip, gzip', LIMIT)
  assert.deepEqual([four.bytes, four.trouble], [page, '4 codings'])
})

test('what is not coded as announced is kept with a trouble', () => {
  for (const name of ['gzip', 'zstd', 'snappy']) {
    const { bytes, trouble } = decodeContent(page, name, LIMIT)
    assert.ok(page.equals(bytes))
    assert.ok(trouble, name)
  }
})

test('a body over the bound is cut exactly there', () => {
  for (const [name, encode] of encoders) {
    const { bytes, cut } = decodeContent(encode(page), name, { bytes: 100_000, ratio: 1000 })
    assert.equal(cut, true)
    assert.ok(bytes.length <= 100_000)
    assert.ok(page.subarray(0, bytes.length).equals(bytes))
    // Brotli and zstd give out whole blocks only, so their beginnings may be coarse.
    if (!['br', 'zstd'].includes(name)) assert.equal(bytes.length, 100_000, name)
  }
})

test('a bomb ends at the bound', () => {
  const zeros = Buffer.alloc(50_000_000)
  for (const [name, encode] of encoders.filter(([name]) => name !== 'X-GZIP')) {
    const bomb = encode(zeros)
    const { bytes, cut, trouble } = decodeContent(bomb, name, { bytes: 1_000_000, ratio: 1_000_000 })
    assert.equal(cut, true)
    assert.ok(bytes.length <= 1_000_000 && bytes.every((byte) => byte === 0), name)
    assert.ok(trouble)
    assert.ok(
      decodeContent(bomb, name, { bytes: 10_000_000, ratio: 10 }).bytes.length <= Math.max(65_536, 10 * bomb.length),
    )
  }
  const nested = gzipSync(gzipSync(zeros))
  assert.ok(
    decodeContent(nested, 'gzip, gzip', { bytes: 1_000_000, ratio: 100 }).bytes.length <= 100 * nested.length + 65_536,
  )
})

test('what came before the damage is kept', () => {
  for (const [name, encode] of encoders) {
    const whole = Buffer.from(encode(page))
    const early = decodeContent(whole.subarray(0, whole.length >> 1), name, LIMIT)
    assert.ok(early.bytes.length > page.length / 4 && page.subarray(0, early.bytes.length).equals(early.bytes), name)
    assert.match(early.trouble ?? '', /ends early/)
    const damaged = Buffer.from(whole)
    damaged.fill(0xff, whole.length >> 1, (whole.length >> 1) + 400)
    const some = decodeContent(damaged, name, LIMIT)
    // A raw deflate stream has no checksum: its damage may go unseen.
    if (name !== 'deflate') assert.ok(some.trouble, name)
    if (name.toLowerCase().endsWith('gzip')) assert.ok(some.bytes.length > page.length / 4)
  }
})

test('garbage after a gzip member costs nothing', () => {
  const { bytes, trouble } = decodeContent(Buffer.concat([gzipSync(page), Buffer.from('garbage')]), 'gzip', LIMIT)
  assert.ok(page.equals(bytes))
  assert.equal(trouble, 'gzip is damaged')
})

test('a raw stream that begins as a zlib header does is read as what it is', () => {
  const text = page.subarray(0, 0x019c)
  const stored = Buffer.concat([Buffer.from([0x78, 0x9c, 0x01, 0x63, 0xfe]), text, deflateRawSync('')])
  const { bytes, cut, trouble } = decodeContent(stored, 'deflate', LIMIT)
  assert.deepEqual({ bytes, cut, trouble }, { bytes: text, cut: false, trouble: undefined })
})

test('what was decoded can be given back, but not what was there before', () => {
  for (const name of ['gzip', 'gzip, identity', 'br, gzip']) {
    const coded = gzipSync(page)
    const decoded = decodeContent(name === 'br, gzip' ? gzipSync(brotliCompressSync(page)) : coded, name, LIMIT)
    assert.ok(page.equals(decoded.bytes))
    decoded.letGo?.()
    assert.equal(decoded.bytes.length, name === 'br, gzip' ? page.length : 0)
    assert.ok(coded.length > 0)
  }
  assert.equal(decodeContent(page, undefined, LIMIT).letGo, undefined)
  assert.equal(decodeContent(page, 'gzip', LIMIT).letGo, undefined)
})

test('random bytes never throw and never grow past the bound', () => {
  const names = fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'gzip, br', 'deflate,deflate,zstd', 'x', ',,', 'é')
  const magic = fc.constantFrom([], [0x1f, 0x8b, 8, 0], [0x28, 0xb5, 0x2f, 0xfd], [0x78, 0x9c])
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), magic, names, (bytes, start, name) => {
      const out = decodeContent(Uint8Array.from([...start, ...bytes]), name, { bytes: 5_000, ratio: 10 })
      assert.ok(out.bytes.length <= 5_000)
    }),
    { numRuns: 300 },
  )
})
