/** The dashboard's pages over a made-up collection, on both databases; and why a pause is as long as it is. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, test } from 'node:test'
import { fillToBrowse, siteText, urlText } from '../../../bench/browse/fill.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import type { Choice } from '../../contracts/control.ts'
import { freshMemory } from '../../contracts/site-memory.ts'
import type { LiveFacts, PageRequest, Slow } from '../../dashboard/page.ts'
import { answer, COMPUTATIONS, type DashboardData } from '../../dashboard/routes.ts'
import { openPostgres } from '../../database/postgres/open.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import type { SiteView } from '../../frontier/contract.ts'
import { loadSettings } from '../config/load.ts'
import { pausesOf } from './browse.ts'
import { openCollection } from './open.ts'

const NOW = 1_800_000_000_000
const { settings } = loadSettings(['--pause-for', 'own.test=200ms'], 'crawl', { env: {}, readFile: () => undefined })
const SIZE = { urls: 6000, sites: 120 }

const LIVE: LiveFacts = {
  ...{ now: NOW, collection: 'made-up', runs: 'crawl', version: '0', begunAt: 0, choice: {}, isEnding: false },
  ...{ pace: [], recent: [], events: [], lateMs: 0 },
}

function requestOf(page: string, role: PageRequest['role'] = 'operator'): PageRequest {
  const [path, query = ''] = page.split('?')
  const common = { role, base: '/crawl', csrf: 'c', isSignedIn: false, message: undefined, live: LIVE }
  return { ...common, path, query: new URLSearchParams(query) }
}

const postgres = await postgresForTests()

async function inFolder(): Promise<{ collection: string; database: undefined; end(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-browse-'))
  const collection = join(folder, 'collection')
  mkdirSync(collection)
  const database = openSqlite(join(collection, 'collection.db'))
  await fillToBrowse(database, SIZE)
  await database.close()
  return { collection, database: undefined, end: () => rmSync(folder, { recursive: true, force: true }) }
}

async function onServer(): Promise<{ collection: string; database: string; end(): void }> {
  if ('skipped' in postgres) assert.fail(postgres.skipped)
  const address = await postgres.newDatabase(true)
  const database = await openPostgres(address)
  await fillToBrowse(database, SIZE)
  await database.close()
  return { collection: '/nowhere', database: address, end: () => {} }
}

function suite(name: string, make: typeof inFolder | typeof onServer, skip: string | false) {
  describe(`pages on ${name}`, { skip }, () => {
    const closing: (() => unknown)[] = []
    let opened: Promise<DashboardData> | undefined
    const open = async (): Promise<DashboardData> => {
      const { collection, database, end } = await make()
      const reader = await openCollection(collection, { database })
      closing.push(() => reader.close(), end)
      const browsing = await reader.browse(settings)
      const data = Object.assign(reader, browsing, {
        slow: async <Value>(name: string, argument: string): Promise<Slow<Value>> => ({
          state: 'known',
          at: NOW,
          value: (await COMPUTATIONS[name](argument, data as DashboardData)) as Value,
        }),
      })
      return data
    }
    const show = async (page: string, role?: PageRequest['role']) => {
      opened ??= open()
      const { body, status } = await answer(requestOf(page, role), await opened)
      return { text: String(body), status }
    }
    after(async () => {
      await opened
      for (const close of closing) await close()
    })

    it('lists sites, every link below the base path', async () => {
      const { text } = await show('/sites')
      assert.equal(text.match(/href="\/crawl\/site\?name=/g)?.length, 50)
      const links = text.match(/(href|action|src)="[^"]*"/g)!
      assert.deepEqual(
        links.filter((link) => !/="(\/crawl\/|#|data:)/.test(link)),
        [],
      )
      const next = /href="\/crawl(\/sites\?[^"]*after=[^"]*)"/.exec(text)![1].replaceAll('&amp;', '&')
      assert.match((await show(next)).text, /First page/)
      assert.match((await show('/sites?state=barred&text=www')).text, /120 of 120 sites looked at/)
    })

    it('makes lists once: only a site’s figures renew themselves', async () => {
      for (const page of [
        '/sites',
        '/sites?sort=bytes',
        '/urls?q=e',
        `/url?url=${urlText(0, 0)}`,
        '/hazards',
        '/actions',
        '/mirrors',
      ])
        assert.doesNotMatch((await show(page)).text, /data-live/, page)
      const site = `/site?name=${siteText(0)}`
      const whole = (await show(site)).text
      const live = /<div id="figures" data-live>.*?<\/dl>/s
      assert.match(whole, live)
      // A renewal reads and renders nothing else.
      const siteStory = () => assert.fail('the whole page was read')
      const renewal = { ...requestOf(site), isRenewal: true }
      const renewed = String((await answer(renewal, { ...(await opened!), siteStory })).body)
      assert.equal(live.exec(renewed)?.[0], live.exec(whole)?.[0])
      assert.doesNotMatch(renewed, /Pause between requests/)
    })

    it('ranks sites', async () => {
      const { text } = await show('/sites?sort=bytes')
      assert.ok(text.indexOf(siteText(0)) < text.indexOf(siteText(1)))
      assert.match(text, /aria-sort="descending"/)
      assert.match(text, /order is as of <time/)
      assert.match((await show('/sites?sort=bytes&page=2')).text, /Previous page/)
    })

    it('shows a site, and what operators can do', async () => {
      const { text } = await show(`/site?name=${siteText(0).toUpperCase()}`)
      for (const word of ['Crawl-delay', 'Disallow: /private/', 'Pause between requests', 'maze', 'Last requests'])
        assert.ok(text.includes(word), word)
      assert.match(text, /name="action" value="bar-site"/)
      assert.doesNotMatch((await show(`/site?name=${siteText(0)}`, 'viewer')).text, /name="action"/)
      assert.equal((await show('/site?name=nowhere.example')).status, 404)
    })

    it('lists URLs of all sites before anything is searched for', async () => {
      const { text } = await show('/urls')
      assert.equal(text.match(/<td class="url">/g)?.length, 50)
      assert.match(text, /; 50 of [\d,]+ URLs were listed up to here/)
      const next = /href="\/crawl(\/urls\?after=[^"]*)"/.exec(text)![1].replaceAll('&amp;', '&')
      assert.match((await show(next)).text, /; 100 of [\d,]+ URLs were listed/)
    })

    it('finds URLs and goes on', async () => {
      assert.match((await show(`/urls?q=${encodeURIComponent(urlText(0, 7))}`)).text, /article-7\.html/)
      const { text } = await show('/urls?q=article-')
      const next = /href="\/crawl(\/urls\?[^"]*after=[^"]*)"/.exec(text)![1].replaceAll('&amp;', '&')
      assert.match((await show(next)).text, /First page/)
    })

    it('shows a URL, known or not', async () => {
      const known = await show(`/url?url=${encodeURIComponent(urlText(0, 0))}`)
      assert.match(known.text, /Collected: 1 capture/)
      // Without a scheme it is looked for with both.
      assert.match((await show(`/url?url=${encodeURIComponent(urlText(0, 0).slice(8))}`)).text, /Collected: 1 capture/)
      const unknown = await show(`/url?url=${encodeURIComponent(`https://${siteText(0)}/unknown`)}`)
      assert.match(unknown.text, /Unknown: no page in the collection/)
      assert.equal((await show('/url?url=mailto:a@b')).status, 404)
    })

    it('says why a capture can not be shown, in the frame', async () => {
      const at = `url=${encodeURIComponent(urlText(0, 0))}`
      const { text, status } = await show(`/capture?${at}`)
      assert.equal(status, 503)
      assert.match(text, /cannot be read/)
      assert.equal((await show(`/capture?url=http://nowhere.example/`)).status, 404)
      assert.equal((await show(`/diff?${at}`)).status, 503)
      assert.equal((await show(`/url?${at}&show=9999999999999`)).status, 200)
    })

    it('lists hazards and mirrors', async () => {
      assert.match((await show('/hazards')).text, /name="rule" value="maze"/)
      assert.match((await show('/hazards?rule=maze')).text, /Findings by/)
      assert.match((await show('/mirrors')).text, new RegExp(siteText(1)))
      assert.match((await show(`/mirrors?site=${siteText(2)}`)).text, new RegExp(siteText(1)))
      const found = (await show('/mirrors?find=1')).text
      assert.match(found, /Dups60/)
      // Else a phone's whole page is as wide as its widest table.
      assert.equal(found.match(/<div class="scroll"[^>]*><table>/g)?.length, found.match(/<table/g)?.length)
      assert.match((await show('/mirrors')).text, /name="action" value="overrule-mirror"/)
      assert.doesNotMatch((await show('/mirrors', 'viewer')).text, /name="action"/)
    })
  })
}

suite('SQLite', inFolder, false)
suite('PostgreSQL', onServer, 'skipped' in postgres ? postgres.skipped : false)
after(() => ('skipped' in postgres ? undefined : postgres.end()))

test('a blacklist that cannot be read is told on the page of a site, and does not hide the page', async (t) => {
  const { collection, end } = await inFolder()
  t.after(end)
  const reader = await openCollection(collection)
  t.after(() => reader.close())
  const blacklistUrls = join(collection, 'moved-away.txt')
  const { lines } = await (await reader.browse({ ...settings, blacklistUrls })).siteStory(siteText(1))
  assert.match(lines.join('\n'), /Whether it is on a blacklist is not known: .*moved-away\.txt: it is not there/)
})

test('the pause that counts is named, with all that have to do with it', () => {
  const view = (changes: Partial<SiteView>): SiteView => ({
    ...{ name: 'a.test', state: 'waiting', seed: false, rank: 0, since: 0, notBefore: 0, politeAt: 0, pause: 0 },
    ...{ losses: 0, deferral: 0, visits: 1, known: 1, waiting: 1, memory: freshMemory() },
    ...changes,
  })
  const counting = (changes: Partial<SiteView>, choice?: Choice, given = settings) =>
    pausesOf(given, view(changes), choice, NOW)
      .filter(({ counts }) => counts)
      .map(({ what, pauseMs }) => `${what.split(/[:(]/)[0].trim()}: ${pauseMs}`)
  const crawlDelay = { ...freshMemory(), crawlDelay: 10_000 }
  assert.deepEqual(counting({}), ['configured: 2000'])
  assert.deepEqual(counting({ name: 'own.test' }), ['configured for this site: 200'])
  assert.deepEqual(counting({ memory: crawlDelay, pause: 10_000 }), ['Crawl-delay of its robots.txt: 10000'])
  assert.deepEqual(counting({ memory: crawlDelay, pause: 14_000 }), ['slow answers: 14000'])
  assert.deepEqual(counting({ memory: crawlDelay }, { pauseMs: 20_000 }), ['set by the operator: 20000'])
  // An operator's pause takes the place of the configured one, a shorter one, too; that of the address then holds at one's own servers.
  assert.deepEqual(counting({}, { pauseMs: 1500 }), ['set by the operator: 1500'])
  assert.equal(pausesOf(settings, view({}), { pauseMs: 1500 }, NOW)[0].counts, false)
  assert.deepEqual(counting({ name: 'own.test' }, { pauseMs: 1000 }, { ...settings, addressPause: 3000 }), [
    'between any two requests to its address: 3000',
  ])
  assert.deepEqual(counting({ politeAt: NOW + 60_000 }), ['it asked us to wait: 60000'])
  const shared = { ...settings, addressPause: 3000 }
  assert.deepEqual(counting({}, {}, shared), ['between any two requests to its address: 3000'])
  assert.deepEqual(counting({ name: 'own.test' }, {}, shared), ['configured for this site: 200'])
  const silent = { ...freshMemory(), silent: 3 }
  assert.deepEqual(counting({ politeAt: NOW + 60_000, memory: silent }), ['it does not answer: 60000'])
})
