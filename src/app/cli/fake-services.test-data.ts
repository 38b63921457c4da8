/** Services for tests of commands: they answer at once and record what was asked. */
import { mkdirSync } from 'node:fs'
import type { Freshness } from '../../cluster/maintenance/measure-freshness.ts'
import type { WorkerSnapshot } from '../../cluster/worker/run-threads.ts'
import type { SiteView } from '../../frontier/contract.ts'
import type { CrawlEnd } from '../composition/crawl.ts'
import type { CrawlSnapshot } from '../composition/crawl-view.ts'
import type { Settings } from '../config/keys.ts'
import type { UrlFacts } from '../reader/explain.ts'
import type { CollectionStatus } from '../reader/status.ts'
import type { SeedsEntered } from '../seeds/sources.ts'
import type { Screen } from './screen.ts'
import type { CollectionReader, Services } from './services.ts'

export interface RecordedScreen extends Screen {
  out: string
  err: string
}

export function recordedScreen(): RecordedScreen {
  return {
    out: '',
    err: '',
    isTerminal: false,
    colour: false,
    printsColour: false,
    width: () => 80,
    print(text) {
      this.out += `${text}\n`
    },
    printJson(value) {
      this.print(JSON.stringify(value, undefined, 2))
    },
    printSentence(text) {
      this.print(text)
    },
    async write(bytes) {
      this.out += typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString()
    },
    say(text) {
      this.err += `${text}\n`
    },
    draw() {},
  }
}

export const SNAPSHOT: CrawlSnapshot = {
  at: 1_780_000_000_000,
  documents: 7,
  bytes: 70_000,
  requests: 9,
  sites: { busy: 0, waiting: 0, free: 0, done: 1, barred: 0, total: 1 },
  urls: { known: 9, waiting: 0, done: 9 },
  refresh: undefined,
  failures: 1,
  refused: 1,
  inbox: 0,
  waitsFor: undefined,
  next: undefined,
  slow: [],
  paused: undefined,
  lateMs: 0,
  stuckMs: 0,
  outage: undefined,
}

const UNTOUCHED = { why: null, status: null, to: null, rule: null, isEmpty: false }
export const NO_EMPTY_SEEDS: CrawlEnd['seeds'] = { looked: 1, empty: 0, areAllEmpty: false, examples: [], moved: [] }

export const FRESHNESS: Freshness = {
  ...{ at: 1_780_000_060_000, pages: 10_987_654, measured: 1_000_321, sites: 12_345 },
  ...{ freshness: 0.931, ageSeconds: 11_520, bound: 0.95, stalenessRatio: 1.38, boundLooks: 120, capacity: 120 },
  ...{ price: 3600, meanValue: 7200, gain: { oneMoreLook: 0.0001, shorterPause: 0.0031 } },
}

const NO_LOOKS: CollectionStatus['looks'] = {
  ...{ performed: 0, changed: 0, unchanged: 0, moved: 0, refused: 0, failed: 0 },
  hints: { performed: 0, discarded: 0, new: 0 },
}

export const STATUS: CollectionStatus = {
  state: 'unfinished',
  isRefresh: false,
  begunAt: 1_780_000_000_000,
  lastAt: 1_780_000_060_000,
  documents: 700,
  bytes: 7_000_000,
  urls: { known: 1000, done: 800, waiting: 200, refreshing: 0 },
  looks: NO_LOOKS,
  sites: { waiting: 2, free: 1, leased: 0, returning: 0, crawled: 6, barred: 1, held: 0 },
  heldDomains: 0,
  trend: [
    { at: 1_780_000_000_000, known: 900, collected: 100, waiting: 800 },
    { at: 1_780_000_060_000, known: 1000, collected: 700, waiting: 200 },
  ],
  nextDueMs: 1500,
  paused: undefined,
  stopped: { paused: 0, barred: 0 },
  inbox: 0,
  cluster: undefined,
}

const FIGURES: Awaited<ReturnType<CollectionReader['figures']>> = {
  documents: 7,
  bytes: 70_000,
  servers: 1,
  urls: { seen: 9, fetched: 9, waiting: 0 },
  links: 40,
  duplicates: 1,
  storedTwice: 0,
  statuses: { '200': 7, '404': 1 },
  failures: { 'status-404': 1 },
  refused: { robots: 1, scope: 3, hazard: 0, classifier: 0 },
  unwanted: { mailto: 2 },
  stopped: [{ rule: 'maze', limits: [], sites: 1, urls: 12, withdrawn: 0 }],
  documentsByType: { 'text/html': { count: 7, bytes: 70_000, mean: 10_000 } },
  perServer: { mean: 7, median: 7, max: 7 },
  ratesByDay: [{ day: '2026-05-28', documents: 7, bytes: 70_000, documentsPerMinute: 7, activeMs: 60_000 }],
  timesByDay: [],
  downloadsPerUrl: 0.78,
  requests: 9,
  wireBytes: 80_000,
  malformed: 0,
  cut: 0,
  troubles: {},
  seedLinksDropped: 0,
}

const SUMMARY = { count: 1, sum: 3, mean: 3, min: 3, median: 3, p90: 3, p99: 3, p999: 3, max: 3 }
const THREE = { ...SUMMARY, histogram: [{ from: 2, to: 3, count: 1 }] }

const WEB: Awaited<ReturnType<CollectionReader['web']>> = {
  sites: 1,
  urls: 9,
  documents: 7,
  urlsPerSite: THREE,
  documentsPerSite: THREE,
  depth: THREE,
  deepest: THREE,
  urlLength: THREE,
  size: [{ type: 'text/html', ...THREE }],
  languages: { pt: 6, '': 1 },
  mistaken: { 'text/plain → text/html': 1 },
  statuses: { '200': 7, '404': 2 },
  inLinks: THREE,
  behind: 0,
  outLinks: THREE,
  links: { all: 8, internal: 6, external: 2, home: 1, deep: 1, unknown: 0, internalShare: 0.75, deepShare: 0.5 },
  duplicates: { documents: 1, share: 1 / 7, perSite: THREE },
  sessionIds: { urls: 0, share: 0, sites: 0 },
  took: THREE,
  thresholds: [{ name: 'depth', limit: 3, from: 'here', stops: { sites: 0, urls: 0, documents: 0 } }],
}

/** Nothing has been entered. */
export const SEEDED: SeedsEntered['reports'][number] = {
  source: 'given',
  name: 'the command line',
  unit: 'URL',
  new: 0,
  known: 0,
  dead: 0,
  refused: 0,
  repeated: 0,
  again: 0,
  examples: [],
  corrected: [],
  corrections: 0,
  notes: [],
}

/** A site with nothing remarkable about it. */
export const SITE_VIEW: SiteView = {
  ...{ name: 'a.test', state: 'crawled', seed: false, rank: 0, since: 0, notBefore: 0, politeAt: 0, pause: 0 },
  ...{ losses: 0, deferral: 0, visits: 1, known: 1, waiting: 0 },
  memory: { robots: {}, fetched: 0, duplicates: 0, deepest: 0, silent: 0 },
}

export const URL_VIEW: NonNullable<UrlFacts['view']> = {
  ...{ url: 'http://a.test/', key: 1n, site: 'a.test', depth: 0, path: '', enqueuedAt: 0, dueAt: 0, tries: 0 },
  ...{ mark: 'waiting', seed: false },
}

/** A URL of which nothing is known. */
export const URL_FACTS: UrlFacts = {
  ...{ url: 'http://a.test/', site: 'a.test', view: undefined, page: undefined, captures: 0 },
  inlinks: { count: 0, from: [], behind: 0 },
}

const bytes = (text: string) => new TextEncoder().encode(text)

export function fakeReader(changes: Partial<CollectionReader> = {}): CollectionReader {
  return {
    figures: async () => FIGURES,
    browse: async () => Promise.reject(new Error('only the dashboard browses')),
    web: async () => WEB,
    standing: async () => STATUS,
    problems: async () => [],
    dayReport: async () => Promise.reject(new Error('no mail is sent here')),
    overview: () => Promise.reject(new Error('only the dashboard asks that')),
    cluster: () => Promise.reject(new Error('only the dashboard asks that')),
    callsOf: async () => [],
    evolution: async () => [],
    freshness: async () => undefined,
    refreshPlan: async () => ({ pages: 0, asked: 0, priceHours: 0, plans: [] }),
    seedStanding: async () => [{ source: 'names', waiting: 1, collected: 5, moved: 2, dead: 3, refused: 0 }],
    recordedSettings: async () => undefined,
    async *seedOutcomes() {
      yield { url: 'https://a.test/', source: 'names', became: 'collected', ...UNTOUCHED }
      yield {
        url: 'https://b.test/',
        source: 'names',
        became: 'dead',
        ...UNTOUCHED,
        why: 'no-such-name',
        isEmpty: true,
      }
    },
    duplicates: async () => [{ digest: 'sha1:AAAA', bytes: 12, count: 2, urls: ['http://a.test/', 'http://a.test/x'] }],
    mirrors: async ({ heuristic }) => ({
      sites: 9,
      contents: 90,
      tooCommon: 1,
      heuristics: [{ heuristic, groups: 1, replicas: 1, relativeCoverage: 1, examples: [MIRROR] }],
      chosen: heuristic,
      pairs: [MIRROR],
      used: [{ replica: 'old.test', original: 'a.test' }],
      overruled: [],
      names: null,
      proposed: { count: 0, proposals: [] },
    }),
    history: async () => ({
      captures: [
        {
          at: 1_780_000_000_000,
          status: 200,
          mediaType: 'text/html',
          length: 321,
          digest: 'sha1:AAAA',
          kind: 'response',
          volume: 'v.warc.gz',
          offset: 5,
          look: 'first',
          change: null,
          place: null,
        },
      ],
      failedLooks: [],
    }),
    content: async (url, at) => ({
      url,
      at: at ?? 1_780_000_000_000,
      status: 200,
      mediaType: 'text/html',
      head: bytes('HTTP/1.1 200 OK\r\n\r\n'),
      payload: bytes('raw'),
      body: bytes('<p>body'),
      charset: 'utf-8',
      text: bytes('<p>body'),
      volume: 'v.warc.gz',
      offset: 5,
    }),
    versions: async () => ({ missing: 'to', captures: 0, looks: 0, first: undefined }),
    changes: async () => undefined,
    changeReport: async () => ({
      ...{ looks: 0, changed: 0, pages: 0, bySite: [], byType: [], most: [], least: [] },
      classes: { markup: 0, volatile: 0, small: 0, medium: 0, large: 0, complete: 0, binary: 0 },
      hints: { sites: 0, all: { right: 0, wrong: 0, unannounced: 0 }, bySite: [] },
    }),
    urlFacts: async (url) => ({
      ...URL_FACTS,
      url,
    }),
    whyNot: async () => undefined,
    leftMirror: async () => undefined,
    siteFacts: async (site) => ({ site, view: undefined, documents: 0, findings: [] }),
    verify: async () => ({ volumes: 1, records: 9, captures: 7, elsewhere: 0, faults: [], notes: [] }),
    async *looks() {
      const day = 86_400_000
      for (const url of ['http://a.test/', 'http://a.test/x', 'http://b.test/'])
        yield { url, at: 1_780_000_000_000, digest: 'first', bytes: 1000 }
      yield { url: 'http://a.test/', at: 1_780_000_000_000 + day, digest: 'second', bytes: 1000 }
      yield { url: 'http://b.test/', at: 1_780_000_000_000 + day, digest: 'first', bytes: 1000 }
    },
    async *exportCdxj() {
      yield 'test,a)/ 20260528000000 {}'
    },
    async *exportPages() {
      yield { url: 'http://a.test/' }
    },
    async *exportLinks() {
      yield { from: 'http://a.test/', to: 'http://b.test/' }
    },
    linksInto: async () => 40,
    close: async () => {},
    ...changes,
  }
}

const MIRROR = { replica: 'www.a.test', original: 'a.test', shared: 3, telling: 3, sameHome: true, total: 4 }

export interface FakeServices extends Services {
  crawls: { settings: Settings; seeds: string[] }[]
  /** Folders, or shared databases. */
  opened: string[]
}

export const WORKER: WorkerSnapshot = {
  visits: 2,
  pages: 10,
  bytes: 20_000,
  undelivered: 0,
  locationsReplaced: 0,
  lostMs: undefined,
  slow: [],
  lateMs: 0,
}

export function fakeServices(
  end: CrawlEnd = { why: 'complete', exit: 0, documents: 7, seeds: NO_EMPTY_SEEDS, mirrorsLeft: [] },
  reader = fakeReader(),
): FakeServices {
  const crawls: FakeServices['crawls'] = []
  const opened: string[] = []
  return {
    crawls,
    opened,
    async startCrawl(settings, { seeds }) {
      mkdirSync(settings.collection, { recursive: true })
      crawls.push({ settings, seeds: seeds.map((seed) => seed.href) })
      return {
        done: Promise.resolve(end),
        dashboard: undefined,
        snapshot: () => SNAPSHOT,
        problems: () => [],
        stop() {},
      }
    },
    async startServer({ collection, host, publicUrl }) {
      mkdirSync(collection, { recursive: true })
      return {
        url: 'http://127.0.0.1:8723',
        publicUrl: publicUrl ?? (host === '0.0.0.0' ? 'http://barn:8723' : 'http://127.0.0.1:8723'),
        done: Promise.resolve({ why: end.why, exit: end.exit, documents: end.documents, seeds: end.seeds }),
        snapshot: () => SNAPSHOT,
        problems: () => [],
        stop() {},
      }
    },
    startWorker: async () => ({
      name: 'here-1234',
      done: Promise.resolve({ why: 'complete', undelivered: 0 }),
      snapshot: () => WORKER,
      stop() {},
    }),
    async openCollection(folder, settings) {
      opened.push(settings?.database ?? folder)
      return reader
    },
    enterSeeds: async (_, { words }) => ({ reports: [{ ...SEEDED, new: words.length }], stopped: false }),
    nameChecker: async () => async () => ({ gone: new Set<string>(), unanswered: 0 }),
    mailDay: async () => 'ops@example.org',
    retain: async ({ remove }) => ({
      ...{ captures: 1200, revisits: 1000, bytes: 5_000_000, elsewhere: 0, notes: [] },
      ...(remove ? { volumes: 1, freed: 6_000_000 } : { volumes: 0, freed: 0 }),
    }),
    clean: async ({ remove }) => ({
      orphans: [{ kind: 'file', name: 'server-id.new', why: 'never finished', bytes: 3, removed: remove }],
      notes: [],
    }),
    renewMirrors: async (_, { pairs }) => ({ pairs: pairs.length, left: 0 }),
    serveWeb: async ({ sites = 26, pages = 46 }) => ({
      seeds: ['http://www.site0.test/'],
      resolve: ['*.test=127.0.0.1:4321'],
      sites,
      pages: sites * pages,
      failing: 3,
      mirrors: 5,
      traps: 8,
      trap: 'www.site5.test',
      close: async () => {},
    }),
    performAction: async () => ({ isChanged: true, now: 'done', running: false }),
    simulateCrawl: async ({ sites }) => ({
      sites,
      documents: 10,
      expected: 10,
      missing: [],
      surplus: [],
      requests: 12,
      virtualMs: 3_600_000,
      realMs: 900,
      violations: 0,
      ...{ tooSoon: 0, tooSoonAtAddress: 0, atOnce: 0, forbidden: 0, beforeRobots: 0, repeated: 0 },
      ...{ needless: 0, unasked: 0, examples: {} },
      pace: {
        collectors: 600,
        requestsPerSecond: 5,
        busyShare: 0.25,
        halfMs: 1000,
        ninetyMs: 2000,
        sitesMs: 500,
        meanWaitMs: 700,
        longestWaitMs: 1900,
      },
    }),
  }
}
