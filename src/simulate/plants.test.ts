/** Bugs that are planted in the product, one at a time: the simulation must find each, and nothing without it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replayCluster } from './cluster-replay.ts'
import { clusterOf } from './cluster-seed.ts'
import { invariantOf } from './faults.ts'
import { PLANTS, type PlantName } from './plants.ts'

/** Two seeds each that are known to find it, and what it breaks there. `npm run chaos -- --planted` looks among 200. */
const KNOWN: readonly [plant: PlantName, seeds: readonly number[], invariant: string][] = [
  ['lease-never-ends', [10, 13], 'leases that do not end'],
  ['applied-twice', [18, 22], 'documents'],
  ['pause-from-request', [2, 3], 'tooSoon'],
  ['no-address-pause', [3, 18], 'tooSoonAtAddress'],
  ['fence-not-checked', [2, 3], 'captures twice'],
]

for (const [plant, seeds, invariant] of KNOWN) {
  test(`the judge finds ${PLANTS[plant].what} at seeds ${seeds.join(' and ')}, and nothing without it`, async () => {
    for (const seed of seeds) {
      const planted = await replayCluster({ ...clusterOf(seed), plant: PLANTS[plant] })
      const broken = planted.report.faults.map(invariantOf)
      assert.ok(broken.includes(invariant), `seed ${seed}: ${broken.join(', ') || 'nothing is wrong'}`)
      assert.deepEqual((await replayCluster(clusterOf(seed))).report.faults, [], `seed ${seed} without it`)
    }
  })
}
