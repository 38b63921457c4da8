/**
 * Workers that reach the house through servers, over a network that is bad: servers are away for a while, requests and
 * answers get lost, come late or twice, and now and then nothing can be stored. Everything between worker and house is the
 * product's own but for the sockets.
 */
import { Bell } from '../base/bell.ts'
import type { Millis } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import { SITE_STATES, type SiteState } from '../frontier/site.ts'
import { callHandlers } from '../server/call-handlers.ts'
import { apiErrorOf } from '../server/errors.ts'
import type { Asked, Handlers } from '../server/handlers.ts'
import { workerBook } from '../server/worker-book.ts'
import { decodeReport } from '../visit/decode-report.ts'
import type { Frontier, ReportSink } from '../visit/ports.ts'
import { seal } from '../visit/sealed-part.ts'
import { CALLS, type CallDefinition, type CallName } from '../wire/http/calls.ts'
import { type HttpAnswer, type HttpClient, type HttpRequest, NoAnswer } from '../wire/http/http-client.ts'
import { TIME_HEADER } from '../wire/http/protocol.ts'
import { type RemoteServers, reachServers } from '../wire/http/remote-house.ts'
import type { Stage } from './crawl-run.ts'
import type { Alterations } from './virtual-house.ts'

export interface Badness {
  /** Shares of requests. */
  requestLost: number
  answerLost: number
  /** Sent once more while the first is still under way. */
  repeated: number
  notStored: number
  /** The longest way there, and back. */
  lateMs: Millis
  /** A server is away about so often, and for at most so long. */
  awayEvery: Millis
  awayFor: Millis
  servers: number
}

export interface BadNetwork {
  alter: Alterations
  /** What happened, so that a test can say that something did. */
  counts: Record<'asked' | 'lost' | 'repeated' | 'away' | 'notStored', number>
  /** Parts that are still with the workers. */
  close(): Promise<number>
}

const nobody = Object.fromEntries(SITE_STATES.map((state) => [state, 0])) as Record<SiteState, number>

export function badNetwork(stage: Stage, badness: Badness, random: Random): BadNetwork {
  const { clock, database, disk } = stage
  const journal = {
    tell: (event: Parameters<NonNullable<typeof stage.options.journal>>[0]) => stage.options.journal?.(event),
  }
  const counts = { asked: 0, lost: 0, repeated: 0, away: 0, notStored: 0 }
  const remotes = new Map<string, RemoteServers>()
  const names = Array.from({ length: badness.servers }, (_, i) => `http://server-${i + 1}`)
  const awayUntil = new Map<string, Millis>()
  let frontier: Frontier | undefined
  let sink: ReportSink | undefined

  const isAway = (server: string): boolean => {
    const now = clock.elapsed()
    if ((awayUntil.get(server) ?? 0) > now) return true
    // Looked at with every request, of which there are about four a second.
    if (random.next() > 250 / badness.awayEvery) return false
    awayUntil.set(server, now + random.next() * badness.awayFor)
    return true
  }
  const chance = (share: number) => random.next() < share

  /** All servers answer from one house. */
  const opened = (): Promise<Handlers> =>
    callHandlers(
      {
        id: 'simulated',
        calls: {
          checkOut: (worker, atMost) => frontier!.checkOut(worker, atMost),
          enter: (worker, visit, address) => frontier!.enter(worker, visit, address),
          renew: (worker, visits) => frontier!.renew(worker, visits),
          async checkInSealed(worker, parts) {
            await sink!.checkIn(
              worker,
              parts.map(({ body }) => decodeReport(body)),
            )
          },
          findTwin: async () => undefined,
          plan: () => Promise.reject(new Error('workers have their plan')),
          unreadable: async () => {},
          leave: async () => {},
          giveBack: async () => {},
        },
        database,
        disk,
        archiveFolder: '/uploads',
        clock,
        journal,
        figures: async () => ({
          totals: { sites: nobody, urls: { known: 0, marked: 0, waiting: 0 }, granted: 0 },
          counters: new Map(),
          inbox: 0,
        }),
        nudge: new Bell(),
        program: 'simulated',
        joinSecret: undefined,
      },
      { book: workerBook(database), isEnding: () => false, mostLeases: 10_000, heard() {} },
    )
  let handlers: Promise<Handlers> | undefined

  const clientOf = (worker: string): HttpClient => {
    const answer = async (
      request: HttpRequest,
      server: string,
    ): Promise<{ status: number; body: object; wait?: number }> => {
      const path = request.url.slice(server.length)
      const [name, call] = Object.entries<CallDefinition>(CALLS).find(([, { path: known }]) => known === path)!
      if (call.body === 'parts' && chance(badness.notStored)) {
        counts.notStored++
        return { status: 503, body: { code: 'database-unreachable', message: 'not now', hint: '' }, wait: 2 }
      }
      handlers ??= opened()
      const handler = (await handlers)[name as CallName] as (asked: Asked, body: unknown) => Promise<object>
      try {
        const body = typeof call.body === 'object' ? JSON.parse(Buffer.from(request.body!).toString()) : undefined
        return { status: 200, body: await handler(askedOf(worker, request), body) }
      } catch (error) {
        const { status, body } = apiErrorOf(error)
        if (status === 500) throw error
        return { status, body }
      }
    }
    const carry = async (request: HttpRequest): Promise<HttpAnswer> => {
      const server = names.find((name) => request.url.startsWith(`${name}/`))!
      const sentAt = clock.elapsed()
      counts.asked++
      const lose = async (): Promise<never> => {
        counts.lost++
        await clock.sleep(request.withinMs, request.signal)
        throw new NoAnswer(request.url, 'lost')
      }
      if (isAway(server)) {
        counts.away++
        throw new NoAnswer(request.url, 'nobody listens')
      }
      await clock.sleep(random.next() * badness.lateMs)
      if (chance(badness.requestLost)) return lose()
      if (chance(badness.repeated)) {
        counts.repeated++
        void clock.sleep(random.next() * badness.lateMs).then(() => answer(request, server))
      }
      const { status, body, wait } = await answer(request, server)
      if (chance(badness.answerLost)) return lose()
      const headers: Record<string, string> = { [TIME_HEADER]: String(clock.now()) }
      if (wait !== undefined) headers['retry-after'] = String(wait)
      await clock.sleep(random.next() * badness.lateMs)
      const bytes = new TextEncoder().encode(JSON.stringify(body))
      return { status, header: (name) => headers[name], body: bytes, sentAt, headAt: clock.elapsed() }
    }
    return { send: carry, close() {} }
  }
  const remoteOf = (worker: string): RemoteServers => {
    let remote = remotes.get(worker)
    if (remote === undefined) {
      remote = reachServers({
        servers: names,
        identity: { worker, secret: '' },
        life: 'life',
        clock,
        random,
        journal,
        disk,
        outboxFolder: `/outbox-${worker}`,
        outboxBytes: 2 ** 30,
        pollMs: 5000,
        client: clientOf(worker),
      })
      remotes.set(worker, remote)
    }
    return remote
  }

  return {
    counts,
    alter: {
      frontier(inner, worker) {
        frontier = inner
        return remoteOf(worker)
      },
      sink(inner, worker) {
        sink = inner
        return { checkIn: (who, reports) => remoteOf(worker).checkInSealed(who, reports.map(seal)) }
      },
    },
    async close() {
      const left = await Promise.all([...remotes.values()].map((remote) => remote.close(0)))
      return left.reduce((sum, parts) => sum + parts, 0)
    },
  }
}

function askedOf(worker: string, { body, headers }: HttpRequest): Asked {
  return {
    worker,
    address: '',
    forwarded: false,
    name: '',
    offset: 0,
    bytes: body ?? new Uint8Array(0),
    packing: String(headers['content-encoding'] ?? ''),
    gone: () => false,
    note: { items: 0, result: '' },
  }
}
