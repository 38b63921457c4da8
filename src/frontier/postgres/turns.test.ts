/** Of sites that lean to a worker, none keeps others from it, neither by its rank nor because it is for somebody else. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  type Bench,
  KEPT,
  link,
  openBench,
  PAUSE,
  page,
  part,
} from '../../../testkit/contracts/frontier/tools.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { signed64 } from '../../base/digest.ts'
import { bucketFor } from '../../database/postgres/by-bucket.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import { siteKey } from '../../web/url/web-url.ts'
import type { KnownWorkers, Post } from '../contract.ts'
import { Affinity } from './affinity.ts'

const WINDOW = 1000
const posts: readonly Post[] = ['a', 'b'].map((process) => ({ process, region: 'here' }))
const workers: KnownWorkers = {
  present: () => posts,
  postOf: (worker) => posts.find(({ process }) => process === worker.split('.')[0]),
}
const affinity = new Affinity(workers, WINDOW)
const keyOf = (site: string) => signed64(siteKey(site))
const bucketOf = (site: string) => bucketFor(keyOf(site))
const isOf = (process: string) => (site: string) =>
  affinity.leaningTo(workers.postOf(process), bucketOf(site)).length > 0
const names = Array.from({ length: 4000 }, (_, at) => `s${at}.test`)

const postgres = await postgresForTests()
const make = async () => {
  if ('skipped' in postgres) throw new Error(postgres.skipped)
  return openBench(() => postgres.make(), {
    slice: { pages: 1, time: 60_000 },
    affinity: { workers, windowMs: WINDOW },
    leasesOutlive: true,
  })
}

/** Given to the worker, visited at once, and given back with more to ask. */
async function visited(bench: Bench, worker: string, atMost: number): Promise<string[]> {
  const { visits } = await bench.frontier.checkOut(worker, atMost)
  const parts = visits.map((visit) => {
    const pages = visit.agenda.map(({ url, depth }) => page(url, KEPT, { depth }))
    const made = part(bench, visit, 1, { pages, ended: 'slice' })
    return { ...made, courtesy: { ...made.courtesy, connectMs: 1 } }
  })
  await bench.applyParts(...parts)
  return visits.map(({ site }) => site)
}

const manyLinks = (sites: readonly string[]) =>
  sites.flatMap((site) => Array.from({ length: 40 }, (_, at) => link(`${site}/${at}`)))

describe('turns', { skip: 'skipped' in postgres ? postgres.skipped : false }, () => {
  if ('skipped' in postgres) return
  after(() => postgres.end())

  it('in the order of KLWF the last by rank does not keep those behind it in its bucket from ever being met', async () => {
    const own = names.filter(isOf('a'))
    const young = own[0]
    const behind = own.find((site) => site !== young && bucketOf(site) === bucketOf(young))!
    const others = own.filter((site) => bucketOf(site) !== bucketOf(young)).slice(0, 12)
    const bench = await make()
    await bench.admit(...manyLinks([behind, ...others]))
    bench.clock.pass(10_000)
    await bench.admit(...manyLinks([young]))
    // It is due before the one with the oldest URLs, and its own are the youngest.
    while (!(await visited(bench, 'a.0', 20)).includes(young)) bench.clock.pass(100)
    bench.clock.pass(PAUSE + 10 * WINDOW)
    await visited(bench, 'a.0', 20)
    await bench.db.transact((tx) =>
      postgresTx(tx).run(`UPDATE site SET not_before = not_before - 100 WHERE name = $1`, young),
    )
    // One at a time, more than it can take: somebody is due again before all have had their turn.
    const given: string[] = []
    for (let asked = 0; asked < 60; asked++) {
      bench.clock.pass(asked === 0 ? PAUSE + 5000 : 400)
      given.push(...(await visited(bench, 'a.0', 1)))
    }
    for (const site of [young, behind])
      assert.ok(
        given.includes(site),
        `${site === young ? 'the last by rank' : 'the first by rank, behind it'}: ${given}`,
      )
  })

  it('a site that is kept for another worker does not keep its own from helping others', async () => {
    const mine = names.filter(isOf('a')).slice(0, 3)
    const theirs = names.filter(isOf('b')).slice(0, 5)
    const bench = await make()
    await bench.admit(...manyLinks([...mine, ...theirs]))
    assert.equal((await visited(bench, 'a.0', 20)).length, 8)
    const recheck = `
      INSERT INTO recheck (bucket, site, key, url, first_worker, first_at, digest, text_digest, simhash)
      VALUES ($1, $2, 0, '', 'a', $3, '', 0, 0)`
    await bench.db.transact((tx) =>
      postgresTx(tx).run(recheck, bucketOf(mine[0]), keyOf(mine[0]), bench.clock.now() - 30_000),
    )
    bench.clock.pass(60_000)
    // The other does not ask.
    const given = new Set<string>()
    for (let asked = 0; asked < 8; asked++) {
      bench.clock.pass(1500)
      for (const site of await visited(bench, 'a.0', 20)) given.add(site)
    }
    assert.deepEqual([...given].sort(), [...mine.slice(1), ...theirs].sort())
  })
})
