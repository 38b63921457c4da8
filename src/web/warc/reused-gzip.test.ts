import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGzip, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { seededRandom } from '../../base/random.ts'
import { type Gzip, ROOM, reusedGzip } from './reused-gzip.ts'

const FAST = { level: 1 }
const reusing = () => reusedGzip(createGzip(FAST), FAST)
const anew = reusedGzip({}, FAST)

function packed(gzip: Gzip, parts: readonly Uint8Array[]): Buffer {
  const pieces: Buffer[] = []
  gzip((bytes) => pieces.push(Buffer.from(bytes)), parts)
  return Buffer.concat(pieces)
}

function noise(size: number): Uint8Array {
  const random = seededRandom(size)
  return Uint8Array.from({ length: size }, () => random.integer(256))
}

test("the handle of this Node's streams is as expected, so that nothing is made anew", () => {
  // With zlib's state made anew the output would come in one piece, however long it is.
  let pieces = 0
  reusing()(() => pieces++, [noise(3 * ROOM)])
  assert.ok(pieces > 1)
})

test('the same bytes whatever was packed before, and whether the state is reused or not', () => {
  const gzip = reusing()
  const text = fc.string({ maxLength: 3000 }).map((letters) => Buffer.from(letters))
  fc.assert(
    fc.property(fc.array(fc.oneof(text, fc.uint8Array({ maxLength: 3000 })), { maxLength: 5 }), (parts) => {
      const member = packed(gzip, parts)
      assert.deepEqual(member, packed(reusing(), parts))
      assert.deepEqual(gunzipSync(member), Buffer.concat(parts))
      assert.deepEqual(gunzipSync(packed(anew, parts)), Buffer.concat(parts))
    }),
  )
})

test('what just fills the room, or nearly', () => {
  const gzip = reusing()
  let filled = 0
  for (let size = ROOM - 60; size < ROOM; size++) {
    const body = noise(size)
    const member = packed(gzip, [body])
    if (member.length === ROOM) filled++
    assert.ok(gunzipSync(member).equals(body))
  }
  assert.ok(filled > 0)
})

test('whoever takes the bytes may throw: the next member is whole', () => {
  const gzip = reusing()
  const full = () => {
    throw new Error('no room left')
  }
  assert.throws(() => gzip(full, [noise(2 * ROOM)]), /no room left/)
  assert.equal(gunzipSync(packed(gzip, [Buffer.from('next')])).toString(), 'next')
})
