import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCounters } from '../../src/collection/counters/counters.ts'
import { EVERY_ROBOTS } from '../web/options.ts'
import { crawlOn, type SimulateOptions, setStage } from './crawl-run.ts'
import { faultsOf } from './faults.ts'
import { documentsOf } from './judge.ts'

/** Everything about the crawl is as the web's own definition says; returns what was collected. */
async function crawlsRight(options: SimulateOptions): Promise<Set<string>> {
  const stage = setStage(options)
  await crawlOn(stage)
  assert.deepEqual(await faultsOf(stage), [], `seed ${options.seed}`)
  const collected = await documentsOf(stage.database)
  await stage.database.close()
  return collected
}

const SMALL = { pageBytes: 2000, linksPerPage: 15 }

for (const seed of [1, 2, 3]) {
  test(`redirects, robots of many kinds, flaky pages, shared addresses: the exact set (seed ${seed})`, async () => {
    const web = { ...SMALL, flakyShare: 0.05, sharedAddressShare: 0.5, flakyKinds: FLAKY }
    const collected = await crawlsRight({ seed, sites: 24, pages: 12, web })
    assert.ok(collected.size > 100)
  })
}

const FLAKY = ['503-seconds', '503-date', '429', '500', 'reset'] as const

test('sites that fail in every way, and robots.txt that cannot be had', async () => {
  const web = { ...SMALL, failingShare: 0.34, robots: EVERY_ROBOTS }
  await crawlsRight({ seed: 4, sites: 46, pages: 5, web })
})

test('records that were read back are counted', async () => {
  const stage = setStage({ seed: 5, sites: 3, pages: 4, web: SMALL })
  await crawlOn(stage)
  const counters = await stage.database.read((tx) => readCounters(tx))
  await stage.database.close()
  assert.ok((counters.get('recordsChecked') ?? 0) >= 2)
  assert.equal(counters.get('recordsWrong') ?? 0, 0)
})

test('https, and links to names that do not exist', async () => {
  const web = { ...SMALL, secureShare: 0.5, deadLinkShare: 0.3 }
  await crawlsRight({ seed: 6, sites: 20, pages: 10, web })
})

test('a site that answers under one scheme only: the links of the other cost themselves and nothing else', async () => {
  const origin = 'http://plain.test'
  const rest = Array.from({ length: 30 }, (_, i) => `${origin}/${i}.html`)
  const links = rest.flatMap((url, i) => [url, `https://plain.test/secure-${i}.html`])
  const html = links.map((link) => `<a href="${link}">.</a>`).join('')
  const planted = [{ url: `${origin}/`, html, links }, ...rest.map((url) => ({ url, html: url, links: [] }))]
  const collected = await crawlsRight({ seed: 1, sites: 0, pages: 0, seeds: [`${origin}/`], web: { planted } })
  assert.equal(collected.size, 31)
})

test('a whole top-level domain from few seeds, by each policy', async () => {
  const sizes: number[] = []
  for (const links of ['home-page', 'deep', 'combined'] as const) {
    const options = { seed: 8, sites: 20, pages: 10, web: { ...SMALL, deadLinkShare: 0.1 } }
    const seeds = setStage(options).seeds.slice(0, 2)
    const collected = await crawlsRight({ ...options, seeds, settings: { scope: 'tld:test', links } })
    sizes.push(collected.size)
  }
  const [home, deep, combined] = sizes
  assert.ok(combined >= home && combined >= deep && home > 40, `${sizes}`)
})

test('whatever the order, the same set', async () => {
  const sets: string[] = []
  for (const order of ['klwf', 'round-robin', 'random'] as const) {
    const collected = await crawlsRight({ seed: 9, sites: 16, pages: 10, web: SMALL, settings: { order, visits: 3 } })
    sets.push([...collected].sort().join('\n'))
  }
  assert.equal(new Set(sets).size, 1)
})

test('in small slices, by many workers, with too many known URLs to carry: the same set, nothing twice', async () => {
  const web = { ...SMALL, sharedAddressShare: 0.4, sitemapShare: 0.5, hiddenPages: 5 }
  const options = { seed: 10, sites: 16, pages: 20, web }
  const whole = await crawlsRight(options)
  const sliced = await crawlsRight({ ...options, workers: 4, settings: { slicePages: 3, visits: 5 } })
  assert.deepEqual([...sliced].sort(), [...whole].sort())
  const agendaOnly = await crawlsRight({
    ...options,
    alter: {
      frontier: (frontier) => ({
        ...frontier,
        async checkOut(worker, atMost) {
          const { visits, next } = await frontier.checkOut(worker, atMost)
          return { visits: visits.map((visit) => ({ ...visit, known: 'too many' as const })), next }
        },
      }),
    },
  })
  assert.deepEqual([...agendaOnly].sort(), [...whole].sort())
})

test('the same seed, the same requests in the same order', async () => {
  const seen: string[] = []
  for (let run = 0; run < 2; run++) {
    const stage = setStage({ seed: 11, sites: 10, pages: 6, web: SMALL })
    await crawlOn(stage)
    seen.push(stage.ledger.entries.map(({ at, url }) => `${at} ${url}`).join('\n'))
    await stage.database.close()
  }
  assert.equal(seen[0], seen[1])
})
