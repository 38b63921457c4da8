/** A server over a coordinator that is made up, and callers of it. */

import { samplePage, sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { realClock, Wakeup } from '../../base/clock.ts'
import { hash64 } from '../../base/digest.ts'
import type { Disk } from '../../base/disk.ts'
import { Readers } from '../../base/journal.ts'
import { seededRandom } from '../../base/random.ts'
import type { ServerCalls } from '../../contracts/calls.ts'
import type { Event } from '../../contracts/events.ts'
import type { VisitReport } from '../../contracts/report.ts'
import { type SealedPart, seal } from '../../contracts/sealed-part.ts'
import { freshMemory } from '../../contracts/site-memory.ts'
import type { Visit } from '../../contracts/visit.ts'
import type { Database } from '../../database/database.ts'
import { SITE_STATES } from '../../database/schema/frontier.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { openControl } from '../../frontier/control.ts'
import { Decisions } from '../../frontier/decisions.ts'
import { visitId } from '../../frontier/rules/visit.ts'
import { usualUrls } from '../../web/url/web-url.ts'
import type { Freshness } from '../maintenance/measure-freshness.ts'
import { httpClient } from '../wire/http-client.ts'
import { PROTOCOL, PROTOCOL_HEADER } from '../wire/protocol.ts'
import { type ReachOptions, RemoteServers } from '../wire/remote-coordinator.ts'
import { openServer, type Server, type ServerParts } from './open-server.ts'

const siteOf = (n: number) => `s${n}.test`

export function aVisit(n: number, more: Partial<Visit> = {}): Visit {
  return {
    id: visitId(hash64(siteOf(n)), 1),
    fence: 1,
    site: siteOf(n),
    agenda: [{ url: `http://${siteOf(n)}/`, key: 7n, depth: 0, dueAt: 5, tries: 0, path: '' }],
    known: BigUint64Array.of(7n),
    memory: freshMemory(),
    wait: 0,
    pause: 2000,
    limits: { pages: 10, time: 60_000 },
    lease: 180_000,
    ...more,
  }
}

/** Of visit `n`. */
export function aReport(n: number, part: number, more: Partial<VisitReport> = {}): VisitReport {
  const { id: visit, site } = aVisit(n)
  return sampleReport(site, part, [samplePage(`http://${site}/${part}`)], { visit, fence: 1, ...more })
}

export const aPart = (n: number, part: number, more: Partial<VisitReport> = {}): SealedPart =>
  seal(aReport(n, part, more))

export interface MadeUp {
  calls: ServerCalls
  /** What can be checked out; emptied by that. */
  free: Visit[]
  stored: SealedPart[]
  /** Calls as they came, in words. */
  recorded: string[]
  /** Resolves when so many were recorded. */
  received(count: number): Promise<void>
}

export function madeUpCoordinator(): MadeUp {
  const free: Visit[] = []
  const stored: SealedPart[] = []
  const recorded: string[] = []
  const news = new Wakeup()
  const record = (words: string) => {
    recorded.push(words)
    news.wake()
  }
  return {
    async received(count) {
      while (recorded.length < count) await realClock.sleep(10_000, news.signal())
    },
    free,
    stored,
    recorded,
    calls: {
      async checkOut(worker, atMost) {
        record(`checkOut ${worker}`)
        return { visits: free.splice(0, atMost), next: 60_000 }
      },
      async enter(worker, visit, address) {
        record(`enter ${worker} ${visit} ${address}`)
        return address === '192.0.2.1' ? 'here' : 'elsewhere'
      },
      async renew(worker, visits) {
        record(`renew ${worker} ${visits.length}`)
        return { lease: 90_000, lost: visits.filter((visit) => visit.startsWith('ff')) }
      },
      async accept(_worker, parts) {
        stored.push(...parts)
      },
      findCopy: async (digest) => (digest === 'sha1:KNOWN' ? { url: 'http://a.test/twin', at: 12 } : undefined),
      plan: async () => ({
        version: '1',
        settings: 'pause: 2s\n',
        seeds: ['a.test'],
        alternates: [],
        files: { x: 'y' },
      }),
      async unreadable(worker, reading) {
        record(`unreadable ${worker} ${reading.item.url}`)
      },
      async leave(worker) {
        record(`leave ${worker}`)
        return []
      },
      async giveBack(visits) {
        record(`giveBack ${visits.join(' ')}`)
      },
      async takeBack(worker, has) {
        record(`takeBack ${worker} ${has.join(' ')}`)
        return []
      },
    },
  }
}

const FRESHNESS: Freshness = {
  ...{ at: 0, pages: 2, measured: 2, sites: 1, freshness: 0.9, ageSeconds: 60, bound: 0.95, stalenessRatio: 2 },
  ...{ boundLooks: 0.5, capacity: null, price: 0, meanValue: 1, gain: { oneMoreLook: 0, shorterPause: 0.01 } },
}

export interface TestServer extends AsyncDisposable {
  server: Server
  coordinator: MadeUp
  database: Database
  disk: Disk
  nudge: Wakeup
  events: Event[]
  /** A new worker: id and secret. */
  join(): Promise<{ worker: string; secret: string }>
  send(
    path: string,
    options?: SendOptions,
  ): Promise<{ status: number; body: unknown; header(name: string): string | undefined }>
}

export interface SendOptions {
  method?: string
  /** JSON, or bytes as they are. */
  body?: unknown
  as?: { worker: string; secret: string }
  headers?: Record<string, string>
}

export async function testServer(more: Partial<ServerParts> = {}, port = 0): Promise<TestServer> {
  const coordinator = madeUpCoordinator()
  const database = more.database ?? openSqlite(':memory:')
  const disk = more.disk ?? memoryDisk()
  const nudge = new Wakeup()
  const journal = new Readers<Event>()
  const events: Event[] = []
  journal.read((event) => events.push(event))
  const sites = Object.fromEntries(SITE_STATES.map((state) => [state, 1])) as Record<
    (typeof SITE_STATES)[number],
    number
  >
  const decisions = new Decisions(database)
  const control = openControl({
    ...{ database, decisions, clock: realClock, urls: usualUrls, rules: ['site-urls'] },
    ledger: {
      stopSite: async () => {},
      askAgain: async () => false,
      seed: async () => ({ fresh: 1, sites: 1 }),
      admit: async () => ({ fresh: 0, sites: 0 }),
      alias: async () => 'taken',
      unalias: async () => true,
    },
    findingState: async () => 'in-force',
    checkBlacklist() {},
    freeWorker: async () => 0,
    settled: async () => {},
  })
  const server = await openServer(
    {
      id: 'server-1',
      calls: coordinator.calls,
      database,
      disk,
      archiveFolder: '/archive',
      clock: realClock,
      journal,
      figures: async () => ({
        totals: { sites, urls: { known: 3, marked: 2, waiting: 1, refreshing: 0 }, granted: 0 },
        counters: new Map([
          ['documents', 2],
          ['status:200', 2],
          ['looks:same', 5],
          ['hints:new', 3],
        ]),
        inbox: 0,
        freshness: FRESHNESS,
      }),
      ...{ nudge, control, decisions },
      program: 'orbweaver/test',
      joinSecret: undefined,
      keepCallsFor: 3_600_000,
      tls: undefined,
      settings: '{}',
      ...more,
    },
    { host: '127.0.0.1', port, publicUrl: undefined, machine: 'barn' },
  )
  const client = httpClient(realClock)
  const send: TestServer['send'] = async (path, { method, body, as, headers } = {}) => {
    const isBytes = body instanceof Uint8Array
    const answer = await client.send({
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      url: server.url + path,
      headers: {
        [PROTOCOL_HEADER]: String(PROTOCOL),
        ...(as === undefined ? {} : { authorization: `Bearer ${as.worker}.${as.secret}` }),
        ...(body === undefined ? {} : { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : isBytes ? body : Buffer.from(JSON.stringify(body)),
      withinMs: 30_000,
    })
    const text = Buffer.from(answer.body).toString()
    const isJson = answer.header('content-type')?.startsWith('application/json')
    return { status: answer.status, body: isJson ? JSON.parse(text) : text, header: answer.header }
  }
  return {
    server,
    coordinator,
    database,
    disk,
    nudge,
    events,
    send,
    async join() {
      const { body } = await send('/api/v1/workers', { body: { name: 'w', version: '1' } })
      return body as { worker: string; secret: string }
    },
    async [Symbol.asyncDispose]() {
      client.close()
      await server.close()
      if (more.database === undefined) await database.close()
    },
  }
}

export function reach(
  servers: string[],
  identity: { worker: string; secret: string },
  more: Partial<ReachOptions> = {},
) {
  const journal = new Readers<Event>()
  const events: Event[] = []
  journal.read((event) => events.push(event))
  const coordinator = new RemoteServers({
    servers,
    identity,
    life: 'life1',
    clock: realClock,
    random: seededRandom(1),
    journal,
    disk: memoryDisk(),
    outboxFolder: '/outbox',
    outboxBytes: 10_000_000,
    pollMs: 0,
    client: httpClient(realClock),
    ...more,
  })
  return Object.assign(coordinator, { events })
}
