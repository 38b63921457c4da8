/** Answers that get lost on their way: the sites that they hand out are nobody's, and must not wait until their leases end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCluster } from './cluster-run.ts'
import { clusterOf } from './cluster-seed.ts'

const HOUR = 3_600_000
/** Whoever waits for the end of one lease is late. */
const LEASE = 24 * HOUR
const RUNS = 5

test(`${RUNS} clusters that lose a seventh of all answers wait for no lease, and collect the right set`, async () => {
  let lost = 0
  for (let seed = 1; seed <= RUNS; seed++) {
    const options = clusterOf(seed)
    const { faults, virtualMs, network, stage } = await runCluster({
      ...options,
      settings: { ...options.settings, lease: LEASE },
      network: { requestLost: 0.02, answerLost: 0.15, repeated: 0, lateMs: 100 },
      plan: { ...options.plan, max: 0 },
      within: 3 * LEASE,
    })
    await stage.database.close()
    assert.deepEqual(faults, [], `seed ${seed}`)
    assert.ok(virtualMs < LEASE / 4, `seed ${seed} took ${virtualMs / HOUR} hours`)
    lost += network.lost
  }
  assert.ok(lost > 10 * RUNS, `${lost} lost`)
})
