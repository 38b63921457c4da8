/**
 * The dashboard beside a crawl or a server. This process only forwards: pages are rendered in another (`dashboard-reader.ts`), one at a time, once for all who ask for the
 * same within a second. One that takes too long is given up: a statement of SQLite can't be interrupted, not even by ending its thread, so its process is killed.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { type Clock, every, type Instant, type Millis } from '../../base/clock.ts'
import { Problem, reasonOf } from '../../base/errors.ts'
import type { Readers } from '../../base/journal.ts'
import { publicFreshness } from '../../cluster/maintenance/measure-freshness.ts'
import type { ProblemWatch } from '../../cluster/maintenance/problem-watch.ts'
import { Metrics, metricsPages } from '../../cluster/server/metrics.ts'
import type { PageAsked, Pages } from '../../cluster/server/web-door.ts'
import { openWebServer } from '../../cluster/server/web-server.ts'
import { lookCounts } from '../../collection/counters/counters.ts'
import type { Control } from '../../contracts/control.ts'
import type { Event } from '../../contracts/events.ts'
import { actionOf } from '../../dashboard/actions.ts'
import { assetAt } from '../../dashboard/assets.ts'
import { botPage } from '../../dashboard/bot-page.ts'
import { notice, signInPage } from '../../dashboard/layout.ts'
import { LiveRecord } from '../../dashboard/live-record.ts'
import type { LiveFacts, PageAnswer, Slow } from '../../dashboard/page.ts'
import type { Coordinator } from '../composition/coordinator.ts'
import type { CrawlView } from '../composition/crawl-view.ts'
import { userAgentOf } from '../composition/worker-tools.ts'
import type { Settings } from '../config/keys.ts'
import type { Asked, FromReader, ReaderData, ToReader } from './dashboard-reader.ts'

export interface DashboardParts {
  settings: Settings
  version: string
  runs: LiveFacts['runs']
  view: Pick<CrawlView, 'snapshot'>
  control: Control
  isEnding(): boolean
  journal: Readers<Event>
  clock: Clock
  /** `/metrics`, where no server has it; `accept`: the header of who asks. */
  metrics?: (accept: string) => Promise<{ type: string; text: string }>
  limits?: DashboardLimits
}

/**
 * For a page; how long it is shown to others who ask for the same; and how long pages wait for their process to start. On a busy machine
 * that takes longer: it goes on, and later pages find it ready.
 */
const LIMITS = { pageMs: 1000, freshMs: 1000, startMs: 20_000 }
export type DashboardLimits = typeof LIMITS
/** A page may ask several statements; PostgreSQL ends each after `pageMs`. */
const STATEMENTS = 5
const START_GIVEN_UP: Millis = 300_000
const MAX_QUEUED = 100
const READER_MB = 512

/** Slow figures are kept for a while: they cost as much as this share of the time. */
const SLOW_SHARE = 20
const SLOW_FRESH: Millis = 30_000
const SLOW_STATEMENT: Millis = 3_600_000
const MAX_SLOW = 100
const IDLE: Millis = 60_000

const SAMPLE_EVERY: Millis = 2000

/** It brings its own style, and no script. */
const BOT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"

class TooSlow extends Error {}

export function openDashboard(parts: DashboardParts): { pages: Pages; close(): Promise<void> } {
  const { settings, clock, control, journal } = parts
  const over = new AbortController()
  const live = liveFactsOf(parts, over.signal)
  const limits = parts.limits ?? LIMITS
  const readerFor = (statementMs: Millis, slow: ReaderParts['slow']) =>
    readerBy({ data: { settings, statementMs }, startMs: limits.startMs, clock, slow })
  const slow = slowFigures(
    readerFor(SLOW_STATEMENT, () => ({ state: 'computing' })),
    clock,
  )
  const reader = readerFor(limits.pageMs, (name, argument) => slow.of(name, argument))
  const statements = settings.database === undefined ? 1 : STATEMENTS
  const shared = new Map<string, { at: Millis; answer: Promise<PageAnswer> }>()
  // Started early so that the first page need not wait.
  reader.warm()
  let queued = 0
  /** Reported once, until a page can be made again: open tabs ask every two seconds. */
  let isTroubled = false
  let turn: Promise<unknown> = Promise.resolve()

  const rendered = async (asked: PageAsked): Promise<PageAnswer> => {
    const request = { ...asked, live: live() }
    const busy = (text: string): PageAnswer => ({
      ...notice({ ...request, query: new URLSearchParams() }, 503, 'Not now', text),
      headers: { 'retry-after': '2' },
    })
    if (queued >= MAX_QUEUED) return busy('Too many pages are being asked for. Try again in some seconds.')
    queued += 1
    const mine = turn.then(() => reader.ask({ page: request }, statements * limits.pageMs))
    turn = mine.catch(() => {})
    try {
      const answer = (await mine) as PageAnswer
      isTroubled = false
      return answer
    } catch (error) {
      if (error instanceof TooSlow)
        return busy(
          'This page took over a second, and was given up so that the crawl is not held up. Try again, or ask for less.',
        )
      const what = `the dashboard's page ${asked.path.slice(0, 100)}: ${reasonOf(error)}`
      if (!isTroubled) journal.record({ kind: 'trouble', what })
      isTroubled = true
      return busy(`The page could not be made: ${reasonOf(error).slice(0, 300)}. Try again in some seconds.`)
    } finally {
      queued -= 1
    }
  }

  return {
    pages: {
      render(asked) {
        if (asked.message !== undefined) return rendered(asked)
        const now = clock.elapsed()
        for (const [key, { at }] of shared) if (now - at >= limits.freshMs) shared.delete(key)
        const key = JSON.stringify([asked.path, asked.query, asked.role, asked.isRenewal === true])
        const known = shared.get(key)
        if (known !== undefined) return known.answer
        const answer = rendered(asked)
        shared.set(key, { at: now, answer })
        return answer
      },
      asset: assetAt,
      signIn: signInPage,
      bot: () => ({
        status: 200,
        type: 'text/html; charset=utf-8',
        body: botPage(settings, userAgentOf(settings, parts.version)),
        headers: { 'content-security-policy': BOT_POLICY, 'cache-control': 'public, max-age=3600' },
      }),
      ...(parts.metrics && { metrics: parts.metrics }),
      async perform(who, fields) {
        try {
          const { now } = await control.perform(who, actionOf(fields))
          return { text: now, isWrong: false }
        } catch (error) {
          if (!(error instanceof Problem))
            journal.record({ kind: 'trouble', what: `an action failed: ${reasonOf(error)}` })
          return { text: reasonOf(error), isWrong: true }
        }
      },
    },
    async close() {
      over.abort()
      await Promise.all([reader.close(), slow.close()])
    },
  }
}

function liveFactsOf(parts: DashboardParts, over: AbortSignal): () => LiveFacts {
  const { settings, version, runs, view, clock, journal } = parts
  const record = new LiveRecord(clock)
  const stopReading = journal.read((event) => record.record(event))
  over.addEventListener('abort', stopReading)
  const sample = () => {
    const { at, requests, documents, bytes, failures, urls } = view.snapshot()
    record.sample({ at, requests, documents, bytes, failures, known: urls.known, waiting: urls.waiting })
  }
  sample()
  void every(clock, SAMPLE_EVERY, over, async () => sample())
  return () => {
    const { begunAt, pace, recent, events } = record
    const { lateMs } = view.snapshot()
    const facts = { now: clock.now(), collection: settings.collection, runs, version, begunAt, lateMs }
    // Up to 20 MB, which only its own page shows.
    const { blacklist: _, ...choice } = parts.control.crawl
    return { ...facts, pace, recent, events, choice, isEnding: parts.isEnding() }
  }
}

interface ReaderParts extends Pick<DashboardLimits, 'startMs'> {
  data: ReaderData
  clock: Clock
  slow(name: string, argument: string): Slow<unknown>
}

type Reader = ReturnType<typeof readerBy>

/** Starts a process when it is first asked, and again after it was killed. */
function readerBy({ data, clock, startMs, slow }: ReaderParts) {
  let child: Promise<ChildProcess> | undefined
  let current: ChildProcess | undefined
  let isClosed = false
  let lastId = 0
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()

  const forget = (why: string) => {
    child = undefined
    current = undefined
    for (const { reject } of waiting.values()) reject(new Error(why))
  }
  const start = (): Promise<ChildProcess> => {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    const begun = fork(new URL(`./dashboard-reader.${extension}`, import.meta.url), {
      execArgv: [`--max-old-space-size=${READER_MB}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>()
    begun.on('message', (message: FromReader) => {
      if (message.kind === 'ready') {
        cancel()
        resolve(begun)
        if (current === begun) child = promise.catch(() => begun)
      } else if (message.kind === 'slow') {
        tell(begun, { kind: 'slow', id: message.id, slow: slow(message.name, message.argument) })
      } else if (message.kind === 'done') waiting.get(message.id)?.resolve(message.value)
      else waiting.get(message.id)?.reject(message.isSlow ? new TooSlow(message.why) : new Error(message.why))
    })
    const ended = (why: string) => {
      cancel()
      reject(new Error(why))
      if (current === begun) forget(why)
    }
    begun.on('error', (error) => ended(reasonOf(error)))
    begun.on('exit', () => ended('its process ended'))
    current = begun
    tell(begun, { kind: 'open', data })
    const isLate = clock.after(startMs, () => reject(new Error('its process is still starting')))
    const isStuck = clock.after(START_GIVEN_UP, () => {
      ended('its process does not start')
      begun.kill('SIGKILL')
    })
    const cancel = () => {
      isLate()
      isStuck()
    }
    return promise
  }
  const end = () => {
    const ending = current
    forget('its process was ended')
    ending?.kill('SIGKILL')
  }
  return {
    end,
    /** Starts the process before it is needed; a failure shows at its first use. */
    warm(): void {
      child ??= start()
      child.catch(() => {})
    },
    async ask(asked: Asked, withinMs: Millis): Promise<unknown> {
      if (isClosed) throw new Error('the program is ending')
      child ??= start()
      const to = await child
      const id = ++lastId
      const answer = Promise.withResolvers<unknown>()
      waiting.set(id, answer)
      tell(to, { kind: 'ask', id, asked })
      const cancel = clock.after(withinMs, () => {
        answer.reject(new TooSlow('it took too long'))
        end()
      })
      try {
        return await answer.promise
      } finally {
        cancel()
        waiting.delete(id)
      }
    },
    /** Until it is gone: it has the collection open. */
    async close(): Promise<void> {
      isClosed = true
      const ending = current
      end()
      if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return
      await new Promise((resolve) => ending.once('exit', resolve).once('error', resolve))
    },
  }
}

/** A process that was killed meanwhile is no trouble: its pending requests fail when it ends. */
function tell(child: ChildProcess, message: ToReader): void {
  if (child.connected) child.send(message, () => {})
}

interface SlowFigure {
  shown: Slow<unknown>
  at: Instant
  tookMs: Millis
  isQueued: boolean
}

/** Computed in a process of their own, one at a time; the last value is shown meanwhile. */
export function slowFigures(reader: Pick<Reader, 'ask' | 'end' | 'close'>, clock: Clock) {
  const figures = new Map<string, SlowFigure>()
  let turn: Promise<unknown> = Promise.resolve()
  let cancelIdle = () => {}
  let isClosed = false

  const compute = async (name: string, argument: string): Promise<Slow<unknown>> => {
    try {
      const value = await reader.ask({ name, argument }, SLOW_STATEMENT)
      return { state: 'known', at: clock.now(), value }
    } catch (error) {
      return { state: 'failed', why: reasonOf(error) }
    }
  }
  const queue = (key: string, figure: SlowFigure, name: string, argument: string) => {
    figure.isQueued = true
    turn = turn.then(async () => {
      // Forgotten while it waited, because many others were requested since. So no more wait than are kept.
      if (figures.get(key) !== figure) return
      cancelIdle()
      const began = clock.elapsed()
      figure.shown = await compute(name, argument)
      figure.at = clock.now()
      figure.tookMs = clock.elapsed() - began
      figure.isQueued = false
      // A timer set after the end would hold up the program's own end by a minute.
      if (!isClosed) cancelIdle = clock.after(IDLE, () => reader.end())
    })
  }
  return {
    of(name: string, argument: string): Slow<unknown> {
      const key = JSON.stringify([name, argument])
      const figure = figures.get(key) ?? { shown: { state: 'computing' }, at: 0, tookMs: 0, isQueued: false }
      // The least recently requested one is forgotten first.
      figures.delete(key)
      figures.set(key, figure)
      if (figures.size > MAX_SLOW) figures.delete(figures.keys().next().value!)
      const age = clock.now() - figure.at
      if (!figure.isQueued && age >= Math.max(SLOW_FRESH, SLOW_SHARE * figure.tookMs))
        queue(key, figure, name, argument)
      return figure.shown
    },
    async close(): Promise<void> {
      isClosed = true
      cancelIdle()
      await reader.close()
    },
  }
}

/** The dashboard of a crawl on this machine, at an address of its own. */
export async function serveDashboard(parts: DashboardParts, listen: { host: string; port: number }) {
  const { settings, clock, journal } = parts
  const dashboard = openDashboard(parts)
  const tokens = { viewer: settings.viewerToken, operator: settings.operatorToken }
  const { pages } = dashboard
  const failed = (error: unknown) => journal.record({ kind: 'trouble', what: `a page failed: ${reasonOf(error)}` })
  const opening = openWebServer({ ...listen, pages, tokens, base: settings.basePath, clock, failed })
  const server = await opening.catch(async (error: unknown) => {
    await dashboard.close()
    throw error
  })
  return {
    url: server.url,
    async close() {
      await server.close()
      await dashboard.close()
    },
  }
}

/** `/metrics` of a crawl that is no server. */
export function crawlMetrics(
  { intake, parts: { database, clock } }: Coordinator,
  view: CrawlView,
  journal: Readers<Event>,
  watch: Pick<ProblemWatch, 'now' | 'local'>,
) {
  const metrics = new Metrics()
  journal.read((event) => metrics.count(event))
  return metricsPages(metrics, clock, () => {
    const { totals, counters, freshness } = view
    const { sites, urls } = totals
    const known = freshness === undefined ? null : publicFreshness(freshness)
    const crawl = { sites, urls, counters, looks: lookCounts(counters), freshness: known, inbox: intake.pending() }
    return {
      crawl: view.snapshot().outage === undefined ? crawl : undefined,
      problems: watch.now(),
      local: watch.local(),
      statements: database.statements?.() ?? {},
    }
  })
}
