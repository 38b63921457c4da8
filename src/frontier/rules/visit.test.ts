import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { readVisitId, visitId } from './visit.ts'

it('a visit’s name is read back as it was made, and nothing else is one', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.integer({ min: 1 }), (site, fence) => {
      assert.deepEqual(readVisitId(visitId(site, fence)), { site, fence })
      assert.equal(visitId(BigInt.asIntN(64, site), fence), visitId(site, fence))
    }),
  )
  for (const text of [
    '',
    '.',
    '0.1',
    '0123456789abcdef',
    '0123456789abcdef.0',
    '0123456789abcdef.1x',
    `${'f'.repeat(17)}.1`,
  ])
    assert.equal(readVisitId(text), undefined)
})
