/** Lists of sites, URLs, hazards and aliases: the same on both databases as by going through everything. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { fillToBrowse, siteText, urlText } from '../../../bench/browse/fill.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import { bucketOf } from '../../database/bucket.ts'
import type { Database, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import {
  type FoundUrl,
  findSites,
  findUrls,
  listedSites,
  PIECE,
  queueOf,
  type SiteAsk,
  sitesAt,
  type UrlAsk,
} from '../../frontier/browse.ts'
import { CounterSums, writeSums } from '../counters/counters.ts'
import { aliasesAfter, aliasesOf, countRules, findingsBefore } from './findings.ts'
import { MAX_PAGES, pagesOfSite, rankSites, sumsOf } from './sites.ts'

/** The largest site has more pages than are read. */
const SIZE = { urls: 10 * PIECE, sites: 300 }
const postgres = await postgresForTests()
const ANY_SITE: SiteAsk = { prefix: '', text: '', state: undefined, after: '', atMost: 40 }
const ANY_URL: UrlAsk = { site: undefined, prefix: '', text: '', after: undefined, atMost: 50 }
const always = () => true
const never = () => false

/** All pages of a list of sites. */
async function everySite(tx: Tx, ask: SiteAsk, goOn = always): Promise<{ names: string[]; searched: number }> {
  const names: string[] = []
  let searched = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const found = await findSites(tx, { ...ask, after }, goOn)
    assert.ok(found.names.length <= ask.atMost)
    names.push(...found.names)
    searched += found.searched ?? 0
    after = found.next
  }
  return { names, searched }
}

async function everyUrl(tx: Tx, ask: UrlAsk, goOn = always): Promise<{ urls: FoundUrl[]; searched: number }> {
  const urls: FoundUrl[] = []
  let searched = 0
  for (let after: UrlAsk['after'], first = true; first || after !== undefined; first = false) {
    const found = await findUrls(tx, { ...ask, after }, goOn)
    assert.ok(found.urls.length <= ask.atMost)
    urls.push(...found.urls)
    searched += found.searched
    after = found.next
  }
  return { urls, searched }
}

function suite(name: string, open: () => Promise<Database>, skip: string | false) {
  describe(`looking around on ${name}`, { skip }, () => {
    let filled: Promise<Database> | undefined
    const reading = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
      filled ??= open().then(async (database) => {
        await fillToBrowse(database, SIZE)
        return database
      })
      return (await filled).read(work)
    }
    after(async () => (await filled)?.close())

    it('lists all sites by name, page by page, each once', () =>
      reading(async (tx) => {
        const { names, searched } = await everySite(tx, ANY_SITE)
        assert.deepEqual(names, Array.from({ length: SIZE.sites }, (_, n) => siteText(n)).sort())
        assert.equal(searched, SIZE.sites)
      }))

    it('lists those whose names begin with a text, that text itself too', () =>
      reading(async (tx) => {
        const { names } = await everySite(tx, { ...ANY_SITE, prefix: 'www.site-29', atMost: 3 })
        assert.equal(names.length, 11)
        assert.ok(names.every((one) => one.startsWith('www.site-29')))
        const { names: exact } = await everySite(tx, { ...ANY_SITE, prefix: siteText(29) })
        assert.deepEqual(exact, [siteText(29)])
        assert.deepEqual((await everySite(tx, { ...ANY_SITE, prefix: 'no.such' })).names, [])
      }))

    it('lists those of a state or with a text, also when it stops after each piece', () =>
      reading(async (tx) => {
        for (const goOn of [always, never]) {
          const barred = await everySite(tx, { ...ANY_SITE, state: 'barred' }, goOn)
          assert.equal(barred.names.length, Array.from({ length: SIZE.sites }).filter((_, n) => n % 8 === 5).length)
          assert.equal(barred.searched, SIZE.sites)
          const { names } = await everySite(tx, { ...ANY_SITE, text: 'te-12', state: 'crawled', atMost: 2 }, goOn)
          assert.deepEqual(names, ['www.site-122.example', 'www.site-123.example'])
        }
      }))

    it('lists those that are being visited by an index of their own', async () => {
      const database = await open()
      await fillToBrowse(database, { urls: 300, sites: 30 })
      await database.transact(async (tx) => {
        for (const n of [7, 5, 21, 12])
          await queries(tx).run(
            'UPDATE site SET state = ?, lease_until = 5 WHERE name = ?',
            n === 12 ? 'returning' : 'leased',
            siteText(n),
          )
      })
      await database.read(async (tx) => {
        const { names, searched } = await everySite(tx, { ...ANY_SITE, state: 'leased', atMost: 2 })
        assert.deepEqual([names, searched], [[21, 5, 7].map(siteText), 0])
      })
      await database.close()
    })

    it('says what is known of listed sites, with their sums', () =>
      reading(async (tx) => {
        const [site] = await listedSites(tx, [siteText(5), 'unknown.example'])
        assert.equal(site.state, 'barred')
        assert.equal(site.reason, 'given-up: no-such-name')
        const [sums, none, unvisited] = await sumsOf(tx, [siteText(5), 'unknown.example', siteText(3)])
        assert.equal(sums?.errors, (site.known >> 1) >> 3)
        assert.deepEqual([none, unvisited], [undefined, undefined])
        assert.equal(await sitesAt(tx, '198.51.100.7'), Math.ceil(SIZE.sites / 256))
        assert.equal(await sitesAt(tx, '203.0.113.1'), 0)
      }))

    it('counts the requests of a site that failed', async () => {
      const sums = new CounterSums()
      const counts: [string, number][] = [
        ['requests', 9],
        ['failure:status-404', 2],
        ['failure:connect', 1],
        ['status:404', 2],
      ]
      for (let part = 1; part <= 2; part++) sums.add('failing.example', new Map(counts), part)
      const database = await open()
      await database.transact((tx) => writeSums(tx, bucketOf(tx.dialect, siteKeyOf('failing.example')), sums))
      const [found] = await database.read((tx) => sumsOf(tx, ['failing.example']))
      assert.deepEqual([found?.requests, found?.errors], [18, 6])
      await database.close()
    })

    it('ranks sites by what they have most of', () =>
      reading(async (tx) => {
        const ask = { by: 'bytes', state: '', prefix: '', text: '', atMost: 5 } as const
        assert.deepEqual(await rankSites(tx, ask), [0, 1, 2, 4, 5].map(siteText))
        assert.deepEqual(await rankSites(tx, { ...ask, state: 'barred', atMost: 2 }), [5, 13].map(siteText))
        assert.deepEqual(await rankSites(tx, { ...ask, by: 'waiting', text: '-1', atMost: 2 }), [
          siteText(1),
          siteText(15),
        ])
        assert.deepEqual(await rankSites(tx, { ...ask, by: 'pause' }), [])
      }))

    it('finds URLs by any text in them, whatever its case, and counts what it looked at', () =>
      reading(async (tx) => {
        const known = (await queries(tx).get<{ n: number }>('SELECT count(*) AS n FROM url'))!.n
        assert.ok(known > 2 * PIECE)
        for (const goOn of [always, never]) {
          const { urls, searched } = await everyUrl(tx, { ...ANY_URL, text: 'ARTICLE-77.' }, goOn)
          assert.ok(urls.length > 5)
          assert.ok(urls.every(({ url }) => url.endsWith('/article-77.html')))
          assert.equal(new Set(urls.map(({ url }) => url)).size, urls.length)
          assert.equal(searched, known)
        }
      }))

    it("finds a site's URLs by how they begin", () =>
      reading(async (tx) => {
        const ask = { ...ANY_URL, site: siteText(0), prefix: `https://${siteText(0)}/section-7/`, atMost: 7 }
        const { urls, searched } = await everyUrl(tx, ask)
        const [{ known }] = await listedSites(tx, [siteText(0)])
        const expected = Array.from({ length: known }, (_, page) => urlText(0, page)).filter((url) =>
          url.startsWith(ask.prefix),
        )
        assert.deepEqual(urls.map(({ url }) => url).sort(), expected.sort())
        assert.equal(searched, known)
        const none = await findUrls(tx, { ...ask, prefix: ask.prefix.toUpperCase() }, always)
        assert.deepEqual(none, { urls: [], next: undefined, searched: known })
      }))

    it('reads the pages of a site, a sample of a large one, and the last requests', () =>
      reading(async (tx) => {
        const small = await pagesOfSite(tx, siteText(40), 3)
        assert.equal(small.isAll, true)
        assert.equal(
          small.read,
          small.depths.reduce((sum, { count }) => sum + count, 0),
        )
        assert.equal(small.last.length, 3)
        assert.ok(small.last[0].at > small.last[2].at)
        assert.equal((await pagesOfSite(tx, siteText(3), 3)).read, 0)
        const large = await pagesOfSite(tx, siteText(0), 5)
        assert.deepEqual([large.read, large.isAll, large.last.length], [MAX_PAGES, false, 5])
        assert.ok(large.last.every(({ url }) => url.startsWith(`https://${siteText(0)}/`)))
        const found = large.statuses.find(({ what }) => what === '404')?.count ?? 0
        // The pages with even numbers are there: of those a fifth has 500.
        assert.equal(found, 0)
        assert.ok((large.statuses.find(({ what }) => what === '500')?.count ?? 0) > MAX_PAGES / 8)
      }))

    it('shows what the next visits ask for', () =>
      reading(async (tx) => {
        const queue = await queueOf(tx, siteText(0), 4)
        assert.deepEqual(
          queue.map(({ url }) => url),
          [1, 3, 5, 7].map((page) => urlText(0, page)),
        )
      }))

    it('lists findings, newest first, all or of one rule', () =>
      reading(async (tx) => {
        const rules = await countRules(tx)
        const total = rules.reduce((sum, { count }) => sum + count, 0)
        const seen: number[] = []
        for (
          let before: { at: number; id: number } | undefined, first = true;
          first || before !== undefined;
          first = false
        ) {
          const page = await findingsBefore(tx, undefined, before, 7)
          seen.push(...page.map(({ at }) => at))
          before = page.at(-1)
        }
        assert.equal(seen.length, total)
        assert.deepEqual(
          seen,
          seen.toSorted((a, b) => b - a),
        )
        const [{ rule, count }] = rules
        const own = await findingsBefore(tx, rule, undefined, 1000)
        assert.equal(own.length, count)
        assert.ok(own.every((one) => one.rule === rule && one.examples.length === 2 && one.site?.startsWith('www.')))
      }))

    it('lists aliases page by page, and those of a site', () =>
      reading(async (tx) => {
        const names: string[] = []
        for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
          const page = await aliasesAfter(tx, after, 2)
          names.push(...page.map(({ name }) => name))
          after = page.at(-1)?.name
        }
        const expected = [1, 51, 101, 151, 201, 251].filter((n) => n % 4 !== 3)
        assert.deepEqual(names.sort(), expected.map(siteText).sort())
        assert.deepEqual(
          (await aliasesOf(tx, siteText(2), 9)).map(({ name }) => name),
          [siteText(1)],
        )
        assert.deepEqual(
          (await aliasesOf(tx, siteText(1), 9)).map(({ original }) => original),
          [siteText(2)],
        )
      }))
  })
}

suite('SQLite', async () => openSqlite(':memory:'), false)
suite(
  'PostgreSQL',
  async () => ('skipped' in postgres ? assert.fail(postgres.skipped) : postgres.make()),
  'skipped' in postgres ? postgres.skipped : false,
)
after(() => ('skipped' in postgres ? undefined : postgres.end()))
