/** Workers over HTTP, in virtual time, over a network that loses what it can: the same set, every pause kept. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../base/random.ts'
import { type Badness, badNetwork } from './bad-network.ts'
import { crawlOn, setStage } from './crawl-run.ts'
import { faultsOf } from './faults.ts'

const BAD: Badness = {
  requestLost: 0.02,
  answerLost: 0.02,
  repeated: 0.03,
  notStored: 0.05,
  lateMs: 300,
  awayEvery: 20_000,
  awayFor: 20_000,
  servers: 2,
}

async function crawlOver(seed: number, badness: Badness) {
  const stage = setStage({
    seed,
    sites: 12,
    pages: 14,
    web: { pageBytes: 1000, linksPerPage: 10, sharedAddressShare: 0.3 },
    settings: { visits: 6 },
    workers: 3,
  })
  const network = badNetwork(stage, badness, seededRandom(seed))
  stage.options.alter = network.alter
  await crawlOn(stage)
  const left = await stage.clock.run(network.close())
  return { stage, network, left }
}

for (const seed of [1, 2, 3, 4]) {
  test(`a bad network costs time and nothing else (seed ${seed})`, async () => {
    const { stage, network, left } = await crawlOver(seed, BAD)
    assert.deepEqual(await faultsOf(stage), [])
    assert.equal(left, 0)
    for (const [what, count] of Object.entries(network.counts)) assert.ok(count > 0, `${what} never happened`)
    await stage.database.close()
  })
}

test('servers that are away for longer than leases last: pages are asked for again, none is lost or counted twice', async () => {
  const { stage, left } = await crawlOver(12, { ...BAD, awayFor: 500_000 })
  const faults = await faultsOf(stage)
  assert.deepEqual(
    faults.filter((fault) => !fault.startsWith('repeated')),
    [],
  )
  assert.equal(left, 0)
  await stage.database.close()
})
