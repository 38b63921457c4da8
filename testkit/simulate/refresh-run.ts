/**
 * A refresh in virtual time: the whole crawler collects a synthetic web whose pages change, then looks at them again for
 * many days. Staleness, courtesy and the bound are known from the servers' side.
 */
import type { Settings } from '../../src/app/config/keys.ts'
import { type Clock, type Instant, type Millis, realClock, Wakeup } from '../../src/base/clock.ts'
import type { Database } from '../../src/database/database.ts'
import { openSqlite } from '../../src/database/sqlite/open.ts'
import type { RefreshOptions } from '../../src/frontier/contract.ts'
import { frontierQueries } from '../../src/frontier/queries.ts'
import { memoryDisk } from '../memory-disk.ts'
import { virtualClock } from '../virtual-clock.ts'
import { RequestLedger } from '../web/ledger-of-requests.ts'
import { PLAIN, type WebOptions } from '../web/options.ts'
import { canonicalUrl } from '../web/spelling.ts'
import { makeWeb, type TestWeb } from '../web/web.ts'
import type { AppliedLooks } from './applied-looks.ts'
import { settingsWith, TURN } from './crawl-run.ts'
import { manners } from './judge.ts'
import { judgeLooks } from './judge-looks.ts'
import { outsideTime } from './outside-time.ts'
import { boundOf, DAY, type FreshnessDay, stalenessByDay, type WatchedPage, watchedPages } from './staleness.ts'
import { type Alterations, runVirtualCoordinator, type VirtualParts } from './virtual-coordinator.ts'

export interface RefreshRunOptions {
  sites: number
  pages: number
  pauseMs: Millis
  days: number
  seed: number
  /** The crawler is told the true rates instead of learning them. */
  isKnown?: boolean
  web?: Partial<WebOptions>
  settings?: Partial<Settings>
  /** One for each server that shares the collection; closed in the end. Default: SQLite in memory, one server. */
  databases?: readonly Database[]
  /** Counts the looks that were applied. */
  looks?: AppliedLooks
  /** A fault between workers and their servers. */
  sink?: Alterations['sink']
  /** After each virtual day. */
  progress?(day: number, looks: number): void
}

export interface RefreshReport {
  pages: number
  /** Requests answered with a page or 304 during the refresh. */
  looks: number
  requests: number
  unmodified: number
  days: FreshnessDay[]
  /** The least staleness that the pauses permit. */
  bound: number
  meanAnswerMs: Millis
  violations: number
  /** The first of each kind of violation, in words. */
  examples: Record<string, string>
  /** Of `looks`: what known pages do not show as it was applied and answered. */
  wrong: string[]
  realMs: Millis
}

/** A day of the fastest page has four changes, a month of the slowest one. */
const CHANGING: Partial<WebOptions> = {
  ...PLAIN,
  pageBytes: 4_000,
  linksPerPage: 20,
  changesPerDay: 4,
  leastChangesPerDay: 1 / 30,
}
/** Bodies that the synthetic servers need not make again. */
const BODY_BYTES = 256e6
/** A server's short work every second is nearly all there would be to run: nothing of it is urgent. */
const TICK: Millis = 300_000
const ENROL_AT_ONCE = 1000
/** Captures and requests are dated at the two ends of a network. */
const CLOSE: Millis = 1000
/** A part that was sent has been applied by then. */
const APPLIED_BY: Millis = 1000

export function changingWeb({
  seed,
  sites,
  pages,
  web,
}: Pick<RefreshRunOptions, 'seed' | 'sites' | 'pages' | 'web'>): TestWeb {
  return makeWeb({ seed, sites, pagesPerSite: pages, ...CHANGING, ...web }, BODY_BYTES)
}

export async function simulateRefresh(options: RefreshRunOptions): Promise<RefreshReport> {
  const begun = realClock.elapsed()
  const { seed, sites, days } = options
  const web = changingWeb(options)
  const clock = virtualClock(web.plan.epoch, TURN)
  const ledger = new RequestLedger(clock)
  const given = options.databases ?? [openSqlite(':memory:')]
  const databases = given
    .map((one) => (one.dialect === 'postgres' ? outsideTime(one, clock) : one))
    .map((one) => options.looks?.database(one) ?? one)
  const settings = settingsWith({ pause: options.pauseMs, visits: sites + 10, ...options.settings })
  const watch = new Watch(web, ledger, settings)

  const disks = databases.map(() => memoryDisk())
  const share = Math.ceil(sites / databases.length / TURNS)
  const run = (refresh: RefreshOptions | undefined, stop: AbortSignal) => {
    const wakeups: Wakeup[] = []
    stop.addEventListener('abort', () => {
      for (const wakeup of wakeups) wakeup.wake()
    })
    const runs = databases.map((database, nth) =>
      runVirtualCoordinator(
        {
          web,
          ledger,
          clock,
          database,
          disk: disks[nth],
          settings,
          seeds: web.homes(),
          randomSeed: seed + nth,
          workers: 1,
          workerName: `s${nth + 1}-w`,
          journal: { record() {} },
          tickMs: TICK,
          lookEvery: TICK,
          ...(refresh && { eachTick: enrolAll() }),
          alter:
            database.dialect === 'sqlite'
              ? askWhenDue(database, clock, wakeups, options.sink)
              : askInTurns(clock, wakeups, options.sink, { pauseMs: settings.pause, share }),
          ...(options.looks && { ledgerOver: (ledger) => options.looks?.ledger(ledger) ?? ledger }),
          ...(refresh && { refresh }),
        },
        stop,
      ),
    )
    return clock.run(Promise.all(runs))
  }
  await run(undefined, new AbortController().signal)
  watch.take()
  const from = clock.now()
  const looksBefore = watch.looks
  const stop = new AbortController()
  const end = clock.elapsed() + days * DAY
  const eachDay = (day: number) => {
    watch.take()
    options.progress?.(day, watch.looks - looksBefore)
    if (clock.elapsed() >= end) stop.abort()
    else clock.after(Math.min(DAY, end - clock.elapsed()), () => eachDay(day + 1))
  }
  clock.after(Math.min(DAY, days * DAY), () => eachDay(1))
  await run(refreshOptions(web, options.isKnown === true), stop.signal)
  watch.take()
  const wrong = (await options.looks?.faults(databases[0])) ?? []
  if (options.looks !== undefined) {
    const answers = new Map(watch.pages.map(({ url, looks }) => [canonicalUrl(url), looks]))
    const { faults, lost } = await judgeLooks(given[0], answers, { answer: CLOSE, look: 2 })
    wrong.push(...faults, ...lost.map(({ url, at }) => `looks: ${url} was answered at ${at}, and nobody knows`))
  }
  await Promise.all(databases.map((database) => database.close()))
  return {
    pages: watch.pages.length,
    looks: watch.looks - looksBefore,
    requests: watch.requests,
    unmodified: watch.unmodified,
    days: stalenessByDay(web, watch.pages, from, days),
    bound: boundOf(watch.pages, (site) => settings.pause + watch.meanAnswerMs(site)),
    meanAnswerMs: watch.meanAnswerMs(),
    violations: watch.violations,
    examples: watch.examples,
    wrong,
    realMs: realClock.elapsed() - begun,
  }
}

function refreshOptions(web: TestWeb, isKnown: boolean): RefreshOptions {
  const rates = new Map(isKnown ? watchedPages(web).map(({ url, rate }) => [canonicalUrl(url), rate]) : [])
  return {
    policy: 'index',
    newShare: 'first',
    minAge: DAY,
    // The servers count every other byte, and their pages change in one place only.
    countsAsChange: 'markup',
    ...(isKnown && { rateOf: (url: string) => rates.get(canonicalUrl(url)) }),
  }
}

/** The pages that the crawl collected become known pages; once. */
function enrolAll(): NonNullable<VirtualParts['eachTick']> {
  let isDone = false
  return async ({ parts: { database }, frontier: { ledger } }) => {
    while (!isDone) isDone = !(await database.transact((tx) => ledger.enrol(tx, ENROL_AT_ONCE)))
  }
}

/**
 * A worker asks at least once a second whether there is something to visit. In a month that is millions of check-outs that
 * find nothing. Until the first site is due its question waits. When that is, is read anew after a check-out, and APPLIED_BY
 * after a part was sent. So a site is handed out at the instant at which it would have been, except one that a part makes due
 * before that: it is handed out up to APPLIED_BY (a second) later.
 */
function askWhenDue(database: Database, clock: Clock, wakeups: Wakeup[], faulty: Alterations['sink']): Alterations {
  const own = new Wakeup()
  wakeups.push(own)
  let due: Instant | undefined
  /** When the parts that were sent must have been applied, each of which may make a site due. */
  const applied: Millis[] = []
  return {
    frontier: (frontier) => ({
      ...frontier,
      async checkOut(worker, atMost) {
        for (; applied.length > 0 && applied[0] <= clock.elapsed(); due = undefined) applied.shift()
        due ??= await firstDue(database)
        const wait = due - clock.now()
        if (wait <= 0) {
          due = undefined
          return frontier.checkOut(worker, atMost)
        }
        await clock.sleep(Math.min(wait, (applied[0] ?? Number.POSITIVE_INFINITY) - clock.elapsed()), own.signal())
        return { visits: [], next: 0 }
      },
    }),
    sink: (sink, worker) => ({
      async send(who, reports) {
        await (faulty?.(sink, worker) ?? sink).send(who, reports)
        applied.push(clock.elapsed() + APPLIED_BY)
        own.wake()
      },
    }),
  }
}

/** 0: there are free sites, or none that wait. */
function firstDue(database: Database): Promise<Instant> {
  return database.read(async (tx) => {
    const { sites } = await frontierQueries.totals(tx)
    const [first] = await frontierQueries.nextDue(tx, 1)
    return sites.free > 0 ? 0 : (first?.notBefore ?? 0)
  })
}

/** In a pause. */
const TURNS = 2
/** Longer than nearly all answers. */
const ANSWER: Millis = 500

/**
 * Over PostgreSQL every transaction is some round trips to another process: a day in which every visit has its own took hours.
 * So all servers ask at the same instants, twice in a pause, and what is due by then goes through the same transactions. Sites
 * soon keep step, which makes their pauses longer by half a second, not more. `share`: sites that a server takes at once,
 * so that each has some.
 */
function askInTurns(
  clock: Clock,
  wakeups: Wakeup[],
  faulty: Alterations['sink'],
  { pauseMs, share }: { pauseMs: Millis; share: number },
): Alterations {
  const stopped = new Wakeup()
  wakeups.push(stopped)
  const turnMs = (pauseMs + ANSWER) / TURNS
  let hasMore = false
  return {
    frontier: (frontier) => ({
      ...frontier,
      async checkOut(worker, atMost) {
        const now = clock.elapsed()
        if (!hasMore) await clock.sleep((Math.floor(now / turnMs) + 1) * turnMs - now, stopped.signal())
        const answer = await frontier.checkOut(worker, Math.min(atMost, share))
        hasMore = answer.visits.length > 0 && answer.next === 0
        return answer
      },
    }),
    ...(faulty && { sink: faulty }),
  }
}

/** Reads the servers' ledger a day at a time: a month of it would fill the memory. */
class Watch {
  readonly pages: WatchedPage[]
  looks = 0
  unmodified = 0
  requests = 0
  violations = 0
  readonly examples: Record<string, string> = {}
  readonly #web: TestWeb
  readonly #ledger: RequestLedger
  readonly #settings: Settings
  readonly #byUrl: Map<string, WatchedPage>
  readonly #answers: { count: number; sum: Millis }[]

  constructor(web: TestWeb, ledger: RequestLedger, settings: Settings) {
    this.#web = web
    this.#ledger = ledger
    this.#settings = settings
    this.pages = watchedPages(web)
    this.#byUrl = new Map(this.pages.map((page) => [canonicalUrl(page.url), page]))
    this.#answers = Array.from({ length: web.siteCount }, () => ({ count: 0, sum: 0 }))
  }

  take(): void {
    for (const [what, found] of Object.entries(
      manners({ web: this.#web, settings: this.#settings }, this.#ledger.entries),
    )) {
      this.violations += found.length
      if (found.length > 0) this.examples[what] ??= found[0]
    }
    for (const { url, at, wall, endedAt = at, status, whole } of this.#ledger.takeEnded()) {
      this.requests++
      const page = this.#byUrl.get(url)
      if (page === undefined || !whole || (status !== 200 && status !== 304)) continue
      page.looks.push(wall)
      this.looks++
      if (status === 304) this.unmodified++
      const answers = this.#answers[page.site]
      answers.count++
      answers.sum += endedAt - at
    }
  }

  /** From the request to the end of the answer. */
  meanAnswerMs(site?: number): Millis {
    const some = site === undefined ? this.#answers : [this.#answers[site]]
    const count = some.reduce((sum, one) => sum + one.count, 0)
    return some.reduce((sum, one) => sum + one.sum, 0) / Math.max(1, count)
  }
}
