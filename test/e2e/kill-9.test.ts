/**
 * `kill -9` of the whole program, again and again during a crawl of the served web: at random moments and at moments named by
 * journal events (`crawl-and-die.ts`), each of them twice. In the end the same set, nothing lost, nothing counted twice, and the
 * servers saw their pauses kept across every restart.
 *
 * By default 24 kills, so that it takes a minute; `npm run chaos` has 50. CHAOS_FULL=1 takes 200 sites and 10,000 pages.
 * E2E_SEED repeats a run, CHAOS_KILLS changes the number of kills.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Random, seededRandom } from '../../src/base/random.ts'
import type { RequestEntry } from '../../testkit/web/ledger-of-requests.ts'
import type { PlantedPage, WebOptions } from '../../testkit/web/options.ts'
import { canonicalUrl, splitUrl } from '../../testkit/web/spelling.ts'
import { walk } from '../../testkit/web/walker.ts'
import type { TestWeb } from '../../testkit/web/web.ts'
import type { Death } from './crawl-and-die.ts'
import {
  assertNone,
  assertSameSet,
  orbweaver,
  type Ran,
  readCatalogue,
  seedFile,
  serveWeb,
  startNode,
  startOrbweaver,
  temporaryFolder,
} from './harness.ts'
import { judgeRequests, type Kills } from './harness-judge.ts'

const SEED = Number(process.env['E2E_SEED'] ?? 4)
const KILLS = Number(process.env['CHAOS_KILLS'] ?? 24)
const FULL = process.env['CHAOS_FULL'] !== undefined
const PAUSE_MS = 100
/** Longer than a restart takes, so that a pause forgotten by it would be seen. */
const SLOW_PAUSE_MS = 1500
const PATIENCE = 0.01
/** Parts are brought once a second, and syncing and storing them takes its time. */
const UNREPORTED_MS = 2500

/** The named events come within a second; on a machine with other work, within some. */
const LONGEST_LIFE_MS = 8000

/** Sites of a few pages with a pause longer than a restart. */
function slowSites(): PlantedPage[] {
  return Array.from({ length: 4 }, (_, site) =>
    Array.from({ length: 6 }, (_, page): PlantedPage => {
      const url = (n: number) => `http://s${site}.slow.test/${n === 0 ? '' : `p${n}.html`}`
      const links = page < 5 ? [url(page + 1)] : []
      return {
        url: url(page),
        html: `<title>${page}</title><a href="${links[0] ?? '#'}">on</a> ${site}/${page}`,
        links,
      }
    }),
  ).flat()
}

const WEB: WebOptions = {
  seed: SEED,
  sites: FULL ? 200 : 60,
  // Enough for every life: one that finds the crawl complete fails.
  pages: FULL ? 14_000 : 130 * KILLS,
  theta: FULL ? 0.4 : 0.7,
  latencyMs: 4,
  pageBytes: 5000,
  crawlDelaySeconds: 0.5,
  flakyShare: 0.01,
  flakyKinds: ['503-seconds', '503-date', '429', '500', 'reset'],
  secureShare: 0.1,
  planted: slowSites(),
}

const NAMED: readonly (Death & { max: number })[] = [
  { at: 'synced', nth: 1, max: 3 },
  { at: 'inbox-stored', nth: 1, max: 4 },
  { at: 'applying', nth: 1, max: 2 },
  { at: 'applied', nth: 1, max: 2 },
  { at: 'checked-out', nth: 1, max: 3 },
  { at: 'volume-opened', nth: 1, max: 2 },
]

/** With so many kills each named moment has had its turn. */
const EACH_NAMED = 2 * NAMED.length

interface Killed {
  how: string
  /** Milliseconds since 1970, as all times: when it was seen to be dead. */
  endedAt: number
  /** What was answered before this was in a part that is durable. */
  durableBefore: number
}

test('kill -9, many times: the same set, nothing lost, nothing counted twice, every pause kept', {
  timeout: 15 * 60_000,
}, async (t) => {
  using folder = temporaryFolder()
  await using served = await serveWeb(WEB, folder, { tls: true })
  const { web } = served
  const seeds = [...web.homes(), ...Array.from({ length: 4 }, (_, i) => `http://s${i}.slow.test/`)]
  const collection = folder.at('collection')
  const flags = [
    ...['--seeds', seedFile(folder, seeds), '-c', collection],
    ...['--pause-for', `*.slow.test=${SLOW_PAUSE_MS}ms`, '--pause-for', `*.test=${PAUSE_MS}ms`],
    ...['--address-pause', '100ms', '--patience', `${PATIENCE}`, '--volume-size', '1MB', '--verbose'],
    ...served.resolve,
  ]
  const random = seededRandom(SEED)
  const kills: Killed[] = []
  while (kills.length < KILLS) {
    kills.push(await liveAndDie([...flags, ...contactOf(kills.length)], kills.length, random))
  }
  // On a busy machine a moment may not have come in any of its lives: it gets longer ones.
  const missing = () => NAMED.find(({ at }) => !kills.some(({ how }) => how === at))
  for (let more = missing(); KILLS >= EACH_NAMED && more !== undefined && kills.length < KILLS + 10; more = missing()) {
    kills.push(await death([...flags, ...contactOf(kills.length)], kills.length, random, { ...more, max: 1 }))
  }
  t.diagnostic(`killed ${kills.length} times: ${summary(kills)}`)
  assert.ok(KILLS < EACH_NAMED || missing() === undefined, `no death at ${missing()?.at}`)
  const ran = await orbweaver(['crawl', ...flags, ...contactOf(kills.length)])
  assert.equal(ran.code, 0, `seed ${SEED}: ${ran.stderr}`)

  const right = walk(web, { seeds, scope: { kind: 'host' }, links: 'combined' })
  judgeCollection(collection, right.documents)
  const verified = await orbweaver(['verify', '-c', collection])
  assert.equal(verified.code, 0, `seed ${SEED}: ${verified.stdout}${verified.stderr}`)

  const entries = await served.requests()
  const judged = judgeRequests(entries, web, right, {
    pauseOf: (site) => (site.endsWith('.slow.test') ? SLOW_PAUSE_MS : PAUSE_MS),
    patience: PATIENCE,
    firstByteMs: 30_000,
    toleranceMs: 3,
    killed: forgetfulness(entries, kills, web),
  })
  const { retries, ...faults } = judged
  for (const [name, list] of Object.entries(faults)) assertNone(list, `${name} (seed ${SEED})`)
  tellFigures(t, entries, retries)

  // What is complete is complete: the same command again asks nobody for anything.
  assert.equal((await orbweaver(['crawl', ...flags])).code, 0)
  assert.equal((await served.requests()).length, entries.length)
})

/** One life of the crawl; every other one dies at a named moment, those between at a random one. */
const liveAndDie = (flags: readonly string[], life: number, random: Random): Promise<Killed> =>
  death(flags, life, random, life % 2 === 0 ? NAMED[(life / 2) % NAMED.length] : undefined)

async function death(
  flags: readonly string[],
  life: number,
  random: Random,
  named: (typeof NAMED)[number] | undefined,
): Promise<Killed> {
  const { ran, how } =
    named === undefined ? await dieAtRandom(flags, 50 + random.integer(2400)) : await dieAt(flags, named, random)
  assert.equal(
    ran.signal,
    'SIGKILL',
    ran.code === 0
      ? `complete after ${life} kills: the web is too small (seed ${SEED})`
      : `${how}, seed ${SEED}: ${ran.stderr}`,
  )
  return { how, endedAt: ran.endedAt, durableBefore: Math.min(ran.endedAt - UNREPORTED_MS, durableBefore(ran.stderr)) }
}

/**
 * How late a worker whose one thread has just started, on cores that it shares with its servers, may be to read an answer that they
 * have sent. What is asked again lies before its bound in a tail that thins out to 1.6 s where the machine has three times as
 * much to do as it can; a loss of what was durable would be a page far from it.
 */
const WORKER_LATENESS_MS = 2500

/**
 * On a busy machine a delivery takes longer than its second, but what was answered before one was over is in the next:
 * the last but one of each worker, from the events it told (`--verbose`; their times are cut to whole seconds).
 */
function durableBefore(events: string): number {
  const told = events.matchAll(/^(\S+) (\S+) checked-in worker=(\S+)/gm)
  const times = Map.groupBy(told, ([, , , worker]) => worker)
  const lastButOne = [...times.values()].map((list) => {
    const found = list.at(-2)
    return found === undefined ? 0 : Date.parse(`${found[1]}T${found[2]}Z`)
  })
  // A life whose every delivery was still under way made nothing durable.
  return lastButOne.length === 0 ? 0 : Math.min(...lastButOne) - WORKER_LATENESS_MS
}

async function dieAtRandom(flags: readonly string[], afterMs: number): Promise<{ ran: Ran; how: string }> {
  const { child, done } = startOrbweaver(['crawl', ...flags])
  await Promise.race([sleep(afterMs, undefined, { ref: false }), done])
  child.kill('SIGKILL')
  return { ran: await done, how: 'random' }
}

async function dieAt(flags: readonly string[], named: Death & { max: number }, random: Random) {
  const death: Death = { at: named.at, nth: named.nth + random.integer(named.max) }
  const script = join(import.meta.dirname, 'crawl-and-die.ts')
  const { child, done } = startNode([script, JSON.stringify(death), ...flags])
  // An event that does not come must not let the crawl run to its end.
  const dead = await Promise.race([sleep(LONGEST_LIFE_MS, 'too long' as const, { ref: false }), done])
  if (dead === 'too long') child.kill('SIGKILL')
  return { ran: await done, how: dead === 'too long' ? 'random' : named.at }
}

function summary(kills: readonly Killed[]): string {
  const counts = Map.groupBy(kills, ({ how }) => how)
  return [...counts].map(([how, list]) => `${how} ${list.length}`).join(', ')
}

/** Every life has a contact of its own, so that each request tells which life made it: a server may read one late. */
const contactOf = (life: number) => ['--contact', `https://www.example.org/crawler/${life}`]
const lifeOf = ({ userAgent }: RequestEntry) => Number(/\/(\d+)\)$/.exec(userAgent)?.[1])

/** What a crawler killed so soon may have to ask again. robots.txt is durable before the request for a page that follows it. */
function forgetfulness(entries: readonly RequestEntry[], kills: readonly Killed[], web: TestWeb): Kills {
  const bySite = Map.groupBy(entries, ({ site }) => site)
  return {
    mayHaveForgotten(before, again) {
      const life = lifeOf(before)
      if (life >= lifeOf(again)) return false
      const endedWall = before.wall + ((before.endedAt ?? before.at) - before.at)
      if (endedWall < kills[life].durableBefore) return false
      if (splitUrl(before.url).path !== '/robots.txt') return true
      const elsewhere = web.siteOf(before.url)?.robots.movedTo
      const next = bySite
        .get(before.site)
        ?.find((entry) => entry.at > before.at && splitUrl(entry.url).path !== elsewhere)
      return next === undefined || lifeOf(next) > life
    },
  }
}

/** Each document once: in the table, in the counters, in the log and among the captures. */
function judgeCollection(collection: string, documents: ReadonlySet<string>): void {
  const catalogue = readCatalogue(collection)
  assertSameSet(catalogue.documents, documents, `documents (seed ${SEED})`)
  const kept = catalogue.pages.filter(({ outcome }) => outcome === 'kept')
  assert.equal(kept.length, documents.size, 'one row for each page')
  assert.equal(catalogue.counters.get('documents'), kept.length, `counter of documents (seed ${SEED})`)
  const bytes = kept.reduce((sum, page) => sum + page.bytes, 0)
  assert.equal(catalogue.counters.get('bytes'), bytes, `counter of bytes (seed ${SEED})`)
  assertNone(
    catalogue.sites.filter(({ waiting }) => waiting > 0),
    'sites not done',
  )
  const db = new DatabaseSync(join(collection, 'collection.db'), { readOnly: true })
  try {
    const odd = db
      .prepare(
        `SELECT p.url, count(c.id) AS captures FROM page p
         LEFT JOIN capture c ON c.site = p.site AND c.key = p.key AND c.status = 200 AND c.digest = p.digest
         WHERE p.outcome = 'kept' GROUP BY p.id HAVING captures <> 1`,
      )
      .all()
    assertNone(odd, `documents without exactly one capture (seed ${SEED})`)
    assert.equal(db.prepare('SELECT count(*) AS n FROM inbox').get()?.['n'], 0, 'the inbox is empty')
  } finally {
    db.close()
  }
  const lines = readFileSync(join(collection, 'logs', 'crawl.log'), 'utf8')
    .trimEnd()
    .split('\n')
  // Two links may spell a URL in two ways; the first try and the second may come from either.
  const logged = Map.groupBy(
    lines.map((line) => line.split(/\s+/)).filter(([, status]) => status === '200'),
    ([, , , url]) => canonicalUrl(url),
  )
  assertNone(
    kept.filter(({ url }) => logged.get(canonicalUrl(url))?.length !== 1),
    `documents not logged exactly once (seed ${SEED})`,
  )
}

function tellFigures(t: TestContext, entries: readonly RequestEntry[], retries: ReadonlyMap<string, number>): void {
  const urls = new Set(entries.map(({ url }) => url))
  const last = entries.filter((entry) => lifeOf(entry) === KILLS).length
  t.diagnostic(
    `${entries.length} requests of ${urls.size} URLs, ${last} in the last life; retries ${JSON.stringify([...retries])}`,
  )
}
