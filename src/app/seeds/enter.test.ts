import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { emptyBlacklist } from '../../crawl/scope/blacklist.ts'
import { makeScope } from '../../crawl/scope/scope.ts'
import type { SeedSource, SeedStatus, SeedUrl } from '../../frontier/contract.ts'
import { parseUrl, usualUrls } from '../../web/url/web-url.ts'
import { type EnterTools, enterSeeds } from './enter.ts'
import { Damaged, type Found, type SeedInput } from './input.ts'
import { sitemapUrls } from './sitemap-file.ts'
import { all, brief, chunksOf } from './sources.test-data.ts'
import { answeredHomes, submissions } from './sources.ts'

/** A fake frontier: it holds what it was given, and some URLs that are gone. */
function coordinator(gone: readonly string[] = [], more: Partial<EnterTools> = {}) {
  const known = new Set<string>()
  const batches: SeedUrl[][] = []
  const placeOf = (url: string): SeedStatus => (gone.includes(url) ? 'dead' : known.has(url) ? 'known' : 'new')
  const tools: EnterTools = {
    urls: usualUrls,
    scopeWith: (seeds) =>
      makeScope({
        mode: 'host',
        seeds,
        include: [],
        exclude: [/excluded/],
        queries: true,
        mediaTypes: ['text/html'],
        maxDepth: 5,
        maxUrlLength: 100,
        blacklist: emptyBlacklist,
        links: 'combined',
        sizes: [],
      }),
    async enter(seeds) {
      batches.push([...seeds])
      const statuses = seeds.map(({ url }) => placeOf(url))
      for (const { url } of seeds) known.add(url)
      return { statuses, again: 0 }
    },
    homes: false,
    stopped: () => false,
    progress() {},
    turn: async () => {},
    ...more,
  }
  return { tools, batches }
}

const input = (found: AsyncIterable<readonly Found[]>, source: SeedSource = 'file'): SeedInput => ({
  source,
  name: 'list.txt',
  unit: 'line',
  found,
})
async function* foundIn(...urls: string[]): AsyncGenerator<readonly Found[]> {
  yield urls.map((text, i) => ({ kind: 'seed', url: parseUrl(text)!, at: i + 1 }))
}

test('counts new, known, dead, refused and repeated seeds; refusals have line and reason', async () => {
  const { tools, batches } = coordinator(['http://gone.test/'])
  const text =
    'http://a.test/\nb.test # comment\n# nothing\nhttp://a.test/\nftp://x.test/\nhttp://gone.test/\nhttp://a.test/excluded\n'
  const { reports } = await enterSeeds([input(submissions(chunksOf(text)))], tools)
  const [report] = reports
  assert.deepEqual([report.new, report.known, report.dead, report.refused, report.repeated], [2, 0, 1, 2, 1])
  assert.deepEqual(
    report.examples.map(({ at, text }) => [at, text]),
    [
      [5, 'ftp://x.test/'],
      [7, 'http://a.test/excluded'],
    ],
  )
  assert.match(report.examples[1].why, /exclude/)
  assert.ok(batches[0].every(({ source }) => source === 'file'))
  const again = await enterSeeds([input(submissions(chunksOf(text)))], tools)
  assert.deepEqual([again.reports[0].new, again.reports[0].known, again.reports[0].dead], [0, 2, 1])
})

test('seeds are entered a thousand at a time; when stopped, only those entered are counted', async () => {
  let batchesDone = 0
  const { tools, batches } = coordinator([], { progress: () => batchesDone++, stopped: () => batchesDone >= 2 })
  const names = Array.from({ length: 5500 }, (_, i) => `http://n${i}.test/`)
  const { reports, stopped } = await enterSeeds([input(foundIn(...names)), input(foundIn('http://x.test/'))], tools)
  assert.equal(stopped, true)
  assert.deepEqual(
    batches.map(({ length }) => length),
    [1000, 1000],
  )
  assert.deepEqual(
    reports.map((report) => report.new),
    [2000],
  )
})

test('home pages only: a thousand pages of a site are one seed', async () => {
  const { tools, batches } = coordinator([], { homes: true })
  const { reports } = await enterSeeds(
    [input(foundIn('http://a.test/x?y', 'http://a.test/z.png', 'https://a.test/'), 'cdx')],
    tools,
  )
  assert.deepEqual(
    batches[0].map(({ url }) => url),
    ['http://a.test/', 'https://a.test/'],
  )
  assert.deepEqual([reports[0].new, reports[0].repeated], [2, 1])
})

test('images and robots.txt are refused from lists made by machines, but not when a person gives them', async () => {
  const urls = ['http://a.test/robots.txt', 'http://a.test/i.png', 'http://a.test/page']
  const machine = await enterSeeds([input(foundIn(...urls), 'warc')], coordinator().tools)
  assert.deepEqual([machine.reports[0].new, machine.reports[0].refused], [1, 2])
  const person = await enterSeeds([input(foundIn(...urls))], coordinator().tools)
  assert.equal(person.reports[0].new, 3)
})

test('a damaged input is read up to the damage, and the next input is read too', async () => {
  const damaged = async function* (): AsyncGenerator<readonly Found[]> {
    yield* foundIn('http://a.test/')
    throw new Damaged('ends inside record 2')
  }
  const { reports } = await enterSeeds([input(damaged()), input(foundIn('http://b.test/'))], coordinator().tools)
  assert.deepEqual(
    reports.map((report) => [report.new, report.damage]),
    [
      [1, 'ends inside record 2'],
      [1, undefined],
    ],
  )
  const failing = async function* (): AsyncGenerator<readonly Found[]> {
    yield* foundIn('http://a.test/')
    throw new Error('EIO')
  }
  await assert.rejects(enterSeeds([input(failing())], coordinator().tools), /EIO/)
})

test('sitemaps from files: pages with their dates, the sitemaps of an index to be read', async () => {
  const urlset = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
    <url><loc>http://a.test/1</loc><lastmod>2026-01-02</lastmod></url><url><loc>nonsense</loc></url></urlset>`
  const { found } = await all(sitemapUrls(chunksOf(gzipSync(urlset))))
  assert.deepEqual(found.map(brief), ['1 http://a.test/1', '2 refused nonsense: it is not a URL that can be crawled'])
  assert.equal(found[0].kind === 'seed' && found[0].lastmod, Date.UTC(2026, 0, 2))
  const index = `<sitemapindex><sitemap><loc>http://a.test/s1.xml</loc></sitemap></sitemapindex>`
  assert.deepEqual((await all(sitemapUrls(chunksOf(index)))).found.map(brief), ['1 M http://a.test/s1.xml'])
  assert.deepEqual((await all(sitemapUrls(chunksOf('http://a.test/x\nhttp://a.test/y\n')))).found.map(brief), [
    '1 http://a.test/x',
    '2 http://a.test/y',
  ])
  assert.match((await all(sitemapUrls(chunksOf('<html><p>no')))).damage ?? '', /is not a sitemap/)
})

test('an earlier collection is read page by page', async () => {
  const pages = new Map<bigint | undefined, { urls: string[]; last: bigint | undefined }>([
    [undefined, { urls: ['https://a.test/', 'nonsense'], last: 5n }],
    [5n, { urls: ['http://b.test/'], last: 9n }],
    [9n, { urls: [], last: undefined }],
  ])
  const { found } = await all(answeredHomes(async (after) => pages.get(after)!))
  assert.deepEqual(found.map(brief), ['1 https://a.test/', '3 http://b.test/'])
})
