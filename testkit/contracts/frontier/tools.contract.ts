/** What the contract suites are written with: a clock moved by hand, and reports as a visit would send them. */
import type { Clock, Instant, Millis } from '../../../src/base/clock.ts'
import { seededRandom } from '../../../src/base/random.ts'
import type { Outcome } from '../../../src/contracts/outcome.ts'
import type { Link, PageReport, VisitEnd, VisitReport } from '../../../src/contracts/report.ts'
import { freshMemory } from '../../../src/contracts/site-memory.ts'
import type { Visit } from '../../../src/contracts/visit.ts'
import type { Database } from '../../../src/database/database.ts'
import type { FrontierOptions, OpenFrontier, PartResult, SeedUrl } from '../../../src/frontier/contract.ts'
import { openFrontier } from '../../../src/frontier/open-frontier.ts'
import { klwf } from '../../../src/frontier/order.ts'
import { parseUrl, usualUrls } from '../../../src/web/url/web-url.ts'

/** A new, empty database each time. */
export type MakeDatabase = () => Promise<Database>

export const START: Instant = 1_700_000_000_000
export const PAUSE: Millis = 2_000
export const ADDRESS_PAUSE: Millis = 500
export const LEASE: Millis = 60_000

export interface HandClock extends Clock {
  pass(ms: Millis): void
  /** The machine's time is set, or it slept: the monotonic clock does not notice. */
  jump(ms: Millis): void
}

export function handClock(): HandClock {
  let elapsed = 0
  let jumped = 0
  return {
    now: () => START + jumped + Math.floor(elapsed),
    elapsed: () => elapsed,
    sleep: () => Promise.reject(new Error('the frontier never sleeps')),
    after: () => () => {},
    pass: (ms) => {
      elapsed += ms
    },
    jump: (ms) => {
      jumped += ms
    },
  }
}

export interface Bench extends OpenFrontier {
  db: Database
  clock: HandClock
  options: FrontierOptions
  seed(...urls: string[]): Promise<void>
  admit(...links: Link[]): Promise<number>
  applyParts(...parts: VisitReport[]): Promise<PartResult[]>
  /** The names of the sites that a check-out gives. */
  names(worker?: string, atMost?: number): Promise<string[]>
  one(worker?: string): Promise<Visit>
  /** The same database after the process was killed and started again. */
  restart(changed?: Partial<FrontierOptions>, applyInbox?: (bench: Bench) => Promise<void>): Promise<Bench>
}

export async function openBench(make: MakeDatabase, changed: Partial<FrontierOptions> = {}): Promise<Bench> {
  const clock = handClock()
  const options: FrontierOptions = {
    clock,
    order: klwf,
    urls: usualUrls,
    slice: { pages: 10, time: 600_000 },
    leaseMs: LEASE,
    addressPauseMs: ADDRESS_PAUSE,
    defaultPause: () => PAUSE,
    ...changed,
  }
  const bench = benchOn(await make(), clock, options)
  await bench.recover(async () => {})
  return bench
}

function benchOn(db: Database, clock: HandClock, options: FrontierOptions): Bench {
  const opened = openFrontier(db, options)
  const { frontier, ledger } = opened
  const bench: Bench = {
    ...opened,
    db,
    clock,
    options,
    seed: async (...urls) => {
      await db.transact((tx) => ledger.seed(tx, urls.map(seedUrl)))
    },
    admit: async (...links) => (await db.transact((tx) => ledger.admit(tx, links))).fresh,
    applyParts: (...parts) => db.transact((tx) => ledger.applyParts(tx, parts)),
    names: async (worker = 'w1', atMost = 50) =>
      (await frontier.checkOut(worker, atMost)).visits.map((visit) => visit.site),
    async one(worker = 'w1') {
      const { visits } = await frontier.checkOut(worker, 1)
      if (visits.length !== 1) throw new Error('no site is free')
      return visits[0]
    },
    async restart(changedNow = {}, applyInbox = async () => {}) {
      const next = benchOn(db, clock, { ...options, ...changedNow })
      await next.recover(() => applyInbox(next))
      return next
    },
  }
  return bench
}

export function seedUrl(text: string): SeedUrl {
  const { href, key, site } = urlOf(text)
  return { url: href, key, site }
}

export function link(text: string, via = '', depth = 1): Link {
  const { href, key, site } = urlOf(text)
  return { url: href, key, site, depth, via, path: 'L' }
}

export function page(text: string, outcome: Outcome = KEPT, more: Partial<PageReport> = {}): PageReport {
  const { href, key } = urlOf(text)
  return {
    url: href,
    key,
    depth: 1,
    path: 'L',
    at: START,
    status: 200,
    mediaType: 'text/html',
    bytes: 100,
    tookMs: 10,
    tries: 1,
    outcome,
    title: '',
    links: new Uint8Array(0),
    annotations: [],
    ownRequest: false,
    ...more,
  }
}

export const KEPT: Outcome = { kind: 'kept', how: 'first' }

/** A part as a polite visit sends it: its last answer was just now. */
export function part(
  bench: Bench,
  visit: Visit,
  number: number,
  more: Partial<VisitReport> & { ended?: VisitEnd } = {},
): VisitReport {
  const now = bench.clock.now()
  return {
    visit: visit.id,
    fence: visit.fence,
    site: visit.site,
    part: number,
    pages: [],
    found: [],
    crossSite: [],
    findings: [],
    counts: new Map(),
    memory: freshMemory(),
    courtesy: { pause: visit.pause, lastAnswerAt: now, notBefore: now + visit.pause },
    ...more,
  }
}

/** Every page of the agenda kept, in one last part. */
export function whole(bench: Bench, visit: Visit, more: Partial<VisitReport> = {}): VisitReport {
  const pages = visit.agenda.map((item) => page(item.url, KEPT, { depth: item.depth }))
  return part(bench, visit, 1, { pages, ended: 'done', ...more })
}

export function anyRandom() {
  return seededRandom(7)
}

function urlOf(text: string) {
  const url = parseUrl(text.includes('://') ? text : `http://${text}`)
  if (url === undefined) throw new Error(`no URL: ${text}`)
  return url
}
