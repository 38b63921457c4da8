/** Visits in virtual time to servers whose every answer a test has written; all that was asked and told is kept. */

import { type VirtualClock, virtualClock } from '../../testkit/virtual-clock.ts'
import { sha1 } from '../base/digest.ts'
import type { Event } from '../contracts/events.ts'
import type { Answer, Exchange, FetchRequest, FetchSession, Headers } from '../contracts/exchange.ts'
import type { FailureKind } from '../contracts/outcome.ts'
import type { StoredCopy } from '../contracts/ports.ts'
import type { PageReport, VisitEnd, VisitReport } from '../contracts/report.ts'
import { freshMemory, laterNews, type SiteMemory } from '../contracts/site-memory.ts'
import type { AgendaItem, Visit } from '../contracts/visit.ts'
import { readInTurns } from '../page/reading.ts'
import { parseUrl, usualUrls } from '../web/url/web-url.ts'
import { AddressCourtesy } from './address-courtesy.ts'
import { SiteCourtesy } from './courtesy.ts'
import { crawlSite } from './crawl.ts'
import { ForeignRobots } from './foreign-robots.ts'
import { UNLIMITED } from './hazards/limits.ts'
import { Reporter } from './reporter.ts'
import { emptyBlacklist } from './scope/blacklist.ts'
import { makeScope } from './scope/scope.ts'
import type { SiteTools } from './tools.ts'
import { VisitTimes } from './visit-times.ts'
import { WildcardDns } from './wildcard-dns.ts'

export interface ScriptedAnswer {
  status?: number
  headers?: Headers
  body?: string | Uint8Array
  cut?: 'length' | 'time' | 'disconnect'
  failed?: FailureKind
  detail?: string
  certificate?: Exchange['certificate']
  /** From the first byte of the request to the end of the answer. */
  tookMs?: number
}

/** An answer to a request with these conditions. */
export type Responder = (conditions: Headers) => ScriptedAnswer

/** By URL; a list is one answer after the other, the last one for ever. Others are missing (404). */
export type Script = Record<string, ScriptedAnswer | readonly ScriptedAnswer[] | Responder>

export interface Asked {
  url: string
  at: number
  endedAt: number
  address: string
  cookie: string | undefined
  /** The headers of a conditional request. */
  conditions: Headers
}

export interface VisitOptions {
  agenda: readonly (string | Partial<AgendaItem>)[]
  visit?: Partial<Visit>
  /** Time left on the lease when the visit begins. */
  leaseMs?: number
  signal?: AbortSignal
  /** Of another worker. */
  tools?: Partial<SiteTools>
}

export interface Visited {
  why: VisitEnd
  /** Each with the site's memory as the coordinator has it with this part. */
  parts: (VisitReport & { memory: SiteMemory })[]
  /** Of all parts; robots.txt apart. */
  pages: PageReport[]
  counts: Map<string, number>
}

export const PAUSE = 2000
export const ADDRESS_PAUSE = 500
export const EXCHANGE_MS = 60_000
const START = Date.UTC(2026, 0, 1)
const NO_SUCH_NAME = { kind: 'failed', failure: { kind: 'no-such-name', detail: 'NXDOMAIN' } } as const
const HTML: Headers = [['Content-Type', 'text/html; charset=utf-8']]

export class Scripted {
  readonly clock: VirtualClock = virtualClock(START)
  readonly asked: Asked[] = []
  readonly events: Event[] = []
  readonly kept: { url: string; digest: string; copy: StoredCopy | undefined }[] = []
  /** When something was made durable because the visit wanted it so. */
  readonly durableAt: number[] = []
  /** How long it takes to connect, by host. */
  readonly connectMs = new Map<string, number>()
  readonly addresses = new Map<string, string>()
  /** Addresses where nobody answers, and when they were tried. */
  readonly dead = new Set<string>()
  readonly deadTried: { address: string; at: number }[] = []
  readonly tools: SiteTools
  readonly #script: Script
  readonly #times = new Map<string, number>()
  /** Of visits under way, by worker and site. */
  readonly #courtesies = new Map<string, SiteCourtesy>()

  constructor(script: Script, tools: Partial<SiteTools> = {}) {
    this.#script = script
    const { clock } = this
    this.tools = {
      worker: 'w1',
      clock,
      journal: { record: (event) => this.events.push(event) },
      openSession: () => this.#session(),
      resolve: async (host) => ({ kind: 'addresses', list: [{ ip: this.addresses.get(host) ?? '192.0.2.1' }] }),
      enter: async () => 'here',
      archive: {
        keep: ({ url }, digest, copy) => {
          this.kept.push({ url, digest, copy })
          return {
            volume: 'v',
            offset: this.kept.length,
            length: 1,
            digest,
            kind: copy === undefined ? 'response' : 'revisit',
          }
        },
        checks: () => ({ checked: 0, wrong: 0 }),
        synced: async () => {},
        close: async () => {},
      },
      findCopy: async () => undefined,
      scope: () => this.scope,
      refusesAddress: () => undefined,
      isRefused: () => false,
      isStopped: () => false,
      // Tests of visits write pages that are all alike; those of hazards say otherwise.
      trusts: () => true,
      confirms: () => false,
      regionRules: () => undefined,
      sitemaps: 'robots',
      hazards: { urlsPerSite: UNLIMITED, duplicatesPerSite: UNLIMITED, depth: UNLIMITED },
      pauses: {
        configured: () => ({ pause: PAUSE, own: false }),
        factor: 2,
        maxByFactor: 30_000,
        maxCrawlDelay: 300_000,
        maxRetryAfter: 3_600_000,
      },
      courtesyOf: (...args) => new SiteCourtesy(...args),
      addresses: new AddressCourtesy(clock, ADDRESS_PAUSE, 8),
      domains: new WildcardDns(clock, async (host) =>
        this.addresses.has(host) ? this.tools.resolve(host, new AbortController().signal) : NO_SUCH_NAME,
      ),
      foreign: new ForeignRobots(clock),
      read: readInTurns,
      watch: { begin() {}, end() {} },
      token: 'Orbweaver',
      headers: [['User-Agent', 'Orbweaver/0']],
      exchangeMs: EXCHANGE_MS,
      patience: 1,
      failed: () => false,
      urls: usualUrls,
      visiting: () => undefined,
      durable: async () => {
        this.durableAt.push(clock.elapsed())
      },
      ...tools,
    }
  }

  readonly scope = makeScope({
    mode: { tld: 'test' },
    seeds: [],
    include: [],
    exclude: [/excluded/],
    queries: true,
    mediaTypes: ['text/html', 'text/plain'],
    maxDepth: 50,
    maxUrlLength: 500,
    blacklist: emptyBlacklist,
    links: 'combined',
    sizes: [{ type: '*/*', bytes: 10_000 }],
  })

  /** What was asked but robots.txt, without the scheme. */
  get pagesAsked(): string[] {
    return this.asked.map(({ url }) => url.replace(/^https?:\/\//, '')).filter((url) => !url.endsWith('/robots.txt'))
  }

  visit(options: VisitOptions): Promise<Visited> {
    return this.clock.run(this.visitNow(options))
  }

  /** Without running the clock: for several visits at once. */
  async visitNow({ agenda, visit, leaseMs = 1e9, signal = NEVER, tools: own }: VisitOptions): Promise<Visited> {
    const { clock } = this
    const tools = { ...this.tools, ...own }
    if (own !== undefined) tools.visiting = (site) => this.#courtesies.get(`${tools.worker} ${site}`)
    const items = agenda.map((item) => itemOf(typeof item === 'string' ? { url: item } : item))
    const whole: Visit = {
      id: 'v.1',
      fence: 1,
      site: parseUrl(items[0].url)?.site ?? '',
      agenda: items,
      known: new BigUint64Array(0),
      memory: freshMemory(),
      wait: 0,
      pause: PAUSE,
      limits: { pages: 1000, time: 1e9 },
      lease: leaseMs,
      ...visit,
    }
    const courtesy = new SiteCourtesy(whole.site, whole.wait, tools.pauses, clock)
    const reporter = new Reporter(whole, () => courtesy.report(), new VisitTimes(clock, new Map()))
    const parts: Visited['parts'] = []
    let { memory } = whole
    const take = () => {
      const part = reporter.take()
      if (part === undefined) return
      memory = laterNews(memory, part.memory) as SiteMemory
      parts.push({ ...part, memory })
    }
    const endsAt = clock.elapsed() + leaseMs
    const durable: SiteTools['durable'] = async (asker) => {
      await tools.durable(asker)
      take()
    }
    const lease = { left: () => endsAt - clock.elapsed() }
    const name = `${tools.worker} ${whole.site}`
    this.#courtesies.set(name, courtesy)
    const why = await crawlSite(reporter, courtesy, lease, { ...tools, durable }, signal)
    this.#courtesies.delete(name)
    reporter.end(why)
    take()
    return {
      why,
      parts,
      pages: parts.flatMap(({ pages }) => pages).filter(({ ownRequest }) => !ownRequest),
      counts: sums(parts),
    }
  }

  #session(): FetchSession {
    const open = new Set<string>()
    return {
      close: () => open.clear(),
      fetch: async (request) => {
        const { clock } = this
        const { host } = new URL(request.url)
        const connectMs = open.has(host) ? undefined : (this.connectMs.get(host) ?? 0)
        if (connectMs !== undefined) await clock.sleep(connectMs)
        if (this.dead.has(request.address.ip)) {
          this.deadTried.push({ address: request.address.ip, at: clock.elapsed() })
          const failure = { kind: 'connect', detail: 'ECONNREFUSED' } as const
          return { ...exchangeOf(request, clock, clock.elapsed(), { kind: 'failed', failure }), request: NOTHING }
        }
        open.add(host)
        const connected = connectMs === undefined ? {} : { connectMs }
        if (!request.may())
          return { ...exchangeOf(request, clock, clock.elapsed(), { kind: 'withheld' }), ...connected }
        const began = clock.elapsed()
        const conditions = request.headers.filter(([name]) => name.startsWith('If-'))
        const said = this.#next(request.url, conditions)
        const cookie = request.headers.find(([name]) => name === 'Cookie')?.[1]
        const asked: Asked = {
          url: request.url,
          at: began,
          endedAt: began,
          address: request.address.ip,
          cookie,
          conditions,
        }
        this.asked.push(asked)
        await clock.sleep(said.tookMs ?? 10)
        asked.endedAt = clock.elapsed()
        const { certificate } = said
        const shown = certificate === undefined ? {} : { certificate }
        return { ...exchangeOf(request, clock, began, answerOf(said, request)), ...connected, ...shown }
      },
    }
  }

  #next(url: string, conditions: Headers): ScriptedAnswer {
    const times = this.#times.get(url) ?? 0
    this.#times.set(url, times + 1)
    const said = this.#script[url] ?? { status: 404, body: 'no such page' }
    if (typeof said === 'function') return said(conditions)
    return 'length' in said ? said[Math.min(times, said.length - 1)] : said
  }
}

const NEVER = new AbortController().signal
const NOTHING = new Uint8Array(0)

export function itemOf(item: Partial<AgendaItem>): AgendaItem {
  const url = parseUrl(item.url ?? '')
  return { url: '', key: url?.key ?? 1n, depth: 0, dueAt: 0, tries: 0, path: '', ...item }
}

function answerOf(said: ScriptedAnswer, request: FetchRequest): Answer {
  if (said.failed !== undefined) return { kind: 'failed', failure: { kind: said.failed, detail: said.detail ?? '' } }
  const { status = 200, headers = HTML } = said
  const head = { version: 'HTTP/1.1', status, reason: '', headers }
  const wireHead = Buffer.from(`HTTP/1.1 ${status}\r\n\r\n`)
  const want = request.wants(status, headers)
  if (!want.download) return { kind: 'declined', head, wireHead, want }
  const body = typeof said.body === 'string' ? Buffer.from(said.body) : (said.body ?? new Uint8Array(0))
  const payload = body.subarray(0, want.limitBytes)
  const whole = { head, wireHead, payload }
  if (payload.length < body.length) return { ...whole, kind: 'cut', why: 'length' }
  return said.cut === undefined ? { ...whole, kind: 'full' } : { ...whole, kind: 'cut', why: said.cut }
}

function exchangeOf(request: FetchRequest, clock: VirtualClock, began: number, answer: Answer): Exchange {
  const tookMs = clock.elapsed() - began
  return {
    url: request.url,
    address: request.address,
    sentAt: clock.now() - Math.round(tookMs),
    answeredAt: clock.now(),
    tookMs,
    request: Buffer.from(`GET ${request.url}`),
    answer,
  }
}

function sums(parts: readonly VisitReport[]): Map<string, number> {
  const all = new Map<string, number>()
  for (const { counts } of parts) for (const [name, value] of counts) all.set(name, (all.get(name) ?? 0) + value)
  return all
}

export const digestOf = (body: string) => sha1(Buffer.from(body))
