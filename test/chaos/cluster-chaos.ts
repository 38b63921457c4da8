/**
 * Crawls by many processes while they are killed, stopped, cut off and left without room: in the end the same set, nothing
 * lost, nothing counted twice, and no server that was crawled saw a pause broken. Every decision comes from the seed.
 */
import assert from 'node:assert/strict'
import { seededRandom } from '../../src/base/random.ts'
import { type StartedServer, startServer as startPostgres } from '../../src/database/postgres/server.test-tools.ts'
import type { WebOptions } from '../../src/testweb/options.ts'
import { walk } from '../../src/testweb/walker.ts'
import { readShared } from '../e2e/cluster.ts'
import { assertNone, assertSameSet, seedFile, serveWeb, temporaryFolder } from '../e2e/harness.ts'
import { judgeRequests } from '../e2e/harness-judge.ts'
import { enterLate } from './late-seeds.ts'
import { Troubled } from './troubled-cluster.ts'

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
  tell(line: string): void
}

/** Of our own servers, as `--pause-for` names them; and of those that it does not, which share their address politely too. */
const PAUSE_MS = 100
const STRANGERS_PAUSE_MS = 1000
const STRANGERS_ONE_IN = 10
const LEASE_MS = 10_000
const CRAWL = [
  ...['--pause', `${STRANGERS_PAUSE_MS}ms`, '--address-pause', '100ms', '--patience', '0.01', '--volume-size', '1MB'],
  ...['--lease', `${LEASE_MS}ms`, '--connect-timeout', '1s', '--exchange-timeout', '5s', '--quiet'],
  // Every request is counted: none is to be drawn by lot.
  ...['--recheck-share', '0'],
]
/** One home page in so many is a seed that comes late. */
const LATE_ONE_IN = 5
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
  await using served = await serveWeb(options.web, folder, {})
  const { web } = served
  const homes = web.homes()
  const isLate = (_: string, at: number) => at % LATE_ONE_IN === LATE_ONE_IN - 1
  const early = homes.filter((url, at) => !isLate(url, at))
  const database = ['--database', postgres.url]
  const own = new Set(homes.filter((_, at) => at % STRANGERS_ONE_IN !== 0).map((url) => new URL(url).hostname))
  const pauses = [...own].flatMap((host) => ['--pause-for', `${host}=${PAUSE_MS}ms`])
  const flags = ['--seeds', seedFile(folder, early), ...CRAWL, ...pauses, ...served.resolve, ...database]
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
  const { tooSoon, overlaps, forbidden, nameless } = judgeRequests(await served.requests(), web, right, {
    pauseOf: (site) => (own.has(site.replace(/:\d+$/, '')) ? PAUSE_MS : STRANGERS_PAUSE_MS),
    patience: 0.01,
    firstByteMs: 30_000,
    toleranceMs: 3,
    // What was answered and could not be reported is asked again, by whoever has the site next.
    killed: { mayHaveForgotten: () => true },
  })
  for (const [name, list] of Object.entries({ tooSoon, overlaps, forbidden, nameless }))
    assertNone(list, `${name} (seed ${seed})`)
  return cluster.faults
}
