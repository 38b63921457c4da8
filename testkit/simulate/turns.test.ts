/** Whose turn it is: slices, leases, budgets, and stopping. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCounters } from '../../src/collection/counters/counters.ts'
import type { Event } from '../../src/contracts/events.ts'
import type { PlantedPage } from '../web/options.ts'
import { PLAIN } from '../web/options.ts'
import { crawlOn, setStage } from './crawl-run.ts'
import { faultsOf } from './faults.ts'
import { documentsOf } from './judge.ts'

/** One page that links to all others of its site. */
function bigSite(origin: string, pages: number): PlantedPage[] {
  const rest = Array.from({ length: pages - 1 }, (_, i) => `${origin}/${i}.html`)
  const html = rest.map((url) => `<a href="${url}">.</a>`).join('\n')
  return [{ url: `${origin}/`, html, links: rest }, ...rest.map((url) => ({ url, html: url, links: [] }))]
}

test('a big site gives its place to others: with three places, twenty small ones end long before it', async () => {
  const big = 'http://big.test'
  const ended = new Map<string, number>()
  const stage = setStage({
    seed: 1,
    sites: 20,
    pages: 4,
    web: { ...PLAIN, planted: bigSite(big, 400), pageBytes: 1000, linksPerPage: 5 },
    settings: { visits: 3, slicePages: 20, scope: 'host' },
    workers: 1,
  })
  stage.seeds = [`${big}/`, ...stage.seeds]
  await crawlOn(stage)
  assert.deepEqual(await faultsOf(stage), [])
  for (const { site, at } of stage.ledger.entries) ended.set(site, at)
  const bigEnd = ended.get('big.test')!
  ended.delete('big.test')
  assert.equal(ended.size, 20)
  const lastSmall = Math.max(...ended.values())
  assert.ok(lastSmall < bigEnd / 5, `small ones until ${lastSmall}, the big one until ${bigEnd}`)
  // And the big one loses little by it: a pause an answer, and now and then a turn of others.
  assert.ok(bigEnd < 400 * 2200, `${bigEnd}`)
})

test('a page budget is exact, and the rest is collected later without a repeat', async () => {
  for (const maxPages of [1, 17, 60]) {
    const stage = setStage({ seed: 2, sites: 12, pages: 10, web: { pageBytes: 1000, linksPerPage: 10 } })
    const { settings } = stage
    stage.settings = { ...settings, maxPages }
    await crawlOn(stage)
    assert.equal((await documentsOf(stage.database)).size, maxPages)
    stage.settings = settings
    await crawlOn(stage)
    assert.deepEqual(await faultsOf(stage), [])
    await stage.database.close()
  }
})

test('told to stop at any moment, everything is checked in, and the next run completes the set without a repeat', async () => {
  for (const seconds of [0, 0.05, 1, 3.3, 8, 15, 21]) {
    const ends: Event[] = []
    const stage = setStage({
      seed: 3,
      sites: 12,
      pages: 10,
      web: { pageBytes: 1000, linksPerPage: 10, flakyShare: 0.05, sharedAddressShare: 0.5 },
      journal: (event) => {
        if (event.kind === 'visit-ended') ends.push(event)
      },
    })
    const stop = new AbortController()
    stage.clock.after(seconds * 1000, () => stop.abort())
    await crawlOn(stage, stop.signal)
    const asked = stage.ledger.entries.length
    const { requests, waiting } = await stage.database.read(async (tx) => ({
      requests: (await readCounters(tx)).get('requests') ?? 0,
      waiting: ends.length,
    }))
    assert.equal(requests, asked, `stopped after ${seconds} s: every request is told of`)
    assert.ok(waiting > 0 || seconds < 1)
    assert.ok(
      stage.ledger.entries.every(({ endedAt }) => endedAt !== undefined),
      'no answer was left',
    )
    await crawlOn(stage)
    assert.deepEqual(await faultsOf(stage), [], `stopped after ${seconds} s`)
    await stage.database.close()
  }
})
