import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isoInstant, parseIsoInstant, timestamp14, timestamp17 } from './instant-text.ts'

const instants = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 })

test('instants are written as the language itself writes them, and read back', () => {
  fc.assert(
    fc.property(instants, (at) => {
      const iso = new Date(at).toISOString()
      assert.equal(isoInstant(at), iso)
      assert.equal(parseIsoInstant(iso), at)
      assert.equal(timestamp17(at), iso.replace(/\D/g, ''))
      assert.equal(timestamp14(at), iso.replace(/\D/g, '').slice(0, 14))
    }),
    { numRuns: 2000 },
  )
})

test('dates of other writers: without fraction, with microseconds; what is no date is none', () => {
  assert.equal(parseIsoInstant('1970-01-01T00:00:01Z'), 1000)
  assert.equal(parseIsoInstant('1970-01-01T00:00:01.234567Z'), 1234)
  for (const wrong of ['', '1970-01-01', '1970-13-01T00:00:00Z', '1970-01-01T25:00:00Z', '19700101000000']) {
    assert.equal(parseIsoInstant(wrong), undefined)
  }
})
