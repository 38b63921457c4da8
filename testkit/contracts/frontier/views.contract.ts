/** What can be seen of the frontier from outside, on whatever database. */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { frontierQueries } from '../../../src/frontier/queries.ts'
import { type Bench, link, type MakeDatabase, openBench, PAUSE, page, part, START } from './tools.contract.ts'

const view = (bench: Bench, name: string) => bench.db.read((tx) => frontierQueries.site(tx, name))
const viewUrl = (bench: Bench, url: string) => bench.db.read((tx) => frontierQueries.url(tx, url))

export function viewsContract(make: MakeDatabase): void {
  it('shows a URL’s position in its queue, and lists what a site has', async () => {
    const bench = await openBench(make)
    await bench.admit(link('a.test/1'), link('a.test/2'), link('a.test/3'))
    assert.equal((await viewUrl(bench, 'http://a.test/3'))?.ahead, 2)
    assert.equal(await viewUrl(bench, 'http://a.test/4'), undefined)
    assert.equal(await view(bench, 'z.test'), undefined)
    const first = await bench.db.read((tx) => frontierQueries.urls(tx, 'a.test', undefined, 2))
    const rest = await bench.db.read((tx) => frontierQueries.urls(tx, 'a.test', first[1].key, 9))
    assert.deepEqual(new Set([...first, ...rest].map(({ url }) => url)).size, 3)
    assert.deepEqual(await bench.db.read((tx) => frontierQueries.nextFree(tx, 9)), [
      { name: 'a.test', rank: START, waiting: 3 },
    ])
  })

  it('lists the sites that come next, of all that there are', async () => {
    const bench = await openBench(make)
    const names = Array.from({ length: 12 }, (_, at) => `s${at}.test`)
    for (const name of names) {
      await bench.admit(link(`${name}/1`), link(`${name}/2`))
      bench.clock.pass(1)
    }
    const next = <T>(what: 'nextFree' | 'nextDue', of: (row: { name: string }) => T) =>
      bench.db.read(async (tx) => (await frontierQueries[what](tx, 5)).map(of))
    assert.deepEqual(await next('nextFree', ({ name }) => name), names.slice(0, 5))
    assert.deepEqual(await next('nextDue', ({ name }) => name), [])
    const { visits } = await bench.frontier.checkOut('w1', 50)
    const now = bench.clock.now()
    for (const visit of visits) {
      const notBefore = now + 1000 * (20 - names.indexOf(visit.site))
      const pages = [page(`${visit.site}/1`)]
      await bench.applyParts(part(bench, visit, 1, { pages, courtesy: { pause: PAUSE, notBefore }, ended: 'slice' }))
    }
    assert.deepEqual(await next('nextFree', ({ name }) => name), [])
    assert.deepEqual(
      await next('nextDue', (row) => row),
      names.slice(-5).map((_, at) => {
        const time = now + 1000 * (9 + at)
        return { name: names[11 - at], notBefore: time, politeAt: time, waiting: 1 }
      }),
    )
  })
}
