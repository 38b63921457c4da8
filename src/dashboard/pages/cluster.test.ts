import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LoggedCall } from '../../cluster/server/call-log.ts'
import type { PageRequest } from '../page.ts'
import { type ClusterData, type ClusterFacts, cluster, type WorkerFacts } from './cluster.ts'
import { reports } from './reports.ts'

const NOW = 1_800_000_000_000

function asked(path: string, role: PageRequest['role'] = 'operator'): PageRequest {
  const url = new URL(`http://a.test${path}`)
  return {
    ...{ path: url.pathname, query: url.searchParams, role, base: '/crawl', csrf: 'token' },
    ...{ isSignedIn: true, message: undefined },
    live: {
      ...{ now: NOW, collection: 'c', runs: 'server', version: '1', begunAt: NOW, choice: {}, isEnding: false },
      ...{ pace: [], recent: [], events: [], lateMs: 3 },
    },
  }
}

const HOSTILE = '<script>alert(1)</script>\u202e'
const WORKER: WorkerFacts = {
  ...{ id: '0123456789abcdef', name: 'w', region: HOSTILE, version: HOSTILE, state: 'silent', visits: 3, leases: 12 },
  ...{ pagesPerSecond: 1.5, lateMs: 0, seenMs: 90_000, clockOffsetMs: -1500, computer: null },
}
const FACTS: ClusterFacts = {
  servers: [{ url: `http://s/${HOSTILE}`, version: '1', seenMs: 500, alive: true, computer: null }],
  differing: [HOSTILE],
  workers: [WORKER, { ...WORKER, id: 'fedcba9876543210', state: 'alive' }],
  sums: { alive: 120, silent: 30, pagesPerSecond: 60.5, leases: 2400 },
  more: true,
  threads: [],
  inbox: { waiting: 7, quarantined: 1, oldestAt: NOW - 65_000 },
  places: [{ place: HOSTILE, volumes: 2, bytes: 5e9, open: 1 }],
  machine: { cpus: 2, cpuModel: HOSTILE, load: 1, memoryBytes: 2e9, freeMemoryBytes: 1e9, freeDiskBytes: 1e12 },
}
const CALL: LoggedCall = {
  ...{ id: 5, at: NOW, worker: WORKER.id, call: 'enter', result: HOSTILE, items: 0, bytes: 10, tookMs: 1.25 },
}

const dataOf = (facts: Partial<ClusterFacts> = {}, calls: LoggedCall[] = []) => {
  const questions: unknown[] = []
  const data: ClusterData = {
    async cluster(ask) {
      questions.push(ask)
      return { ...FACTS, ...facts }
    },
    async callsOf(...ask) {
      questions.push(ask)
      return calls
    },
  }
  return { data, questions }
}

const bodyOf = async (...args: Parameters<typeof cluster>) => String((await cluster(...args)).body)

test('only operators can free what a worker holds, and only that of one that is not at work', async () => {
  const { data } = dataOf()
  const body = await bodyOf(asked('/cluster'), data)
  assert.equal(body.match(/name="action" value="free-worker"/g)?.length, 1)
  assert.match(body, /name="worker" value="0123456789abcdef"/)
  assert.match(body, /action="\/crawl\/act"/)
  assert.match(body, /Only if its process has ended: .* two workers ask one site/)
  assert.doesNotMatch(await bodyOf(asked('/cluster', 'viewer'), data), /free-worker|Free its sites/)
})

test('the summary counts all workers, not those of the page', async () => {
  const body = await bodyOf(asked('/cluster?page=1'), dataOf().data)
  assert.match(body, /workers alive<\/dt><dd>120<small>60\.5 pages\/s; 30 silent/)
  assert.match(body, /sites leased<\/dt><dd>2,400</)
})

test('texts of workers and servers are never mark-up; the lag is the age of the oldest part (W12)', async () => {
  const body = await bodyOf(asked('/cluster'), dataOf().data)
  assert.doesNotMatch(body, /<script>alert|\u202e/)
  assert.match(body, /<dt>lag<\/dt><dd>1m5s/)
  assert.match(body, /−1.5s|−2s/, 'the clock of the worker')
  assert.match(body, /VN, 30 processes/)
  const embedded = { servers: [], workers: [], more: false, differing: [], threads: [{ name: 'w1', leases: 4 }] }
  const own = await bodyOf(asked('/cluster'), dataOf(embedded).data)
  assert.match(own, /Threads of this process/)
  assert.match(own, /This machine<\/bdi><\/th><td class="n">1.0 TB<\/td>.*not counted/)
})

test("the disks of all servers and workers that are alive, beside VN's Table 5", async () => {
  const disk = { ms: 10_000, writesPerSecond: 48, queue: 92.94, waitMs: 1299.82, sectorsPerSecond: 821.3 }
  const [server] = FACTS.servers
  const computer = { ...FACTS.machine, bytesPerSecond: 1, fastestBytesPerSecond: 2 }
  const body = await bodyOf(
    asked('/cluster'),
    dataOf({
      servers: [{ ...server, url: 'http://one', computer: { ...computer, disk } }],
      workers: [
        { ...WORKER, name: 'alive', state: 'alive', computer: { ...computer, freeDiskBytes: 2 ** 30 } },
        { ...WORKER, name: 'gone', state: 'silent', computer: { ...computer, disk } },
      ],
    }).data,
  )
  const table = body.slice(body.indexOf('Disks of volumes'))
  assert.match(table, /http:\/\/one<.*?>48\.0<.*?>92\.9<.*?>1,299\.8<.*?>821\.3<.*?the last 10s/)
  assert.match(table, /alive 01234567<.*?1\.1 GB<.*?not counted/)
  assert.doesNotMatch(table, /gone 01234567|This machine/)
})

test('workers and calls come in pages (W3)', async () => {
  const { data, questions } = dataOf(
    {},
    Array.from({ length: 101 }, (_, i) => ({ ...CALL, id: 200 - i })),
  )
  assert.match(await bodyOf(asked('/cluster?page=2'), data), /page=1">Newer.*page=3">Older/)
  const calls = await bodyOf(asked(`/cluster?worker=${WORKER.id}&before=${NOW}.300`), data)
  assert.equal(calls.match(/<tr><th scope="row">/g)?.length, 100)
  assert.match(calls, new RegExp(`before=${NOW}.101">Older`))
  await bodyOf(asked('/cluster?page=-5'), data)
  await bodyOf(asked('/cluster?page=1e99'), data)
  assert.deepEqual(questions, [
    { skip: 100, atMost: 50 },
    [WORKER.id, 101, { at: NOW, id: 300 }],
    { skip: 0, atMost: 50 },
    { skip: 500_000, atMost: 50 },
  ])
  assert.equal((await cluster(asked('/cluster?worker=x%27'), data)).status, 404)
})

test('a report that is being computed says so, and its page shows it when it is there', async () => {
  const slow = async () => ({ state: 'computing' })
  const data = { slow } as unknown as Parameters<typeof reports>[1]
  const page = await reports(asked('/reports'), data)
  assert.match(String(page.body), /id="report" data-live>.*Computing.*<noscript> Without scripts, load it again/)
  const csv = await reports(asked('/reports/figures.operations.csv'), data)
  assert.deepEqual([csv.status, csv.headers?.['retry-after']], [503, '10'])
})
