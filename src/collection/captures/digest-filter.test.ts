import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sha1 } from '../../base/digest.ts'
import { DigestFilter } from './digest-filter.ts'

const digest = (number: number) => sha1(Buffer.from(String(number)))

test('until it is filled it says yes to everything', () => {
  const filter = DigestFilter.ofBits(1024)
  assert.ok(filter.mayHave(digest(1)))
  filter.markFilled()
  assert.ok(!filter.mayHave(digest(1)))
})

test('it never says no wrongly, also through another view of the same memory', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 50 }), (texts) => {
      const filter = DigestFilter.ofBits(1024)
      const elsewhere = new DigestFilter(filter.shared)
      filter.markFilled()
      for (const text of texts) filter.add(text)
      assert.ok(texts.every((text) => elsewhere.mayHave(text)))
    }),
  )
})

test('at 13 bits per digest it is seldom wrong', () => {
  const filter = DigestFilter.ofBits(2 ** 17)
  filter.markFilled()
  for (let number = 0; number < 10_000; number++) filter.add(digest(number))
  let wrong = 0
  for (let number = 10_000; number < 20_000; number++) if (filter.mayHave(digest(number))) wrong++
  assert.ok(wrong < 100, `${wrong} of 10,000`)
})
