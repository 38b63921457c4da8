import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { gzipHeader, readGzipMember } from './inflate.ts'
import { noise, prose, texts } from './texts.test-data.ts'

const MAX = 1_000_000
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

function zlibTakes(bytes: Uint8Array): 'whole' | 'early' | 'damaged' {
  try {
    gunzipSync(bytes)
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
      const both = Buffer.concat([member, whole])
      assert.equal(gzipHeader(both, member.length), both.length - (member.length - 10))
      assert.deepEqual(readGzipMember(both, member.length, MAX), {
        end: 'whole',
        bytes: text,
        next: both.length,
        detail: '',
      })
    }),
  )
})

test('a long name in a header is read, one without end is no header', () => {
  const long = memberWith(8, new Uint8Array(0), 'n'.repeat(60_000), '')
  assert.deepEqual(readGzipMember(long, 0, MAX).bytes, text)
  const endless = memberWith(8, new Uint8Array(0), 'n'.repeat(200_000), '')
  assert.equal(gzipHeader(endless, 0), 'damaged')
  assert.equal(gzipHeader(long.subarray(0, 5_000), 0), 'early')
})

test('headers are judged as zlib judges them, cut off or damaged', () => {
  fc.assert(
    fc.property(heads, fc.nat(), fc.nat(255), fc.nat(), (head, at, bits, cut) => {
      const whole = memberWith(...head)
      whole[at % whole.length] ^= bits
      for (const bytes of [whole, whole.subarray(0, cut % whole.length)]) {
        const { end } = readGzipMember(bytes, 0, MAX)
        // zlib looks at two bytes at a time, and again at four: here each byte counts at once.
        if (bytes.length >= 4 || end !== 'damaged') assert.equal(end, zlibTakes(bytes))
      }
    }),
    { numRuns: 1500 },
  )
})

test('what comes before the end of the input, or a wrong trailer, is kept', () => {
  fc.assert(
    fc.property(texts, fc.nat(), (original, cut) => {
      const packed = gzipSync(original)
      const early = readGzipMember(packed.subarray(0, cut % packed.length), 0, MAX)
      assert.equal(early.end, 'early')
      assert.ok(Buffer.from(original.subarray(0, early.bytes!.length)).equals(early.bytes!))
      if (cut % packed.length >= packed.length - 8) assert.equal(early.bytes!.length, original.length)
      packed[packed.length - 1 - (cut % 8)] ^= 1
      const damaged = readGzipMember(packed, 0, MAX)
      assert.equal(damaged.end, 'damaged')
      assert.ok(Buffer.from(original).equals(damaged.bytes!))
    }),
  )
})

test('a member gives as much as is allowed, or says that there is more', () => {
  for (const original of [prose(300_000), noise(70_000), new Uint8Array(900_000)]) {
    const packed = gzipSync(original)
    assert.equal(readGzipMember(packed, 0, original.length).end, 'whole')
    const { end, bytes } = readGzipMember(packed, 0, original.length - 1)
    assert.deepEqual([end, bytes], ['full', undefined])
  }
})
