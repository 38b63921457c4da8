/** Other texts of a URL, on whatever database: the next one is asked for when one is not found, none is asked for twice. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Outcome } from '../../../src/contracts/outcome.ts'
import type { Link, PageReport } from '../../../src/contracts/report.ts'
import { frontierQueries } from '../../../src/frontier/queries.ts'
import { type Bench, KEPT, link, type MakeDatabase, openBench, PAUSE, page, part } from './tools.contract.ts'

const URL = 'http://a.test/x'
const NOT_FOUND: Outcome = { kind: 'gone', why: 'status-404' }
const text = (sid: number) => `${URL}?sid=${sid}`
/** As a worker tells it: the key is known there. */
const spelt = (sid: number): Link => ({ ...crossSite(sid), spelling: true })
/** As another site's page has it. */
const crossSite = (sid: number): Link => ({ ...link(URL), url: text(sid) })
const asked = (url: string, outcome: Outcome): PageReport => page(URL, outcome, { url })
const view = (bench: Bench) => bench.db.read((tx) => frontierQueries.url(tx, URL))

/** Visits until nothing is left; every text that is asked for gets the outcome. Says which texts those were. */
async function askAll(bench: Bench, outcome: Outcome, found: Link[] = []): Promise<string[]> {
  const texts: string[] = []
  for (let news = found; ; news = []) {
    bench.clock.pass(PAUSE)
    const { visits } = await bench.frontier.checkOut('w1', 1)
    if (visits.length === 0) return texts
    const pages = visits[0].agenda.map(({ url, key }) => page(URL, outcome, { url, key }))
    texts.push(...pages.map(({ url }) => url))
    assert.ok(texts.length < 100, 'it does not end')
    await bench.applyParts(part(bench, visits[0], 1, { pages, found: news, ended: 'done' }))
  }
}

/** `runs`: of the property that takes a new database for each. */
export function spellingsContract(make: MakeDatabase, runs: number): void {
  describe('another spelling', () => {
    it('is asked for when the first is not found, in the order seen, each once', async () => {
      const bench = await openBench(make)
      await bench.admit(link(URL))
      assert.deepEqual(await askAll(bench, NOT_FOUND, [spelt(1), spelt(2), spelt(1)]), [URL, text(1), text(2)])
      assert.equal((await view(bench))?.mark, 'gone')
      await bench.admit(link(URL), crossSite(1), crossSite(2))
      assert.deepEqual(await askAll(bench, NOT_FOUND), [])
      assert.deepEqual((await bench.db.read((tx) => frontierQueries.totals(tx))).urls, {
        known: 1,
        marked: 1,
        waiting: 0,
        refreshing: 0,
      })
    })

    it('that only writes letters as escapes is the same text: not found under one, it is not asked for under the other', async () => {
      const bench = await openBench(make)
      await bench.admit(link(URL))
      const { visits } = await bench.frontier.checkOut('w1', 1)
      const escaped = page(URL, NOT_FOUND, { url: 'http://a.test/%78', key: link(URL).key })
      await bench.applyParts(part(bench, visits[0], 1, { pages: [escaped], ended: 'done' }))
      assert.deepEqual(await askAll(bench, NOT_FOUND), [])
      assert.equal((await view(bench))?.mark, 'gone')
    })

    it('that comes later revives a URL that was not found, as one never visited', async () => {
      const bench = await openBench(make)
      await bench.admit(link(URL))
      await askAll(bench, NOT_FOUND)
      await bench.admit({ ...crossSite(1), depth: 7, via: URL, path: 'LR' })
      bench.clock.pass(PAUSE)
      const [item] = (await bench.one()).agenda
      assert.deepEqual([item.url, item.depth, item.path, item.tries], [text(1), 7, 'LR', 0])
    })

    it('is kept while the first waits, wherever it was found', async () => {
      const bench = await openBench(make)
      await bench.admit(link(URL), crossSite(1))
      await bench.admit(crossSite(2))
      assert.deepEqual(await askAll(bench, NOT_FOUND), [URL, text(1), text(2)])
    })

    it('a URL is asked for under four texts at most', async () => {
      const bench = await openBench(make)
      await bench.admit(link(URL))
      const many = Array.from({ length: 20 }, (_, sid) => spelt(sid))
      assert.equal((await askAll(bench, NOT_FOUND, many)).length, 4)
      await bench.admit(crossSite(77))
      assert.deepEqual(await askAll(bench, NOT_FOUND), [])
    })

    const last: Outcome[] = [
      KEPT,
      { kind: 'moved', to: 'http://b.test/' },
      { kind: 'refused', by: 'robots', rule: '/' },
      { kind: 'gone', why: 'status-403' },
      { kind: 'read', as: 'sitemap', urls: 1 },
    ]
    for (const outcome of last)
      it(`is of no use when the first is ${outcome.kind}`, async () => {
        const bench = await openBench(make)
        await bench.admit(link(URL), crossSite(1))
        assert.deepEqual(await askAll(bench, outcome, [spelt(2)]), [URL])
        await bench.admit(crossSite(3))
        assert.deepEqual(await askAll(bench, outcome), [])
      })

    const at = (name: string) => link(`http://a.test/a/${name}`)
    const told = (one: Link): Link => ({ ...one, spelling: true })

    it('two names of a folder’s index are two URLs once both are seen; one alone is the folder', async () => {
      const bench = await openBench(make)
      const [folder, index, other] = ['', 'index.html', 'Default.html'].map(at)
      assert.equal(index.key, folder.key)
      assert.equal(other.key, folder.key)
      await bench.admit(folder)
      assert.deepEqual(await askAll(bench, KEPT, [told(index)]), [folder.url], 'one name: the folder was asked for')
      assert.deepEqual(await askAll(bench, KEPT), [])
      await bench.admit(other, index)
      const both = (await askAll(bench, KEPT, [told(other), told(index), folder])).sort()
      assert.deepEqual(both, [other.url, index.url], 'two names: each is asked for')
      await bench.admit(other, index, folder)
      assert.deepEqual(await askAll(bench, KEPT), [])
      for (const { url } of [folder, index, other]) {
        const looked = await bench.db.read((tx) => frontierQueries.url(tx, url))
        assert.deepEqual([looked?.url, looked?.mark], [url, 'kept'])
        assert.equal(looked?.key === folder.key, url === folder.url)
      }
    })

    it('a server that sends a folder to its index, or back, is followed; the name is not asked for twice', async () => {
      for (const [from, to] of [
        ['index.html', ''],
        ['', 'index.html'],
      ]) {
        const bench = await openBench(make)
        await bench.admit(at(from))
        const moved = page(at(from).url, { kind: 'moved', to: at(to).url })
        await bench.applyParts(
          part(bench, await bench.one(), 1, { pages: [moved], found: [told(at(to))], ended: 'done' }),
        )
        assert.deepEqual(await askAll(bench, KEPT), [at(to).url])
        await bench.admit(at('default.html'), at(from), at(to))
        assert.deepEqual(await askAll(bench, KEPT), [at('default.html').url])
      }
    })

    it('a folder with a session id is the folder, beside a name of its index', async () => {
      const bench = await openBench(make)
      const folder = at(';jsessionid=1A2B')
      await bench.admit(at('default.html'))
      await askAll(bench, KEPT)
      await bench.admit(folder)
      assert.deepEqual(await askAll(bench, KEPT), [folder.url])
      await bench.admit(at(''), at(';jsessionid=3C4D'))
      assert.deepEqual(await askAll(bench, KEPT), [])
    })

    for (const when of ['waits', 'is there'])
      it(`session ids make no second page of an index’s name while its folder ${when}`, async () => {
        const bench = await openBench(make)
        await bench.admit(at(''))
        const asked = when === 'waits' ? [] : await askAll(bench, KEPT)
        for (const n of [1, 2, 3, 4, 5]) await bench.admit(at(`index.html;jsessionid=${n}A2B`))
        assert.deepEqual([...asked, ...(await askAll(bench, KEPT))], [at('').url])
        await bench.admit(at('index.html;jsessionid=6A2B'))
        assert.deepEqual(await askAll(bench, KEPT), [])
        await bench.admit(at('default.html'))
        const both = await askAll(bench, KEPT)
        assert.deepEqual(both, [at('index.html;jsessionid=1A2B').url, at('default.html').url])
      })

    for (const crossSite of [[''], ['default.html'], ['', 'default.html']])
      for (const own of ['', 'default.html'])
        for (const isAsked of [true, false])
          it(`'${own}' is ${isAsked ? 'asked for' : 'found'} while cross-site links name '${crossSite.join("', '")}'`, async () => {
            const bench = await openBench(make)
            await bench.admit(link(URL))
            const visit = await bench.one()
            await bench.admit(...crossSite.map(at))
            const pages = [page(URL), ...(isAsked ? [page(at(own).url)] : [])]
            await bench.applyParts(part(bench, visit, 1, { pages, found: [at(own)], ended: 'done' }))
            const asked = [...pages.map(({ url }) => url), ...(await askAll(bench, KEPT))].sort()
            const names = [...new Set([...crossSite, own])]
            assert.deepEqual(asked, [URL, ...names.map((name) => at(name).url)].sort(), 'each once')
            const { urls } = await bench.db.read((tx) => frontierQueries.totals(tx))
            assert.equal(urls.waiting, 0)
          })

    it('an index that is not found while cross-site links name it is not asked for again', async () => {
      const bench = await openBench(make)
      await bench.admit(link(URL))
      const visit = await bench.one()
      await bench.admit(at(''), at('default.html'))
      const pages = [page(URL), page(at('default.html').url, NOT_FOUND)]
      await bench.applyParts(part(bench, visit, 1, { pages, found: [at('default.html')], ended: 'done' }))
      assert.deepEqual(await askAll(bench, KEPT), [at('').url])
    })

    const NAMES = ['', 'index.html', 'index.htm', 'index.shtml', 'default.html', 'default.htm']
    const seen = fc.record({
      names: fc
        .subarray(NAMES, { minLength: 1 })
        .chain((some) => fc.shuffledSubarray(some, { minLength: some.length })),
      /** Seen again, in any order. */
      again: fc.array(fc.constantFrom(...NAMES), { maxLength: 8 }),
      /** Where the visits, or the transactions, end. */
      breaks: fc.array(fc.boolean(), { minLength: 14, maxLength: 14 }),
      crossSite: fc.boolean(),
      missing: fc.subarray(NAMES),
    })
    it('in whatever order the names of an index are seen, each that may be a page of its own is asked for', async () => {
      await fc.assert(
        fc.asyncProperty(seen, async ({ names, again, breaks, crossSite, missing }) => {
          const bench = await openBench(make)
          const isThere = (url: string) => !missing.some((name) => at(name).url === url)
          const asked: string[] = []
          const ask = async () => {
            for (;;) {
              bench.clock.pass(PAUSE)
              const { visits } = await bench.frontier.checkOut('w1', 1)
              if (visits.length === 0) return
              const { agenda } = visits[0]
              asked.push(...agenda.map(({ url }) => url))
              const pages = agenda.map(({ url, key }) => page(url, isThere(url) ? KEPT : NOT_FOUND, { url, key }))
              await bench.applyParts(part(bench, visits[0], 1, { pages, ended: 'done' }))
            }
          }
          const all = [...names, ...again.filter((name) => names.includes(name))]
          let batch: Link[] = []
          const enter = async () => {
            if (crossSite) await bench.admit(...batch)
            else {
              await bench.admit({ ...link(`http://a.test/from${asked.length}`), via: '' })
              bench.clock.pass(PAUSE)
              const visit = await bench.one()
              const pages = visit.agenda.map(({ url, key }) => page(url, isThere(url) ? KEPT : NOT_FOUND, { url, key }))
              asked.push(...visit.agenda.map(({ url }) => url))
              await bench.applyParts(part(bench, visit, 1, { pages, found: batch.map(told), ended: 'done' }))
            }
            batch = []
          }
          for (const [index, name] of all.entries()) {
            batch.push(at(name))
            if (!breaks[index] && index < all.length - 1) continue
            await enter()
            if (breaks[all.length - 1 - index]) await ask()
          }
          await ask()
          const texts = asked.filter((url) => url.startsWith('http://a.test/a/')).sort()
          const wanted = names.map((name) => at(name).url).sort()
          if (bench.options.urls.mayBeSeveral(wanted)) assert.deepEqual(texts, wanted)
          else {
            assert.deepEqual(texts, [...new Set(texts)], 'none twice')
            assert.equal(texts.filter(isThere).length, wanted.some(isThere) ? 1 : 0)
          }
          const { urls } = await bench.db.read((tx) => frontierQueries.totals(tx))
          assert.equal(urls.waiting, 0)
        }),
        { numRuns: runs },
      )
    })

    const TEXTS = [...NAMES.slice(0, 3), 'default.html', 'Default.html', '?sid=1', ';jsessionid=1A']
    const name = fc.constantFrom(...TEXTS, 'index.html;jsessionid=1A', 'index.html;jsessionid=2B')
    const names = fc.array(name, { maxLength: 3 })
    const life = fc.record({
      /** Links abroad before a visit and while it is out, a text that the visit takes for new, and others that it tells of. */
      visits: fc.array(fc.record({ before: names, during: names, own: name, isAsked: fc.boolean(), found: names }), {
        minLength: 1,
        maxLength: 5,
      }),
      missing: fc.subarray(TEXTS),
      moved: fc.dictionary(name, name, { maxKeys: 2 }),
    })
    it('whichever page names an index, and while it is fetched: no text is fetched twice, no name is lost', async () => {
      await fc.assert(
        fc.asyncProperty(life, async ({ visits, missing, moved }) => {
          const bench = await openBench(make)
          const asked: string[] = []
          const seen: string[] = []
          const see = (some: readonly string[]) => {
            seen.push(...some.map((one) => at(one).url))
            return some.map(at)
          }
          const answer = (url: string, key: bigint): PageReport => {
            asked.push(url)
            const text = url.replace('http://a.test/a/', '')
            const to = Object.hasOwn(moved, text) ? at(moved[text]).url : undefined
            if (to !== undefined) return page(url, { kind: 'moved', to }, { url, key })
            return page(url, missing.includes(text) ? NOT_FOUND : KEPT, { url, key })
          }
          const visit = async ({ during, own, isAsked, found }: (typeof visits)[number]) => {
            bench.clock.pass(PAUSE)
            const { agenda, known, ...out } = await bench.one()
            const fresh = [...known, ...agenda.map(({ key }) => key)].includes(at(own).key) ? [] : see([own])
            if (during.length > 0) await bench.admit(...see(during))
            const pages = [...agenda, ...(isAsked ? fresh : [])].map(({ url, key }) => answer(url, key))
            const targets = pages.flatMap(({ outcome }) => (outcome.kind === 'moved' ? [link(outcome.to)] : []))
            const links = [...fresh, ...[...see(found), ...targets].map(told)]
            await bench.applyParts(part(bench, { ...out, agenda, known }, 1, { pages, found: links, ended: 'done' }))
          }
          for (const [nth, each] of visits.entries()) {
            await bench.admit(link(`http://a.test/from${nth}`), ...see(each.before))
            await visit(each)
          }
          const waiting = async () => (await bench.db.read((tx) => frontierQueries.totals(tx))).urls.waiting
          for (let left = 50; (await waiting()) > 0; left--) {
            assert.ok(left > 0, 'it does not end')
            await visit({ before: [], during: [], own: '', isAsked: false, found: [] })
          }
          assert.deepEqual(asked, [...new Set(asked)], 'none twice')
          const { urls } = bench.options
          if (!urls.mayBeSeveral(seen)) return
          for (const text of seen)
            assert.ok(
              asked.some((one) => !urls.areTwoIndexes(one, text)),
              `${text} is lost`,
            )
        }),
        { numRuns: runs },
      )
    })

    it('to which the server itself sends us is asked for; a loop of them ends', async () => {
      const bench = await openBench(make)
      await bench.admit(link(URL))
      bench.clock.pass(PAUSE)
      // Not a spelling by the rules in force, so it is said with a text that normalises to the same URL.
      const other = 'http://a.test/%78'
      const moved = (from: string, to: string) => asked(from, { kind: 'moved', to })
      await bench.applyParts(part(bench, await bench.one(), 1, { pages: [moved(URL, other)], ended: 'done' }))
      bench.clock.pass(PAUSE)
      const visit = await bench.one()
      assert.deepEqual(
        visit.agenda.map(({ url, path }) => [url, path]),
        [[other, 'LR']],
      )
      await bench.applyParts(part(bench, visit, 1, { pages: [moved(other, URL)], ended: 'done' }))
      assert.equal((await view(bench))?.mark, 'moved')
      assert.deepEqual(await askAll(bench, KEPT), [])
    })

    it('found and asked for by a visit leaves the text that came in meanwhile waiting', async () => {
      const bench = await openBench(make)
      await bench.admit(link('http://a.test/home'))
      const visit = await bench.one()
      await bench.admit(link(URL))
      const pages = [page('http://a.test/home'), asked(text(1), NOT_FOUND)]
      await bench.applyParts(part(bench, visit, 1, { pages, ended: 'done' }))
      assert.deepEqual(await askAll(bench, NOT_FOUND, [spelt(1)]), [URL])
    })

    it('says what was asked for, when a visit found another text than waited', async () => {
      const bench = await openBench(make)
      await bench.admit(link('http://a.test/home'))
      const visit = await bench.one()
      await bench.admit(link(URL))
      const pages = [page('http://a.test/home'), asked(text(1), KEPT)]
      await bench.applyParts(part(bench, visit, 1, { pages, ended: 'done' }))
      assert.equal((await view(bench))?.url, text(1))
    })

    it('of an unknown URL is a URL', async () => {
      const bench = await openBench(make)
      await bench.admit(link('http://a.test/home'))
      assert.deepEqual(await askAll(bench, KEPT, [spelt(1)]), ['http://a.test/home', text(1)])
    })

    it('revives nothing in a site that was given up', async () => {
      const bench = await openBench(make)
      await bench.admit(link(URL), link('http://a.test/y'))
      const visit = await bench.one()
      await bench.applyParts(part(bench, visit, 1, { pages: [asked(URL, NOT_FOUND)], ended: 'given-up' }))
      await bench.admit(crossSite(1))
      assert.equal((await bench.frontier.checkOut('w1', 1)).next, 'over')
      assert.equal((await view(bench))?.mark, 'gone')
    })

    it('is counted also in a site that waits with other URLs', async () => {
      const bench = await openBench(make)
      await bench.admit(link(URL), link('http://a.test/other'))
      await bench.applyParts(part(bench, await bench.one(), 1, { pages: [asked(URL, NOT_FOUND)], ended: 'slice' }))
      await bench.admit(crossSite(1))
      const { urls } = await bench.db.read((tx) => frontierQueries.totals(tx))
      assert.deepEqual(urls, { known: 2, marked: 0, waiting: 2, refreshing: 0 })
    })

    it('wakes a crawled site, which still waits its pause', async () => {
      const bench = await openBench(make)
      await bench.admit(link(URL))
      await bench.applyParts(part(bench, await bench.one(), 1, { pages: [asked(URL, NOT_FOUND)], ended: 'done' }))
      await bench.admit(crossSite(1))
      assert.deepEqual(await bench.names(), [])
      bench.clock.pass(PAUSE)
      assert.deepEqual(await bench.names(), ['a.test'])
    })
  })
}
