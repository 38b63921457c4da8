/** Bugs that are planted in the product, one at a time: the simulation must find each, and nothing without it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replayCluster, shortenFailure, troublesOf, withTroubles } from './cluster-replay.ts'
import { clusterOf, refreshingClusterOf } from './cluster-seed.ts'
import { invariantOf } from './faults.ts'
import { PLANTS, type PlantName } from './plants.ts'

/** Seeds that are known to find it, and what it breaks there. `npm run chaos -- --planted` looks among 200. */
const KNOWN: Readonly<Record<PlantName, readonly [seeds: readonly number[], invariant: string]>> = {
  'lease-never-ends': [[10, 13], 'leases that do not end'],
  'applied-twice': [[15, 18], 'documents'],
  'pause-from-request': [[2, 3], 'tooSoon'],
  'no-address-pause': [[3, 5], 'tooSoonAtAddress'],
  'fence-not-checked': [[2, 3], 'documents'],
  'no-file-sync': [[4], 'volumes'],
  'told-before-stored': [[1, 5], 'acknowledged and lost'],
  'time-stands-still': [[2], 'repeated'],
  'look-counted-twice': [[1], 'looks'],
}

for (const [name, [seeds, invariant]] of Object.entries(KNOWN)) {
  const plant = PLANTS[name as PlantName]
  test(`the judge finds ${plant.what}, at seeds ${seeds.join(' and ')}`, async () => {
    for (const seed of seeds) {
      const { report } = await replayCluster({ ...(plant.refreshes ? refreshingClusterOf : clusterOf)(seed), plant })
      const broken = report.faults.map(invariantOf)
      assert.ok(broken.includes(invariant), `seed ${seed}: ${broken.join(', ') || 'nothing is wrong'}`)
    }
  })
}

test('at the same seeds nothing is wrong without them', async () => {
  for (const seed of new Set(Object.values(KNOWN).flatMap(([seeds]) => seeds)))
    assert.deepEqual((await replayCluster(clusterOf(seed))).report.faults, [], `seed ${seed}`)
})

test('while pages are looked at again, no look is lost and none is counted twice', async () => {
  // The seed of the plant that counts looks twice. One such run takes six seconds: `npm run chaos -- --refreshing` has more.
  const { report } = await replayCluster(refreshingClusterOf(1))
  assert.deepEqual(report.faults, [])
  assert.ok(report.requests > 400 && report.befallen.counts.size > 0)
})

test('a failure comes again from its seed, byte for byte, and from the few faults that it needs', async () => {
  const options = { ...clusterOf(3), plant: PLANTS['fence-not-checked'] }
  const failed = await replayCluster(options)
  assert.deepEqual((await replayCluster(options)).lines, failed.lines)
  assert.match(failed.lines.at(-1)!, / JUDGE /)

  const short = await shortenFailure(options, failed.report, { tries: 40, ms: 600_000 })
  assert.ok(short?.isMinimal)
  assert.ok(short.troubles.length < troublesOf(options, failed.report).length)
  assert.ok(
    short.report.schedule.some(({ kind }) => kind === 'worker stalled'),
    'no zombie without a stall',
  )
  const again = await replayCluster(withTroubles(options, short.troubles))
  assert.deepEqual(again.lines, short.lines)
  for (const trouble of short.troubles) {
    const fewer = short.troubles.filter((other) => other !== trouble)
    const { report } = await replayCluster(withTroubles(options, fewer))
    const broken = report.faults.filter((fault) => failed.report.faults.map(invariantOf).includes(invariantOf(fault)))
    assert.deepEqual(broken, [], `${trouble} is needed`)
  }
})
