import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterStatus, WorkerStatus } from '../../reader/status.ts'
import { fakeReader, fakeServices, recordedScreen, STATUS } from '../fake-services.test-data.ts'
import { run } from '../main.ts'
import type { Services } from '../services.ts'
import { clusterLines, statusText, whyIdle } from './status.ts'

const WORKER: WorkerStatus = {
  ...{ name: 'a', id: '0123456789abcdef', region: null, version: '1', state: 'alive', visits: 3, pagesPerSecond: 1.5 },
  ...{ lateMs: 0, computer: null, clockOffsetMs: null, seenMs: 4000 },
}

const CLUSTER: ClusterStatus = {
  rechecks: null,
  differing: [],
  servers: [
    { url: 'http://s1', version: '1', seenMs: 1000, alive: true, computer: null },
    { url: 'http://s2', version: '1', seenMs: 100_000, alive: false, computer: null },
  ],
  workers: [WORKER, { ...WORKER, name: 'b\x1b[2J', region: 'eu', state: 'silent', seenMs: 90_000 }],
}

test('servers with different settings are reported', () => {
  assert.doesNotMatch(clusterLines(CLUSTER, 7).join('\n'), /differ/)
  assert.match(
    clusterLines({ ...CLUSTER, differing: ['pause', 'scope'] }, 7)[1],
    /their settings differ in pause, scope, .*same settings/,
  )
})

test('servers and workers are listed, silent ones too, and no name controls the terminal', () => {
  const lines = clusterLines(CLUSTER, 7)
  assert.match(lines[0], /1 of 2 alive; 7 report parts to apply/)
  assert.match(lines[1], /1 alive, 1\.5 pages\/s; 1 silent/)
  assert.match(lines[2], /^ {4}a +01234567 {2}alive +3 sites, 1\.5\/s, seen 4s ago \(1\)$/)
  assert.match(lines[3], /^ {4}b\?\[2J.*silent.*\(1, eu\)$/)
})

test('rechecks are summed up, and workers whose captures differ are listed', () => {
  const sums = { checked: 9, equal: 6, similar: 1, different: 2 }
  const bad = { worker: 'fedcba9876543210', name: 'b', checked: 4, equal: 2, similar: 0, different: 2 }
  const good = { worker: '0123456789abcdef', name: null, checked: 5, equal: 4, similar: 1, different: 0 }
  const lines = clusterLines({ ...CLUSTER, rechecks: { ...sums, unused: 1, open: 3, byWorker: [bad, good] } }, 0)
  assert.match(
    lines[4],
    /^ {2}rechecks +9 captures .*: 6 equal, 1 similar, 2 different; 1 dropped, as no other worker was available; 3 to come$/,
  )
  assert.match(lines[5], /^ {4}b +fedcba98 {2}2 of 4 different$/)
  assert.equal(lines.length, 6)
})

test('many workers are not all listed', () => {
  const lines = clusterLines({ ...CLUSTER, workers: Array.from({ length: 50 }, () => WORKER) }, 0)
  assert.equal(lines.at(-1), '    … and 30 more (--json lists all)')
})

test('a collection without URLs is empty, not complete', () => {
  const settings = { collection: 'news', database: undefined }
  const complete = { ...STATUS, state: 'complete' } as const
  assert.match(statusText(complete, settings, 0), /^news: complete, the queue is empty$/m)
  const empty = { ...complete, urls: { ...STATUS.urls, known: 0 } }
  assert.match(statusText(empty, settings, 0), /^news: empty; give it seeds: 'orbweaver crawl URL'/)
})

test('why no request is sent though URLs wait', () => {
  const none = { ...STATUS.sites, waiting: 0, free: 0, leased: 0, returning: 0 }
  const running = { ...STATUS, state: 'running', cluster: undefined, inbox: 0 } as const
  const why = (sites: Partial<typeof none>, more: Partial<typeof STATUS> = {}) =>
    whyIdle({ ...running, ...more, sites: { ...none, ...sites } })
  assert.equal(why({ leased: 1, waiting: 5 }), undefined)
  assert.equal(why({ free: 1 }), undefined)
  assert.match(why({ waiting: 5 }) ?? '', /pausing or waiting for a retry; next request possible in 1\.5s/)
  assert.match(why({ returning: 1 }) ?? '', /being applied/)
  assert.match(why({ held: 3 }) ?? '', /held back or given up/)
  const silent = { ...CLUSTER, workers: [CLUSTER.workers[1]] }
  assert.match(why({ free: 2 }, { cluster: silent }) ?? '', /no worker is running/)
  assert.equal(whyIdle({ ...running, urls: { known: 5, done: 5, waiting: 0, refreshing: 0 } }), undefined)
})

test('status of a running crawl lists what is wrong, with what to do', async () => {
  const orbweaver = async (line: string[], services: Services) => {
    const screen = recordedScreen()
    await run(line, screen, services)
    return screen
  }
  const problem = {
    name: 'disk',
    what: 'the disk is\u202e full: make room',
    since: Date.UTC(2026, 10, 16),
    seenAt: 0,
    mailedAt: null,
  }
  const wrong = (state: 'running' | 'complete') =>
    fakeReader({ standing: async () => ({ ...STATUS, state }), problems: async () => [problem] })
  const running = fakeServices(undefined, wrong('running'))
  assert.match(
    (await orbweaver(['status'], running)).out,
    /^ {2}wrong {7}the disk is\? full: make room \(since 2026-11-16 00:00/m,
  )
  const { problems } = JSON.parse((await orbweaver(['status', '--json'], running)).out) as { problems: unknown }
  assert.deepEqual(problems, [{ name: 'disk', what: problem.what, since: '2026-11-16T00:00:00.000Z' }])
  assert.doesNotMatch((await orbweaver(['status'], fakeServices(undefined, wrong('complete')))).out, /wrong/)
})

test('states of sites are named as on the dashboard', () => {
  const sites = { ...STATUS.sites, waiting: 3, free: 4, leased: 1, returning: 1 }
  const text = statusText({ ...STATUS, sites }, { collection: 'c', database: undefined }, 60_000)
  assert.match(text, / 3 waiting, 4 free, 2 busy/)
})

test('a paused crawl says by whom and why, and that nothing else keeps it waiting', () => {
  const paused = { at: 0, who: 'anna@here', reason: 'a storm' }
  const status = { ...STATUS, state: 'running', paused, stopped: { paused: 1, barred: 2 } } as const
  const text = statusText(status, { collection: 'c', database: undefined }, 60_000)
  assert.match(text, /^ {2}paused {6}by anna@here .+: a storm; 'orbweaver resume' ends that$/m)
  assert.match(text, /^ {2}operators {3}1 site paused, 2 barred; explain SITE has the reason$/m)
  assert.equal(whyIdle(status), 'the crawl is paused')
})
