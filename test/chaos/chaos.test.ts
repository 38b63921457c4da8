/** The short form of `npm run chaos`: CHAOS_SEED repeats a run. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import type { RequestEntry } from '../../testkit/web/ledger-of-requests.ts'
import { walk } from '../../testkit/web/walker.ts'
import { makeWeb } from '../../testkit/web/web.ts'
import { judgeRequests } from '../e2e/harness-judge.ts'
import { chaosCrawl, killsBy } from './cluster-chaos.ts'
import { wanted } from './fate.ts'
import { migrationChaos } from './migration-chaos.ts'
import type { Hindrance } from './troubled-cluster.ts'
import { changingChaosWeb, chaosWeb } from './web.ts'

const SEED = Number(process.env['CHAOS_SEED'] ?? 5)
const postgres = await postgresForTests()
const skip = 'skipped' in postgres ? postgres.skipped : false
if (!('skipped' in postgres)) await postgres.end()

test('a cluster under faults: the same set, counted once, every wait kept, nothing asked for twice without need', {
  skip,
  timeout: 10 * 60_000,
}, async (t) => {
  const web = { ...chaosWeb(SEED, 300), sites: 30 }
  const tell = (line: string) => t.diagnostic(line)
  const options = {
    seed: SEED,
    kinds: 'all',
    faults: 16,
    web,
    servers: 2,
    workers: 3,
    lacking: wanted(1),
    tell,
  } as const
  const seen = await chaosCrawl(options)
  t.diagnostic([...seen].map(([name, count]) => `${name} ${count}`).join(', '))
  assert.ok(seen.size >= 5, 'faults of several kinds')
})

test('a refresh under faults: no look is lost but with its worker, none is counted twice', {
  skip,
  timeout: 10 * 60_000,
}, async (t) => {
  const web = { ...changingChaosWeb(SEED, 40), sites: 6 }
  const tell = (line: string) => t.diagnostic(line)
  // Deaths at the moments that matter most, of both kinds of processes.
  const lacking = new Map([...wanted(1)].filter(([name]) => !name.includes('stopped')))
  const cluster = { servers: 2, workers: 2, lacking, refreshes: true }
  const seen = await chaosCrawl({ seed: SEED, kinds: 'named', faults: 6, web, ...cluster, tell })
  t.diagnostic([...seen].map(([name, count]) => `${name} ${count}`).join(', '))
  for (const role of ['server', 'worker'])
    assert.ok(
      [...seen.keys()].some((name) => name.startsWith(`${role} at `)),
      `no ${role} was killed`,
    )
})

test('the judge of chaos finds each wait that is broken, and repeats that no fault excuses', () => {
  const limited = 'http://limited.test/'
  const retry = { url: limited, html: 'later', status: 503, headers: [['Retry-After', '5']] as const }
  const web = makeWeb({ ...chaosWeb(1, 200), planted: [retry] })
  const right = walk(web, { seeds: [...web.homes(), limited], scope: { kind: 'host' }, links: 'combined' })
  const delayed = web.allSites().find(({ robots }) => robots.kind === 'delay')!.origin
  const plain = web.allSites().find(({ robots }) => robots.kind === 'missing')!.origin
  const asked = (url: string, at: number, status = 200, address = url.split('/')[2]): RequestEntry => {
    const place = { url, asked: url, site: url.split('/')[2], address }
    const answer = { at, wall: at, endedAt: at + 10, status, whole: true, bodyBytes: 1 }
    return { ...place, ...answer, connection: at, userAgent: 'Orbweaver/1' }
  }
  const judged = (entries: RequestEntry[], ...hindrances: Hindrance[]) => {
    const seen = judgeRequests(entries, web, right, {
      pauseOf: () => 2000,
      addressPauseMs: 500,
      patience: 0.01,
      firstByteMs: 30_000,
      toleranceMs: 3,
      killed: killsBy(hindrances),
    })
    const { extra: _, lacking: __, retries: ___, beforeRobots: ____, ...rest } = seen
    return Object.entries(rest).flatMap(([name, list]) => (list.length === 0 ? [] : [name]))
  }
  const delay = [asked(`${delayed}/robots.txt`, 0), asked(`${delayed}/`, 2100)]
  assert.deepEqual(judged(delay), ['waitsBroken'])
  assert.deepEqual(judged(delay, { whose: 'worker', from: 1000, to: 1000 }), [], 'robots.txt was not noted')
  const known = [delay[0], asked(`${delayed}/a`, 40_000), asked(`${delayed}/b`, 42_100)]
  const between: Hindrance = { whose: 'worker', from: 41_000, to: 41_000 }
  assert.deepEqual(judged(known, between), ['waitsBroken'], 'robots.txt had been noted long before')
  assert.deepEqual(judged([asked(limited, 0, 503), asked(`${limited}x`, 2100)]), ['waitsBroken'])
  assert.deepEqual(judged([asked(`${plain}/`, 0, 200, '127.1.1.1'), asked(limited, 400, 200, '127.1.1.1')]), [
    'tooSoonAtAddress',
  ])
  const twice = [asked(`${plain}/`, 0), asked(`${plain}/`, 30_000)]
  assert.deepEqual(judged(twice), ['repeated'])
  assert.deepEqual(judged(twice, { whose: 'worker', from: 1000, to: 1000 }), [])
  assert.deepEqual(judged(twice, { whose: 'worker', from: 9000, to: 9000 }), ['repeated'], 'long after it was durable')
  assert.deepEqual(judged(twice, { whose: 'server', from: 1000, to: 4000 }), ['repeated'], 'a server forgets nothing')
  const moved = [asked(`${plain}/robots.txt`, 0, 301), asked(`${plain}/robots.txt`, 7000, 301)]
  assert.deepEqual(judged(moved), ['repeated'])
  assert.deepEqual(judged(moved, { whose: 'server', from: 1000, to: 4000 }), [], 'the lease ended before its target')
  const outage: Hindrance = { whose: 'server', from: 1000, to: 4000 }
  assert.deepEqual(judged(twice, outage, { whose: 'worker', from: 7000, to: 7000 }), [], 'it could not be reported')
})

test('servers killed inside a migration: the next one finds the database in order', { skip }, async () => {
  const deaths = await migrationChaos(4, SEED)
  assert.equal(
    [...deaths.values()].reduce((sum, n) => sum + n, 0),
    4,
  )
})
