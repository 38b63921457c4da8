import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LiveFacts, PageRequest } from '../page.ts'
import { type OverviewData, overview } from './overview.ts'

const NASTY = `</p><script>alert(1)</script><img src=x onerror="alert(2)">\u202e${'x'.repeat(2_000_000)}`

const LIVE: LiveFacts = {
  ...{
    now: 1_000_000,
    collection: '/data/news',
    runs: 'refresh',
    version: '1.2',
    begunAt: 0,
    choice: {},
    isEnding: false,
  },
  ...{ pace: [], recent: [], events: [], lateMs: 0 },
}

const REQUEST: PageRequest = {
  ...{ path: '/', query: new URLSearchParams(), role: 'operator', base: '/crawl', csrf: 'token' },
  ...{ isSignedIn: true, message: undefined, live: LIVE },
}

type Figures = Awaited<ReturnType<OverviewData['overview']>>

const FIGURES: Figures = {
  totals: {
    sites: { waiting: 1, free: 2, leased: 3, returning: 4, crawled: 5, barred: 6, held: 7 },
    urls: { known: 1234, marked: 1000, waiting: 200, refreshing: 34 },
    granted: 0,
  },
  ...{
    documents: 900,
    bytes: 9e6,
    isRefresh: false,
    freshness: undefined,
    progress: [],
    problems: [],
    findings: [],
    actions: [],
  },
}

async function shown(request: Partial<PageRequest> = {}, figures: Partial<Figures> = {}): Promise<string> {
  const data = { overview: async () => ({ ...FIGURES, ...figures }) }
  const { body } = await overview({ ...REQUEST, ...request }, data)
  return String(body)
}

test('what is wrong stands first, each with what to do and for how long; otherwise that all is well', async () => {
  assert.match(await shown(), /Nothing is wrong/)
  const problems = [{ name: 'stalled', what: 'no site is free: 312 sites share one address', since: 400_000 }]
  const page = await shown({}, { problems })
  assert.match(page, /no site is free: 312 sites share one address<\/bdi> <small>for 10m/)
  assert.ok(page.indexOf('312 sites') < page.indexOf('URLs known'))
})

test('freshness stands beside its bound, and a refresh has no end', async () => {
  const measured = {
    ...{
      at: 0,
      pages: 5000,
      measured: 5000,
      sites: 1,
      freshness: 0.831,
      ageSeconds: 7200,
      bound: 0.95,
      stalenessRatio: 2,
    },
    ...{ boundLooks: 0.5, capacity: null, price: 0, meanValue: 1, gain: { oneMoreLook: 0, shorterPause: 0.01 } },
  }
  const page = await shown({}, { isRefresh: true, freshness: measured })
  assert.match(page, /<b>83\.1%<\/b> of 5,000 pages .*<b>95\.0%<\/b> is the most/)
  assert.match(page, /a refresh goes on until it is stopped/)
  const sample = { documents: 9, bytes: 0, failures: 0, known: 9, waiting: 0 }
  const recent = [0, 30_000, 60_000].map((at) => ({ ...sample, at, requests: at / 100 }))
  const unchanged = await shown({ live: { ...LIVE, pace: recent, recent } }, { isRefresh: true })
  assert.match(unchanged, /<figcaption>Requests <b>10\/s<\/b>/, 'looks that bring no document are work')
})

test('the chart of URLs does not call collected what moved, is missing or refused', async () => {
  const progress = [0, 60_000].map((at) => ({ at, known: 1234, collected: 1000, waiting: 234 }))
  assert.match(await shown({}, { progress }), /at the end: known 1,234, dealt with 1,000, waiting 234/)
})

test('viewers get no form; operators of a paused crawl may resume it and see who paused it', async () => {
  assert.doesNotMatch(await shown({ role: 'viewer', csrf: '', isSignedIn: false }), /<form/)
  const paused = { at: 0, who: 'operator at 192.0.2.1', reason: 'the <disk>' }
  const page = await shown({ live: { ...LIVE, choice: { paused } } })
  assert.match(page, /Paused by <bdi>operator at 192\.0\.2\.1<\/bdi>.*1970-01-01 00:00:00.*the &lt;disk&gt;/)
  assert.match(page, /value="resume"/)
  assert.doesNotMatch(page, /value="pause"/)
  assert.match(page, /class="state paused"/)
})

test('every link, form and file is below the base path', async () => {
  const page = await shown()
  const targets = [...page.matchAll(/ (?:href|action|src)="([^"]*)"/g)].map(([, target]) => target)
  assert.ok(targets.length > 8)
  for (const target of targets) assert.match(target, /^(\/crawl\/|#main$|data:image\/svg)/)
})

test("strangers' texts are text, and short, wherever they stand", async () => {
  const page = await shown(
    {
      message: { text: NASTY, isWrong: true },
      live: {
        ...LIVE,
        collection: `/data/<b>${'n'.repeat(100)}`,
        choice: { paused: { at: 0, who: NASTY, reason: NASTY } },
        events: [
          { at: 1, event: { kind: 'trouble', what: NASTY } },
          { at: 2, event: { kind: 'visit-ended', site: NASTY.slice(0, 500), why: 'done', pages: 1 } },
          { at: 3, event: { kind: 'worker-restarted', worker: NASTY, why: NASTY, url: NASTY } },
        ],
      },
    },
    {
      problems: [{ name: 'x', what: NASTY, since: 0 }],
      findings: [{ at: 4, site: 'a.test', rule: NASTY, evidence: NASTY }],
      actions: [{ at: 5, who: NASTY, action: NASTY, subject: NASTY }],
    },
  )
  assert.doesNotMatch(page, /<script>|<img|onerror="|\u202e|<b>n/)
  assert.match(page, /&lt;script&gt;/)
  assert.match(page, /⟨202E⟩/)
  assert.ok(page.length < 40_000, `${page.length} characters`)
})

test('the rate of now is that of the last minute, not that of the last step of a chart over days', async () => {
  const sample = (at: number, documents: number) => ({
    ...{ at, documents, requests: documents, bytes: 0, failures: 0, known: documents, waiting: 0 },
  })
  const hour = 3_600_000
  const pace = [sample(0, 0), sample(30 * hour, 1_080_000), sample(60 * hour, 2_160_000)]
  const recent = Array.from({ length: 180 }, (_, i) => sample(59.5 * hour + i * 10_000, 2_150_000 + i * 30))
  const page = await shown({ live: { ...LIVE, pace, recent } })
  assert.match(page, /<figcaption>Pages <b>3\.0\/s<\/b>/)
  assert.match(page, /Pages from 1970-01-02 06:00 to 1970-01-03 12:00;/)
})
