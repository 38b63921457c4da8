/** Domains in which any name resolves, crawled whole: a farm of links, a coordinator of good sites, a registry that advertises. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frontierQueries } from '../../src/frontier/queries.ts'
import type { PlantedPage } from '../web/options.ts'
import { crawlOn, type Stage, setStage } from './crawl-run.ts'
import { documentsOf } from './judge.ts'

const BLOGS = 120
/** Of them, those that another domain names; each of the rest is named by two of these. */
const NAMED = 40
const REGISTERED = 5
const MADE_UP_A_BLOG = 3

const blog = (number: number) => `http://b${number}.blogs.test/`
const listing = (url: string, links: string[]): PlantedPage => ({
  url,
  html: links.map((to) => `<p><a href="${to}">${to.slice(7, -1)}</a> of ${url.slice(7, -1)}</p>`).join(''),
  links,
})

function plant(): PlantedPage[] {
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)
  const namedBy = (number: number) =>
    range(NAMED, BLOGS).filter((other) => number < NAMED && [other, other + 7].some((by) => by % NAMED === number))
  const madeUp = (number: number) => range(0, MADE_UP_A_BLOG).map((n) => `http://gone-${number}-${n}.blogs.test/`)
  return [
    listing('http://directory.test/', range(0, NAMED).map(blog)),
    ...range(0, BLOGS).map((number) => listing(blog(number), [...namedBy(number).map(blog), ...madeUp(number)])),
  ]
}

function stageOf(): Stage {
  const stage = setStage({
    seed: 5,
    sites: 20,
    pages: 5,
    settings: { scope: 'tld:test,wild' },
    web: {
      pageBytes: 2000,
      linksPerPage: 10,
      hazardShare: 0.1,
      hazardShapes: ['link-farm'],
      hazardBound: 0,
      planted: plant(),
      wildcards: [
        { domain: 'blogs.test', kind: 'hosting', sites: 0, pages: 0 },
        { domain: 'wild', kind: 'registry', sites: REGISTERED, pages: 4 },
      ],
    },
  })
  return { ...stage, seeds: [...stage.web.homes(), ...stage.web.wildcardHomes(), 'http://directory.test/'] }
}

test('a farm costs about twenty-five sites, a coordinator of good sites loses nothing, a registry is barred', async () => {
  const stage = stageOf()
  const { web, ledger, database } = stage
  await crawlOn(stage)
  const asked = new Set(ledger.entries.map(({ site }) => site))
  const under = (domain: string) => [...asked].filter((site) => site.endsWith(`.${domain}`))
  const look = frontierQueries
  const domainView = (name: string) => database.read((tx) => look.domain(tx, name))

  const farms = web.wildcardDomains().filter(({ domain }) => domain !== 'wild' && domain !== 'blogs.test')
  assert.equal(farms.length, 2)
  for (const { domain } of farms) {
    const { endorsed, held, allowed } = (await domainView(domain))!
    assert.equal(endorsed, 2, 'its two entrances')
    assert.equal(under(domain).length, endorsed + allowed, 'about twenty-five sites')
    assert.ok(held > 500, `${held}`)
  }

  const collected = await documentsOf(database)
  const blogs = Array.from({ length: BLOGS }, (_, number) => blog(number))
  assert.deepEqual(
    blogs.filter((url) => !collected.has(url)),
    [],
  )
  const coordinator = (await domainView('blogs.test'))!
  assert.equal(coordinator.wildcard, true)
  assert.equal(coordinator.endorsed, BLOGS)
  assert.equal(under('blogs.test').length, BLOGS + coordinator.allowed)
  assert.equal(coordinator.held, BLOGS * MADE_UP_A_BLOG - coordinator.allowed)

  const registered = new Set(web.wildcardHomes().map((home) => new URL(home).host))
  assert.deepEqual(new Set(under('wild')), registered, 'nobody else is asked anything there')
  const barred = await database.read(async (tx) => {
    const { sites } = await look.totals(tx)
    return sites.barred
  })
  assert.ok(barred >= REGISTERED, `${barred}`)

  const { sites, urls } = await database.read((tx) => look.totals(tx))
  assert.equal(sites.waiting + sites.free + sites.leased + sites.returning, 0, 'and the crawl is over')
  assert.equal(urls.waiting, 0)
  await database.close()
})
