import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ByteReader, ByteWriter } from './bytes.ts'

test('what is written is read again', () => {
  const value = fc.record({
    count: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
    number: fc.double(),
    key: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    text: fc.string({ unit: 'grapheme', maxLength: 100 }),
    blob: fc.uint8Array({ maxLength: 200 }),
  })
  fc.assert(
    fc.property(fc.array(value), (values) => {
      const writer = new ByteWriter(1)
      for (const v of values) {
        writer.count(v.count)
        writer.number(v.number)
        writer.u64(v.key)
        writer.text(v.text)
        writer.blob(v.blob)
      }
      const reader = new ByteReader(writer.bytes())
      for (const v of values) {
        assert.equal(reader.count(), v.count)
        assert.ok(Object.is(reader.number(), v.number))
        assert.equal(reader.u64(), v.key)
        assert.equal(reader.text(), v.text.isWellFormed() ? v.text : v.text.toWellFormed())
        assert.deepEqual(reader.blob().slice(), v.blob)
      }
      assert.ok(reader.atEnd)
    }),
  )
})

test('damaged bytes are a RangeError, never a read beyond the end', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const reader = new ByteReader(bytes)
      try {
        reader.text()
        reader.u64()
        reader.count()
      } catch (error) {
        assert.ok(error instanceof RangeError)
      }
    }),
  )
})
