import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { learnNearness, type Nearness, regionFor, UNKNOWN } from './nearness.ts'

const fresh = (): Nearness => ({ ...UNKNOWN })

function after(...visits: readonly (readonly [region: string, ms: number])[]): Nearness {
  const site = fresh()
  for (const [region, ms] of visits) learnNearness(site, region, ms)
  return site
}

/** Over many visits of one site. */
function regionsOver(site: Nearness, regions: readonly string[], visits = 1000): Map<string, number> {
  const counts = new Map<string, number>()
  for (let fence = 0; fence < visits; fence++) {
    const region = regionFor(site, -7n, fence, regions)
    counts.set(region, (counts.get(region) ?? 0) + 1)
  }
  return counts
}

describe('nearness', () => {
  it('is not known before the first connection: the site goes to any worker', () => {
    assert.equal(regionFor(fresh(), 1n, 0, ['eu', 'us']), '')
  })

  it('is tried in another region first, and then in a third', () => {
    assert.equal(regionFor(after(['eu', 80]), 1n, 1, ['eu', 'us']), 'us')
    const third = regionFor(after(['eu', 80], ['us', 90]), 1n, 1, ['eu', 'jp', 'us'])
    assert.equal(third, 'jp')
    const counts = regionsOver(after(['eu', 80], ['us', 90], ['jp', 90]), ['eu', 'jp', 'us', 'za'])
    assert.ok((counts.get('za') ?? 0) < 30, 'a fourth only now and then')
  })

  it('sticks to the region that is clearly better, and tries another in one of fifty visits', () => {
    const counts = regionsOver(after(['us', 150], ['eu', 20]), ['eu', 'us'])
    assert.ok(counts.get('eu')! > 950, String(counts.get('eu')))
    assert.ok(counts.get('us')! > 5)
    assert.equal(counts.get(''), undefined)
  })

  it('leans to no region where the difference is small', () => {
    assert.equal(regionFor(after(['eu', 80], ['us', 90]), 1n, 1, ['eu', 'us']), '')
  })

  it('tries no other region where one is near enough', () => {
    const counts = regionsOver(after(['eu', 3]), ['eu', 'us'])
    assert.deepEqual([...counts.keys()], [''])
    assert.deepEqual([...regionsOver(after(['eu', 3], ['us', 90]), ['eu', 'us']).keys()], ['eu'])
  })

  it('leans to no region without workers', () => {
    assert.equal(regionFor(after(['eu', 3], ['us', 90]), 1n, 1, ['jp', 'us']), '')
    assert.equal(regionFor(after(['eu', 80]), 1n, 1, ['eu']), '')
  })

  it('is found anew when the way becomes long', () => {
    const site = after(['eu', 20], ['us', 60])
    for (let visit = 0; visit < 10; visit++) learnNearness(site, 'eu', 300)
    assert.equal(regionFor(site, 1n, 1, ['eu', 'us']), 'us')
    learnNearness(site, 'us', 60)
    assert.equal(site.near_region, 'us')
  })

  it('ends at the nearest of the regions that were tried, whatever their order', () => {
    const regions = ['a', 'b', 'c']
    fc.assert(
      fc.property(fc.shuffledSubarray([10, 100, 400], { minLength: 3 }), fc.array(fc.nat(2)), (latency, order) => {
        const site = fresh()
        for (const at of [...order, 0, 1, 2]) learnNearness(site, regions[at], latency[at])
        assert.equal(site.near_region, regions[latency.indexOf(10)])
        assert.equal(site.near_ms, 10)
        assert.ok(site.far_ms! >= 100 - 1e-6)
      }),
    )
  })
})
