/**
 * Crawls by many processes while they are killed, stopped, cut off and left without room: in the end the same set, nothing
 * lost, nothing counted twice, and the servers that were crawled saw ordinary courtesy: every pause, of sites and of
 * addresses, Crawl-delay and Retry-After, and no page twice but what a process that was hindered could not report. Every
 * decision comes from the seed.
 */
import assert from 'node:assert/strict'
import { loadSettings } from '../../src/app/config/load.ts'
import { seededRandom } from '../../src/base/random.ts'
import { openPostgresToRead } from '../../src/database/postgres/open.ts'
import { type StartedServer, startServer as startPostgres } from '../../testkit/postgres/server.test-tools.ts'
import { judgeLooks } from '../../testkit/simulate/judge-looks.ts'
import type { RequestEntry } from '../../testkit/web/ledger-of-requests.ts'
import type { WebOptions } from '../../testkit/web/options.ts'
import { walk } from '../../testkit/web/walker.ts'
import { readShared } from '../e2e/cluster.ts'
import { assertNone, assertSameSet, seedFile, serveWeb, temporaryFolder } from '../e2e/harness.ts'
import { judgeRequests, type Kills } from '../e2e/harness-judge.ts'
import { enterLate } from './late-seeds.ts'
import { type Hindrance, Troubled } from './troubled-cluster.ts'

export interface ChaosOptions {
  seed: number
  /** Faults before the crawl is left in peace. */
  faults: number
  web: WebOptions
  /** `named`: processes only die or stop at moments that they know; `all`: also at random ones, and in other ways. */
  kinds: 'all' | 'named'
  /** How many there must still be of a fault, by name: these are drawn more often. */
  lacking?: ReadonlyMap<string, number>
  servers: number
  workers: number
  /** What is collected is looked at again all the while. */
  refreshes?: boolean
  tell(line: string): void
}

const LEASE_MS = 10_000
/** Nothing about pauses: they are those of every crawl. */
const CRAWL = [
  ...['--patience', '0.01', '--volume-size', '1MB'],
  ...['--lease', `${LEASE_MS}ms`, '--connect-timeout', '1s', '--exchange-timeout', '5s', '--quiet'],
  // Every request is counted: none is to be drawn by lot.
  ...['--recheck-share', '0'],
]
/** Looks are many, so that a kill meets some. */
const REFRESH_PAUSE_MS = 500
const REFRESH = [
  ...['--refresh', '--refresh-min-gain', '0s', '--pause-for', `*.test=${REFRESH_PAUSE_MS}ms`],
  // The judge counts every other byte as a change.
  ...['--refresh-counts-as-change', 'markup'],
]
/** One home page in so many is a seed that comes late. */
const LATE_ONE_IN = 5
/** A worker syncs and reports every second; on a machine with more processes than cores that takes a while. */
const LONGEST_UNREPORTED_MS = 4000
/** How far a worker may be from the servers' time. */
const CLOCK_TOLERANCE_MS = 5000

/** What faults there were, by name. */
export type Faults = Map<string, number>

/** Throws when a promise is broken. */
export async function chaosCrawl(options: ChaosOptions): Promise<Faults> {
  const postgres = await startPostgres()
  assert.ok(!('skipped' in postgres), 'chaos needs PostgreSQL')
  try {
    return await chaosOver(postgres, options)
  } finally {
    await postgres.stop()
  }
}

async function chaosOver(postgres: StartedServer, options: ChaosOptions): Promise<Faults> {
  const { seed, tell } = options
  using folder = temporaryFolder()
  await using served = await serveWeb(options.web, folder, { addresses: 'many' })
  const { web } = served
  const homes = web.homes()
  const isLate = (_: string, at: number) => at % LATE_ONE_IN === LATE_ONE_IN - 1
  const early = homes.filter((url, at) => !isLate(url, at))
  const database = ['--database', postgres.url]
  const refreshing = options.refreshes ? REFRESH : []
  const flags = ['--seeds', seedFile(folder, early), ...CRAWL, ...refreshing, ...served.resolve, ...database]
  const random = seededRandom(seed)
  const late = { urls: homes.filter(isLate), database, random: seededRandom(seed + 1) }
  const began = Date.now()
  await using cluster = await Troubled.open({ ...options, random, leaseMs: LEASE_MS }, flags, (name) => folder.at(name))
  const entered = enterLate({ ...late, killed: () => cluster.count('seed command killed') })
  await cluster.troubles(postgres, options, entered)
  const peaceful = Date.now()
  await cluster.peace()
  const seconds = (from: number, to: number) => `${((to - from) / 1000).toFixed(0)} s`
  tell(`  ${cluster.sum} faults in ${seconds(began, peaceful)}, peace ${seconds(peaceful, Date.now())} later`)

  const right = walk(web, { seeds: homes, scope: { kind: 'host' }, links: 'combined' })
  const { documents, counters, times } = await readShared(database)
  assertSameSet(documents, new Set(right.documents), `documents (seed ${seed})`)
  assert.equal(counters.get('documents'), right.documents.size, `counted twice (seed ${seed})`)
  const isOff = (at: number) => at < began - CLOCK_TOLERANCE_MS || at > Date.now() + CLOCK_TOLERANCE_MS
  assertNone(
    times.filter(isOff).map((at) => new Date(at).toISOString()),
    `times that are not the servers' (seed ${seed})`,
  )
  const { settings } = loadSettings(CRAWL, 'serve', { env: {}, readFile: () => undefined })
  const entries = await served.requests()
  const killed = killsBy(cluster.hindrances)
  const { retries, repeated, ...broken } = judgeRequests(entries, web, right, {
    ...(options.refreshes
      ? { pauseOf: () => REFRESH_PAUSE_MS }
      : { pauseOf: () => settings.pause, addressPauseMs: settings.addressPause }),
    patience: settings.patience,
    firstByteMs: 30_000,
    toleranceMs: 3,
    killed,
  })
  for (const [name, list] of Object.entries(broken)) assertNone(list, `${name} (seed ${seed})`)
  if (options.refreshes) tell(`  ${await assertLooks(postgres.url, entries, killed, `seed ${seed}`)}`)
  else assertNone(repeated, `repeated (seed ${seed})`)
  const waited = [...retries].map(([name, count]) => `${name} ${count}`)
  if (waited.length > 0) tell(`  tried again as the failure table has it: ${waited.join(', ')}`)
  return cluster.faults
}

/** Every look counts once, at the frontier and in the catalogue, but for those that a killed worker could not report. */
async function assertLooks(url: string, entries: readonly RequestEntry[], killed: Kills, run: string): Promise<string> {
  const answered = entries.filter(({ status, whole }) => whole && (status === 200 || status === 304))
  const byUrl = Map.groupBy(answered, (entry) => entry.url)
  const answers = new Map([...byUrl].map(([page, some]) => [page, some.map(({ wall }) => wall)]))
  const database = await openPostgresToRead(url)
  try {
    const apart = { answer: CLOCK_TOLERANCE_MS, look: CLOCK_TOLERANCE_MS }
    const { looks, faults, lost } = await judgeLooks(database, answers, apart)
    assertNone(faults, run)
    const inexcusable = lost.filter(({ url: page, at }) => {
      const answer = byUrl.get(page)?.find(({ wall }) => wall === at)
      return answer === undefined || !killed.mayHaveForgotten(answer, { ...answer, wall: Number.MAX_SAFE_INTEGER })
    })
    assertNone(inexcusable, `looks that were lost (${run})`)
    assert.ok(looks > 0, `nothing was looked at again (${run})`)
    return `${looks} looks counted once, ${lost.length} lost with the workers that made them`
  } finally {
    await database.close()
  }
}

/**
 * What was answered is durable some seconds later, or some seconds after servers and PostgreSQL can take it again. Whoever has
 * the site next may not know of it only when a worker was hindered before that, or when it took as long as a lease.
 */
export function killsBy(hindrances: readonly Hindrance[]): Kills {
  const inOrder = hindrances.toSorted((a, b) => a.from - b.from)
  const mayHaveForgotten: Kills['mayHaveForgotten'] = (before, again) => {
    const answered = before.wall + (before.endedAt ?? before.at) - before.at
    let durable = answered + LONGEST_UNREPORTED_MS
    for (const { whose, from, to } of inOrder)
      if (whose === 'server' && from <= durable && to >= answered)
        durable = Math.max(durable, to + LONGEST_UNREPORTED_MS)
    if (durable - answered > LEASE_MS) return true
    // What a robots.txt says is noted when the last of its redirects is answered: a visit whose lease ends between them, because
    // no server renews it, leaves the next one nothing.
    const isOnTheWay = before.url.endsWith('/robots.txt') && before.status >= 300 && before.status < 400
    if (isOnTheWay && inOrder.some(({ from, to }) => from <= again.wall && to >= before.wall - LEASE_MS)) return true
    return inOrder.some(({ whose, from, to }) => {
      return whose === 'worker' && from <= Math.min(durable, again.wall) && to >= before.wall
    })
  }
  return { mayHaveForgotten, knewRobots: (read, again) => read.some((one) => !mayHaveForgotten(one, again)) }
}
