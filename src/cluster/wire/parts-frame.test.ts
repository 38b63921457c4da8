import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { frameParts, pack, readFrame, type TicketedPart, unpack } from './parts-frame.ts'
import { MAX_PART_BYTES } from './protocol.ts'

const part: fc.Arbitrary<TicketedPart> = fc.record({
  ticket: fc.string(),
  part: fc.record({
    visit: fc.string(),
    fence: fc.nat(),
    part: fc.maxSafeNat(),
    site: fc.string({ unit: 'grapheme', maxLength: 60 }),
    last: fc.boolean(),
    body: fc.uint8Array({ maxLength: 300 }),
  }),
})

test('parts come back as they were, packed or not', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 20 }), async (made) => {
      const parts = structuredClone(made)
      const frame = frameParts(parts)
      const { bytes, packing } = await pack(frame)
      assert.deepEqual(readFrame(await unpack(bytes, packing)), parts)
      assert.deepEqual(readFrame(await unpack(gzipSync(frame), 'gzip')), parts)
    }),
  )
})

test('any bytes, and any damage, are parts or a RangeError', async () => {
  const damaged = fc.tuple(fc.array(part, { maxLength: 4 }), fc.nat(), fc.nat(255)).map(([parts, at, by]) => {
    const frame = frameParts(parts)
    frame[at % frame.length] ^= by
    return frame
  })
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.uint8Array(), damaged),
      fc.constantFrom('identity' as const, 'zstd' as const, 'gzip' as const),
      async (bytes, packing) => {
        try {
          readFrame(await unpack(bytes, packing))
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error))
        }
      },
    ),
  )
})

test('large ones are unpacked as well', async () => {
  const body = new Uint8Array(3 * 2 ** 20).map((_, at) => at % 251)
  const part = { visit: 'v', fence: 1, part: 1, site: 's', last: true, body }
  const frame = frameParts([{ ticket: 't', part }])
  const { bytes, packing } = await pack(frame)
  assert.ok(bytes.length < body.length / 10)
  assert.deepEqual(readFrame(await unpack(bytes, packing)), [{ ticket: 't', part }])
  assert.deepEqual(await unpack(gzipSync(frame), 'gzip').then(readFrame), [{ ticket: 't', part }])
})

test('what would be too large when unpacked is not unpacked', async () => {
  const bomb = zstdCompressSync(Buffer.alloc(MAX_PART_BYTES + 1))
  assert.ok(bomb.length < 100_000)
  await assert.rejects(unpack(bomb, 'zstd'), RangeError)
})
