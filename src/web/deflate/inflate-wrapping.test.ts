import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { gzipHeader, openInflate, zlibHeader } from './inflate.ts'

const inflate = openInflate()
const text = Buffer.from('a text, a text')
const member = gzipSync(text)

/** A member with all that a header may have. */
function memberWith(flags: number, extra: Uint8Array, name: string, comment: string): Buffer {
  const head = Buffer.concat([
    Buffer.from([0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 5, 6]),
    flags & 4 ? Buffer.concat([Buffer.from([extra.length & 255, extra.length >> 8]), extra]) : Buffer.alloc(0),
    Buffer.from(flags & 8 ? `${name}\0` : '', 'latin1'),
    Buffer.from(flags & 16 ? `${comment}\0` : '', 'latin1'),
  ])
  const sum = crc32(head)
  return Buffer.concat([head, Buffer.from(flags & 2 ? [sum & 255, (sum >> 8) & 255] : []), member.subarray(10)])
}

function zlibTakes(bytes: Uint8Array, unpack: (bytes: Uint8Array) => Uint8Array): 'whole' | 'early' | 'damaged' {
  try {
    unpack(bytes)
    return 'whole'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR' ? 'early' : 'damaged'
  }
}

const words = fc.string({ maxLength: 20 }).map((word) => word.replaceAll('\0', ''))
const heads = fc.tuple(fc.nat(31), fc.uint8Array({ maxLength: 300 }), words, words)

test('whatever a header has, the stream behind it is found', () => {
  fc.assert(
    fc.property(heads, (head) => {
      const whole = memberWith(...head)
      assert.deepEqual(inflate(whole, 'gzip', 100), { bytes: text, end: 'whole' })
      assert.equal(gzipHeader(Buffer.concat([member, whole]), member.length), whole.length + 10)
    }),
  )
})

test('a header may be longer than the room for input', () => {
  for (const length of [65_000, 65_536, 200_000]) {
    const long = memberWith(31, Buffer.alloc(60_000), 'n'.repeat(length), 'c'.repeat(length))
    assert.deepEqual(inflate(Buffer.concat([member, long]), 'gzip', 100).bytes, Buffer.concat([text, text]))
  }
})

test('headers are judged as zlib judges them, cut off or damaged', () => {
  fc.assert(
    fc.property(heads, fc.nat(), fc.nat(255), fc.nat(), (head, at, bits, cut) => {
      const whole = memberWith(...head)
      whole[at % whole.length] ^= bits
      for (const bytes of [whole, whole.subarray(0, cut % whole.length)])
        assert.equal(inflate(bytes, 'gzip', 1e6).end, zlibTakes(bytes, gunzipSync))
    }),
    { numRuns: 1500 },
  )
})

test('every header of zlib is judged as zlib judges it', () => {
  const stream = deflateSync(text).subarray(2)
  for (let head = 0; head < 65_536; head++) {
    // One in 31 is a header at all: of the others a few are enough.
    if (head % 31 !== 0 && head % 97 !== 0) continue
    const bytes = Buffer.concat([Buffer.from([head >> 8, head & 255]), stream])
    assert.equal(inflate(bytes, 'zlib', 100).end, zlibTakes(bytes, inflateSync), `${head}`)
    assert.equal(zlibHeader(bytes.subarray(0, 1)), 'early')
    assert.equal(inflate(bytes.subarray(0, 5), 'zlib', 100).end, zlibTakes(bytes.subarray(0, 5), inflateSync))
  }
})
