/**
 * How long one answer of a hostile site keeps a worker's thread from everybody else: whole visits over answers in memory, by the
 * product's own code, with a clock beside them. `monitorEventLoopDelay` sees the wall; on a machine that others use too, the CPU time
 * between two turns of the loop says what was the visit's own.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { realClock } from '../../src/base/clock.ts'
import type { Exchange, FetchRequest, Headers } from '../../src/contracts/exchange.ts'
import { freshMemory } from '../../src/contracts/site-memory.ts'
import { AddressCourtesy } from '../../src/crawl/address-courtesy.ts'
import { SiteCourtesy } from '../../src/crawl/courtesy.ts'
import { crawlSite } from '../../src/crawl/crawl.ts'
import { Reporter } from '../../src/crawl/reporter.ts'
import { emptyBlacklist } from '../../src/crawl/scope/blacklist.ts'
import { makeScope } from '../../src/crawl/scope/scope.ts'
import { itemOf, Scripted } from '../../src/crawl/scripted.test-data.ts'
import type { SiteTools } from '../../src/crawl/tools.ts'
import { VisitTimes } from '../../src/crawl/visit-times.ts'

export interface Stall {
  name: string
  /** The longest stretch without a turn of the event loop. */
  wallMs: number
  cpuMs: number
  /** Of the whole visit. */
  wholeCpuMs: number
}

interface Body {
  body: Uint8Array
  headers: Headers
}

const HOME = 'http://a.test/'
const html = (body: Uint8Array, ...more: [string, string][]): Body => ({
  body,
  headers: [['Content-Type', 'text/html; charset=utf-8'], ...more],
})
const text = (body: string): Body => ({ body: Buffer.from(body), headers: [['Content-Type', 'text/plain']] })
const xml = (body: string): Body => ({ body: gzipSync(body), headers: [['Content-Type', 'application/xml']] })
const lines = (count: number, line: (i: number) => string) => Array.from({ length: count }, (_, i) => line(i)).join('')
const ROBOTS = 'http://a.test/robots.txt'
const MAP = 'http://a.test/map.xml'
const naming = text(`User-agent: *\nDisallow: /no\nSitemap: ${MAP}\n`)
const home = html(Buffer.from('<title>Home</title><p>words'))

/** What a hostile server sends, by URL; everything else is missing. Slices are short: what is listed is not asked for. */
const CASES: Readonly<Record<string, () => Record<string, Body>>> = {
  'sitemap of a million entries': () => ({
    [HOME]: home,
    [ROBOTS]: naming,
    [MAP]: xml(`<urlset>${lines(1_000_000, (i) => `<url><loc>/${i}</loc></url>`)}</urlset>`),
  }),
  'sitemap of 50,000 entries with dates': () => ({
    [HOME]: home,
    [ROBOTS]: naming,
    [MAP]: xml(
      `<urlset>${lines(50_000, (i) => `<url><loc>http://a.test/a/long/path/to/page-${i}.html?q=${i}&amp;r=1</loc><lastmod>2026-01-01T00:00:00Z</lastmod><changefreq>daily</changefreq><priority>0.5</priority></url>\n`)}</urlset>`,
    ),
  }),
  'index of 50,000 sitemaps': () => ({
    [HOME]: home,
    [ROBOTS]: naming,
    [MAP]: xml(
      `<sitemapindex>${lines(50_000, (i) => `<sitemap><loc>http://a.test/map-${i}.xml</loc></sitemap>`)}</sitemapindex>`,
    ),
  }),
  'robots.txt, 512 KiB of short rules': () => ({
    [HOME]: home,
    [ROBOTS]: text(`User-agent: *\n${lines(40_000, (i) => `Disallow:/${i.toString(36)}\n`)}`),
  }),
  'robots.txt, 512 KiB of wildcards': () => ({
    [HOME]: home,
    [ROBOTS]: text(`User-agent: *\n${lines(30_000, (i) => `Allow:/*${i.toString(36)}*a$\n`)}`),
  }),
  'page of 50,000 links, own': () => ({
    [HOME]: html(Buffer.from(lines(50_000, (i) => `<a href="/directory/page-${i}">${i}</a>\n`))),
  }),
  'page of 50,000 links, with queries': () => ({
    [HOME]: html(Buffer.from(lines(50_000, (i) => `<a href="/d/p?id=${i}&amp;x=é">${i}</a>\n`))),
  }),
  'page of 50,000 links to other sites': () => ({
    [HOME]: html(Buffer.from(lines(50_000, (i) => `<a href="http://s${i}.test/p">x</a>\n`))),
  }),
  'brotli bomb': () => ({
    [HOME]: html(brotliCompressSync(Buffer.alloc(64e6), { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } }), [
      'Content-Encoding',
      'br',
    ]),
  }),
  'gzip bomb': () => ({ [HOME]: html(gzipSync(Buffer.alloc(200e6)), ['Content-Encoding', 'gzip']) }),
}

export async function stalls(): Promise<Stall[]> {
  const found: Stall[] = []
  for (const [name, make] of Object.entries(CASES)) {
    const script = make()
    // Once to warm up, for the compiler's sake.
    await visit(script)
    const rounds: Stall[] = []
    for (let round = 0; round < 3; round++) rounds.push(await measured(name, script))
    rounds.sort((a, b) => a.cpuMs - b.cpuMs)
    found.push(rounds[1])
  }
  return found
}

async function measured(name: string, script: Record<string, Body>): Promise<Stall> {
  globalThis.gc?.()
  await sleep(20)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  let isOver = false
  let cpuMs = 0
  let last = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(last)
    cpuMs = Math.max(cpuMs, (user + system) / 1000)
    last = process.threadCpuUsage()
    if (!isOver) setImmediate(look)
  }
  const before = process.threadCpuUsage()
  delay.enable()
  setImmediate(look)
  // It counts from one tick to the next.
  await sleep(5)
  await visit(script)
  await sleep(5)
  isOver = true
  delay.disable()
  const { user, system } = process.threadCpuUsage(before)
  return { name, wallMs: delay.max / 1e6, cpuMs, wholeCpuMs: (user + system) / 1000 }
}

async function visit(script: Record<string, Body>): Promise<void> {
  const scope = makeScope({
    mode: { tld: 'test' },
    seeds: [],
    include: [],
    exclude: [],
    queries: true,
    mediaTypes: ['text/html', 'text/plain'],
    maxDepth: 50,
    maxUrlLength: 500,
    blacklist: emptyBlacklist,
    links: 'combined',
    sizes: [{ type: '*/*', bytes: 8_000_000 }],
  })
  const scripted = new Scripted({})
  const tools: SiteTools = {
    ...scripted.tools,
    clock: realClock,
    scope: () => scope,
    trusts: () => false,
    confirms: () => false,
    regionRules: () => undefined,
    addresses: new AddressCourtesy(realClock, 0, 8),
    pauses: { ...scripted.tools.pauses, configured: () => ({ pause: 0, own: true }), factor: 0 },
    openSession: () => ({ fetch: async (request) => answer(request, script), close() {} }),
  }
  const limits = { pages: 2, time: 60_000 }
  const agenda = [itemOf({ url: HOME })]
  const whole = { id: 'v.1', fence: 1, site: 'a.test', agenda, known: new BigUint64Array(0), memory: freshMemory() }
  const courtesy = new SiteCourtesy('a.test', 0, tools.pauses, realClock)
  const reporter = new Reporter(
    { ...whole, wait: 0, pause: 0, limits, lease: 1e9 },
    () => courtesy.report(),
    new VisitTimes(realClock, new Map()),
  )
  const never = new AbortController().signal
  reporter.end(await crawlSite(reporter, courtesy, { left: () => 1e9 }, { ...tools, durable: async () => {} }, never))
}

function answer(request: FetchRequest, script: Record<string, Body>): Exchange {
  const { url, address } = request
  request.may()
  const said = script[url]
  const headers = said?.headers ?? []
  const status = said === undefined ? 404 : 200
  request.wants(status, headers)
  const payload = said?.body ?? new Uint8Array(0)
  const head = { version: 'HTTP/1.1', status, reason: '', headers }
  const now = Date.now()
  const body = { head, wireHead: Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), payload }
  const times = { sentAt: now, answeredAt: now, tookMs: 0 }
  return { url, address, ...times, request: Buffer.from('GET'), answer: { kind: 'full', ...body } }
}
