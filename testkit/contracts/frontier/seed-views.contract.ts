/** What is seen of the seeds, on whatever database. */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Tx } from '../../../src/database/database.ts'
import { queries } from '../../../src/database/queries.ts'
import type { SeedUrl } from '../../../src/frontier/contract.ts'
import { frontierQueries } from '../../../src/frontier/queries.ts'
import { parseUrl } from '../../../src/web/url/web-url.ts'
import { type MakeDatabase, openBench } from './tools.contract.ts'

const seedOf = (text: string, more: Partial<SeedUrl> = {}): SeedUrl => {
  const { href, key, site } = parseUrl(text)!
  return { url: href, key, site, ...more }
}

const mark = (tx: Tx, url: string, value: number) =>
  queries(tx).run('UPDATE url SET mark = ? WHERE url = ?', value, url)

export function seedViewsContract(make: MakeDatabase): void {
  async function open() {
    const { db, ledger } = await openBench(make)
    return { db, ledger, views: frontierQueries }
  }

  it('a seed remembers its source and its path; the first source stays', async () => {
    const { db, ledger, views } = await open()
    await db.transact(async (tx) => {
      await ledger.seed(tx, [seedOf('https://a.test/', { source: 'names', path: 'N' }), seedOf('http://b.test/x')])
      await ledger.seed(tx, [seedOf('https://a.test/', { source: 'cdx' })])
    })
    const list = await db.read((tx) => views.seeds(tx, 'all'))
    assert.deepEqual(
      new Set(list.map(({ url, source }) => `${source} ${url}`)),
      new Set(['names https://a.test/', 'given http://b.test/x']),
    )
    const view = await db.read((tx) => frontierQueries.url(tx, 'https://a.test/'))
    assert.deepEqual([view?.path, view?.depth, view?.seed], ['N', 0, true])
  })

  it('statuses: new, known, dead with its URL or with its site', async () => {
    const { db, ledger, views } = await open()
    const [a, b, c, d] = ['http://a.test/', 'http://b.test/', 'http://c.test/', 'http://d.test/'].map((url) =>
      seedOf(url),
    )
    const places = await db.transact(async (tx) => {
      await ledger.seed(tx, [a, b, c])
      await mark(tx, b.url, 5)
      await queries(tx).run(`UPDATE site SET state = 'barred' WHERE name = 'c.test'`)
      return views.seedStatuses(tx, [a, b, seedOf('http://c.test/other'), d])
    })
    assert.deepEqual(places, ['known', 'dead', 'dead', 'new'])
    assert.deepEqual(await db.read((tx) => views.marks(tx, [a, b, d])), ['waiting', 'gone', undefined])
  })

  it('one of each site; a site that came by a name says so', async () => {
    const { db, ledger, views } = await open()
    await db.transact((tx) =>
      ledger.seed(tx, [
        seedOf('http://a.test/1'),
        seedOf('http://a.test/2'),
        seedOf('https://a.test/', { source: 'names', path: 'N' }),
        seedOf('http://b.test/'),
      ]),
    )
    const sites = await db.read((tx) => views.seeds(tx, 'sites'))
    assert.deepEqual(sites.map(({ url, source }) => [new URL(url).host, source]).sort(), [
      ['a.test', 'names'],
      ['b.test', 'given'],
    ])
  })

  it('counts by source and mark; the gone ones page by page', async () => {
    const { db, ledger, views } = await open()
    const urls = Array.from({ length: 25 }, (_, i) => seedOf(`https://n${i}.test/`, { source: 'names', path: 'N' }))
    await db.transact(async (tx) => {
      await ledger.seed(tx, [...urls, seedOf('http://a.test/')])
      for (const { url } of urls.slice(5)) await mark(tx, url, 4)
    })
    const counts = await db.read((tx) => views.seedCounts(tx))
    assert.deepEqual(
      new Set(counts.map((row) => `${row.source} ${row.mark} ${row.count}`)),
      new Set(['given waiting 1', 'names waiting 5', 'names gone 20']),
    )
    const gone: string[] = []
    for (let after: { site: bigint; key: bigint } | undefined; ; ) {
      const page = await db.read((tx) => views.goneSeeds(tx, 'names', after, 7))
      gone.push(...page.seeds.map(({ url }) => url))
      if (page.last === undefined) break
      after = page.last
    }
    assert.deepEqual(
      gone.sort(),
      urls
        .slice(5)
        .map(({ url }) => url)
        .sort(),
    )
    assert.equal((await db.read((tx) => views.firstSeeds(tx, 3))).length, 3)
  })

  it('all of them page by page, each once, with its source', async () => {
    const { db, ledger, views } = await open()
    const named = Array.from({ length: 25 }, (_, i) => seedOf(`https://n${i % 9}.test/${i}`, { source: 'cdx' }))
    await db.transact((tx) => ledger.seed(tx, [...named, seedOf('http://a.test/')]))
    const found: string[] = []
    for (let after: { site: bigint; key: bigint } | undefined; ; ) {
      const page = await db.read((tx) => views.seedsAfter(tx, after, 7))
      assert.ok(page.seeds.length <= 7)
      found.push(...page.seeds.map(({ url, source }) => `${source} ${url}`))
      if (page.last === undefined) break
      after = page.last
    }
    assert.deepEqual(found.sort(), ['given http://a.test/', ...named.map(({ url }) => `cdx ${url}`)].sort())
  })
}
