import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { seededRandom } from '../../base/random.ts'
import { zlibGzip } from '../deflate/gzip.ts'
import { checkedMember, deflatedMember, storedMember } from './gzip-member.ts'

function memberOf(make: typeof deflatedMember, parts: Uint8Array[]): Buffer {
  const pieces: Buffer[] = []
  make((bytes) => pieces.push(Buffer.from(bytes)), parts)
  return Buffer.concat(pieces)
}

const partsOf = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 5 })

for (const make of [deflatedMember, storedMember, zlibGzip]) {
  test(`${make.name}: what goes in comes out of another unpacker`, () => {
    fc.assert(
      fc.property(partsOf, (parts) => {
        assert.deepEqual(gunzipSync(memberOf(make, parts)), Buffer.concat(parts))
      }),
    )
  })

  for (const size of [65_534, 65_535, 65_536, 131_070, 262_143, 262_144, 262_145, 600_000]) {
    test(`${make.name}: a body of ${size} bytes behind a head`, () => {
      const random = seededRandom(size)
      const body = Uint8Array.from({ length: size }, () => random.integer(256))
      const parts = [new Uint8Array(70).fill(65), body, new Uint8Array([13, 10])]
      assert.ok(gunzipSync(memberOf(make, parts)).equals(Buffer.concat(parts)))
    })
  }
}

test('deflatedMember: a page that hardly gets smaller needs more room than pages take', () => {
  for (const size of [2_000, 4_096, 4_097, 15_000, 20_000, 20_001, 60_000]) {
    const random = seededRandom(size)
    const body = Uint8Array.from({ length: size }, () => random.integer(256))
    assert.ok(gunzipSync(memberOf(deflatedMember, [body])).equals(body))
  }
})

test('a stored member costs 5 bytes a block and nothing else', () => {
  assert.equal(memberOf(storedMember, [new Uint8Array(100_000)]).length, 100_000 + 10 + 2 * 5 + 8)
})

test('a member is read back: as it was made if it is right, by zlib if it is not', () => {
  const damage = fc.record({ at: fc.nat(), bits: fc.integer({ min: 1, max: 255 }) })
  fc.assert(
    fc.property(partsOf, fc.option(damage), (parts, flip) => {
      const make: typeof deflatedMember = (emit, given) => {
        const member = memberOf(deflatedMember, [...given])
        // Behind the header, in which most bits mean nothing.
        if (flip !== null) member[10 + (flip.at % (member.length - 10))] ^= flip.bits
        emit(member)
      }
      const pieces: Buffer[] = []
      const found = checkedMember(make, (bytes) => pieces.push(Buffer.from(bytes)), parts)
      if (flip === null) assert.deepEqual(Buffer.concat(pieces), memberOf(deflatedMember, parts))
      if (flip === null) assert.equal(found, 'right')
      assert.deepEqual(gunzipSync(Buffer.concat(pieces)), Buffer.concat(parts))
    }),
  )
})
