import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { Problem } from '../../base/errors.ts'
import { type SealedPart, seal } from '../../contracts/sealed-part.ts'
import { storing } from './storing.ts'

const delivery = (site: string): SealedPart[] => [seal(sampleReport(site, 1, []))]

/** Delivers these sites at once to a store that fails as given. Returns what was stored together, and what succeeded. */
async function deliver(sites: readonly string[], failure: (tried: readonly string[]) => unknown) {
  const tries: string[][] = []
  const stored = storing(async (parts) => {
    const tried = parts.map(({ site }) => site)
    tries.push(tried)
    const error = failure(tried)
    if (error !== undefined) throw error
  })
  const ends = await Promise.allSettled(sites.map((site) => stored.add(delivery(site))))
  await stored.idle()
  assert.equal(stored.parts, 0)
  return { tries, stored: sites.filter((_, at) => ends[at].status === 'fulfilled') }
}

describe('storing', () => {
  test('deliveries that come while others are stored go together', async () => {
    const { tries, stored } = await deliver(['a', 'b', 'c', 'd'], () => undefined)
    assert.deepEqual(tries, [['a'], ['b'], ['c', 'd']])
    assert.deepEqual(stored, ['a', 'b', 'c', 'd'])
  })

  test('one faulty delivery does not fail the others', async () => {
    const { stored } = await deliver(['a', 'b', 'c', 'd', 'e'], (tried) =>
      tried.includes('d') ? new Error('d is at fault') : undefined,
    )
    assert.deepEqual(stored, ['a', 'b', 'c', 'e'])
  })

  test('when the database is away all deliveries fail at once', async () => {
    const away = new Problem('database-unreachable', 'away')
    const { tries, stored } = await deliver(['a', 'b', 'c', 'd', 'e'], () => away)
    assert.deepEqual(tries, [['a'], ['b'], ['c', 'd', 'e']])
    assert.deepEqual(stored, [])
  })
})
