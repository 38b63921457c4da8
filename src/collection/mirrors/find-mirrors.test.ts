import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hash64 } from '../../base/digest.ts'
import { packLinks } from '../../contracts/adjacency.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { usualUrls } from '../../web/url/web-url.ts'
import { indexLinks } from '../links/index-links.ts'
import { MAX_SITES_PER_CONTENT } from './compare.ts'
import { searchMirrors } from './find-mirrors.ts'
import { scan } from './gather.ts'
import { type Evidence, HEURISTICS, type Heuristic, holds } from './heuristics.ts'
import { addPage, catalogueOf, type Sites, site } from './sample-sites.test-data.ts'

async function found(sites: Sites, gone: readonly string[] = []) {
  const database = await catalogueOf(sites)
  const search = await searchMirrors(database, usualUrls)
  const by: Partial<Record<Heuristic, string[]>> = {}
  for (const heuristic of HEURISTICS) {
    const { pairs } = await search.list(heuristic, new Set(gone))
    by[heuristic] = pairs.map(({ replica, original }) => `${replica} ${original}`).sort()
  }
  await search.close()
  await database.close()
  return { by: by as Record<Heuristic, string[]>, search }
}

test('each heuristic requires what the paper says', async () => {
  const { by, search } = await found({
    'a.test': site('home', 'p', 9),
    'mirror-a.test': site('home', 'p', 9),
    'other.test': site('own home', 'q', 9),
    // Nine of ten contents, and another home page.
    'ads.test': { ...site('with today’s advertisement', 'q', 9) },
    // Equal home page, nothing else: under construction.
    'soon.test': { '/': 'soon' },
    'later.test': { '/': 'soon', '/x': 'something', '/y': 'of its own' },
    // Home page and one document, but mostly its own.
    'b.test': site('b home', 'b', 9),
    'like-b.test': { ...site('b home', 'c', 9), '/1': 'b1' },
    // Seven of ten.
    'c.test': site('c home', 'd', 9),
    'like-c.test': { ...site('c home', 'd', 9), '/1': 'x1', '/2': 'x2', '/3': 'x3' },
  })
  assert.equal(search.sites, 10)
  assert.deepEqual(by.Dups100, ['mirror-a.test a.test'])
  assert.deepEqual(by.Dups80, ['mirror-a.test a.test', 'other.test ads.test'])
  assert.deepEqual(by.Dups60, ['like-c.test c.test', 'mirror-a.test a.test', 'other.test ads.test'])
  assert.deepEqual(by.SameHomeAnd1Doc, ['like-b.test b.test', 'like-c.test c.test', 'mirror-a.test a.test'])
  assert.deepEqual(by.SameHome, [
    'later.test soon.test',
    'like-b.test b.test',
    'like-c.test c.test',
    'mirror-a.test a.test',
  ])
})

test('a group has one original: https, then the shorter name, then the more linked, then the alphabet', async () => {
  const pages = site('home', 'p', 3)
  const https = Object.fromEntries(Object.entries(pages).map(([path, content]) => [`https:${path}`, content]))
  const { by } = await found({ 'long-name.test': https, 'b.test': pages, 'a.test': pages, 'www.a.test': pages })
  assert.deepEqual(by.Dups100, ['a.test long-name.test', 'b.test long-name.test', 'www.a.test long-name.test'])
  const without = await found({ 'long-name.test': https, 'b.test': pages, 'a.test': pages }, ['long-name.test'])
  assert.deepEqual(without.by.Dups100, ['b.test a.test'], 'a name that leads nowhere is neither')
})

test('links from other sites decide between names of one length', async () => {
  const database = await catalogueOf({ 'a.test': site('home', 'p', 3), 'b.test': site('home', 'p', 3), 'c.test': {} })
  const link = { key: hash64('http://b.test/'), siteKey: hash64('b.test') }
  await addPage(database, 'http://c.test/', 'a friend of b', { links: packLinks([link]) })
  while ((await database.transact((tx) => indexLinks(tx, 100))) > 0);
  const search = await searchMirrors(database, usualUrls)
  const { pairs } = await search.list('SameHome')
  assert.deepEqual(
    pairs.map(({ replica, original }) => [replica, original]),
    [['a.test', 'b.test']],
  )
  await search.close()
})

test('empty pages and contents that very many sites have are no evidence', async () => {
  const parked = Object.fromEntries(
    Array.from({ length: MAX_SITES_PER_CONTENT + 1 }, (_, i) => [`p${i}.test`, { '/': 'parked', '/x': 'for sale' }]),
  )
  const { by, search } = await found({
    ...parked,
    'a.test': { '/': '', '/1': '', '/2': 'parked' },
    'b.test': { '/': '', '/1': '', '/2': 'parked' },
  })
  assert.equal(search.tooCommon, 2)
  for (const heuristic of HEURISTICS) assert.deepEqual(by[heuristic], [], heuristic)
})

test('a large group is found through its chain', async () => {
  const names = Array.from({ length: 60 }, (_, i) => `m${String(i).padStart(2, '0')}.test`)
  const { by } = await found(Object.fromEntries(names.map((name) => [name, site('home', 'p', 5)])))
  for (const heuristic of HEURISTICS)
    assert.deepEqual(
      by[heuristic],
      names.slice(1).map((name) => `${name} m00.test`),
    )
})

test('a home page that moved within its site is followed there', async () => {
  const { by } = await found({
    'a.test': { '/': '→http://a.test/en/', '/en/': 'welcome', '/1': 'one' },
    'b.test': { '/': 'welcome', '/1': 'one' },
    'c.test': { '/': '→http://elsewhere.test/en/', '/en/': 'welcome', '/1': 'one' },
  })
  assert.deepEqual(by.SameHomeAnd1Doc, ['b.test a.test'])
})

test('pages are read in one pass in the order of the file, without an index', async () => {
  const database = await catalogueOf({})
  const plan = await database.read((tx) =>
    sqliteTx(tx)
      .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${scan('sqlite')}`, 0, 0, 10)
      .map(({ detail }) => detail),
  )
  assert.deepEqual(plan, ['SEARCH page USING INTEGER PRIMARY KEY (rowid>?)'])
  await database.close()
})

/** Compares all pairs, by the paper's definition. */
function brute(sites: Sites, heuristic: Heuristic, a: string, b: string): boolean {
  const contents = (name: string) => new Set(Object.values(sites[name]))
  const [one, other] = [contents(a), contents(b)]
  const shared = [...one].filter((content) => other.has(content))
  const evidence: Evidence = {
    shared: shared.length,
    telling: shared.length,
    sameHome: sites[a]['/'] !== undefined && sites[a]['/'] === sites[b]['/'],
    total: Math.max(one.size, other.size),
  }
  return holds(heuristic, evidence)
}

test('in small webs it finds what comparing all pairs finds, and nothing else', async () => {
  const pages = fc.dictionary(fc.constantFrom('/', '/1', '/2', '/3', '/4'), fc.constantFrom(...'abcdef'), {
    minKeys: 1,
  })
  const webs = fc.array(pages, { minLength: 2, maxLength: 7 })
  await fc.assert(
    fc.asyncProperty(webs, async (web) => {
      const sites: Sites = Object.fromEntries(web.map((one, i) => [`${'s'.repeat(i + 1)}.test`, one]))
      const names = Object.keys(sites)
      const { by } = await found(sites)
      for (const heuristic of HEURISTICS) {
        const replicas = new Map(by[heuristic].map((pair) => pair.split(' ') as [string, string]))
        for (const [replica, original] of replicas) {
          assert.ok(brute(sites, heuristic, replica, original), `${heuristic} ${replica} ${original}`)
          assert.ok(!replicas.has(original), 'an original is no replica')
        }
        // A site that is no replica is like no other such site.
        const left = names.filter((name) => !replicas.has(name))
        for (const a of left)
          for (const b of left) if (a < b) assert.ok(!brute(sites, heuristic, a, b), `${heuristic} misses ${a} ${b}`)
      }
    }),
    { numRuns: 150 },
  )
})
