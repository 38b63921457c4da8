/** A server over a house: listens, answers workers, tells the tables that it is there, and ends in good order. */
import { timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Bell } from '../base/bell.ts'
import type { Clock, Millis } from '../base/clock.ts'
import type { Disk } from '../base/disk.ts'
import { Problem } from '../base/errors.ts'
import type { Readers } from '../base/journal.ts'
import { freshBytes, freshId } from '../base/random.ts'
import type { Database } from '../database/database.ts'
import { queries } from '../database/queries.ts'
import type { Event } from '../visit/events.ts'
import type { ServerCalls } from '../wire/calls.ts'
import { ApiError } from '../wire/http/api-error.ts'
import { PROTOCOL } from '../wire/http/protocol.ts'
import { buildApi } from './api.ts'
import { CallLog } from './call-log.ts'
import { Callers } from './callers.ts'
import { checkInHandler } from './check-in.ts'
import type { Asked, Handlers } from './handlers.ts'
import { Holdings } from './holdings.ts'
import { Metrics } from './metrics.ts'
import { Rates } from './rates.ts'
import { type HouseFigures, statisticsOf } from './statistics.ts'
import { ticketsBy } from './tickets.ts'
import { uploadHandlers, volumePlaces } from './uploads.ts'
import { hashOf, sumWorkers, type WorkerNews, workerBook } from './worker-book.ts'
import { workerHandlers } from './worker-calls.ts'

export interface ServerParts {
  /** The same after each start: volumes that were sent here are found by it. */
  id: string
  calls: ServerCalls
  database: Database
  disk: Disk
  /** Where volumes of workers are put. */
  archiveFolder: string
  clock: Clock
  journal: Readers<Event>
  figures(): Promise<HouseFigures>
  /** Rung when a site may have become free (parts applied, sites seeded, another server's notice). */
  nudge: Bell
  program: string
  /** What a new worker must know; undefined: only workers of the same machine may join. */
  joinSecret: string | undefined
  keepCallsFor: Millis
  /** PEM texts; without them it speaks plain HTTP. */
  tls: { cert: string; key: string } | undefined
  limits?: Partial<ServerLimits>
}

export interface ServerLimits {
  /** Leases that one worker may have out. */
  leases: number
  /** Calls of one worker in a second, on average. */
  calls: number
}

export interface Server {
  /** How it is reached from this machine. */
  readonly url: string
  /** Answers what is under way, writes the record of calls, and takes itself out of the list of servers. */
  close(): Promise<void>
}

export interface ListenOptions {
  host: string
  /** 0: any that is free. */
  port: number
  /** What workers are told; undefined: made from host and port. */
  publicUrl: string | undefined
}

const LIMITS: ServerLimits = { leases: 20_000, calls: 200 }
/** Registration and what needs no secret: by the address, which may be a proxy's. */
const STRANGERS = { aSecond: 50, burst: 200 }
const TICK: Millis = 1000
const HOUSE_EVERY: Millis = 10_000
const FORGET_EVERY: Millis = 60_000
/** Servers that were not seen for longer are not named; workers not seen for longer are silent. */
const SEEN_WITHIN: Millis = 60_000
/** At the end, what is under way has this long. */
const DRAIN_WITHIN: Millis = 10_000

export async function openServer(parts: ServerParts, listen: ListenOptions): Promise<Server> {
  const { clock, journal, database, calls, nudge, program } = parts
  const limits = { ...LIMITS, ...parts.limits }
  const book = workerBook(database)
  const tickets = ticketsBy(await book.ticketKey(freshBytes(32)))
  const log = new CallLog(database, clock, parts.keepCallsFor)
  const holdings = new Holdings(clock)
  const metrics = new Metrics()
  const deaf = journal.read((event) => metrics.hear(event))
  let ending = false
  const isEnding = () => ending
  let seen = new Map<string, { at: number; news: WorkerNews | undefined }>()

  const servers = async () => {
    const rows = await book.houses(clock.now() - SEEN_WITHIN)
    return rows.map((row) => row.url)
  }
  const statistics = statisticsOf({
    clock,
    figures: parts.figures,
    workers: () => database.read((tx) => sumWorkers(tx, clock.now() - SEEN_WITHIN)),
    servers: async () => (await servers()).length,
  })
  const handlers: Handlers = {
    ...workerHandlers({ calls, tickets, holdings, clock, journal, nudge, isEnding, mostLeases: limits.leases }),
    ...uploadHandlers({
      disk: parts.disk,
      folder: parts.archiveFolder,
      places: volumePlaces(database, parts.id),
    }),
    checkIn: checkInHandler({ calls, tickets, holdings, journal }),
    version: async () => ({ program, protocol: PROTOCOL }),
    statistics,
    async register(asked, { name, region, version, join }) {
      checkJoin(parts.joinSecret, join, asked)
      const id = freshId()
      const secret = freshBytes(32)
      await book.register({ id, secret, name, region, version }, clock.now())
      return { worker: id, secret: Buffer.from(secret).toString('base64url') }
    },
    servers: async () => ({ servers: await servers() }),
    async alive({ worker }, news) {
      seen.set(worker, { at: clock.now(), news })
      return { servers: await servers() }
    },
  }
  const app = buildApi({
    handlers,
    callers: new Callers(book, clock),
    workerRates: new Rates(clock, { aSecond: limits.calls, burst: 2 * limits.calls }),
    strangerRates: new Rates(clock, STRANGERS),
    metrics,
    note(call) {
      log.note(call)
      seen.set(call.worker, { at: call.at, news: seen.get(call.worker)?.news })
    },
    clock,
    journal,
    isEnding,
    async reachable() {
      await database.read((tx) => queries(tx).get('SELECT 1 AS one'))
    },
    program,
    tls: parts.tls,
  })

  try {
    await app.listen({ host: listen.host, port: listen.port })
  } catch (error) {
    deaf()
    throw cannotListen(error, listen)
  }
  const url = urlOf(app.server.address() as AddressInfo, parts.tls !== undefined)
  const publicUrl = listen.publicUrl ?? url
  const startedAt = clock.now()
  const house = () => book.houseSeen({ id: parts.id, url: publicUrl, version: program, startedAt, seenAt: clock.now() })
  const writeSeen = async () => {
    const told = seen
    seen = new Map()
    await book.seen(told)
  }
  const over = new AbortController()
  const chores = [
    every(TICK, async () => {
      await writeSeen()
      const dropped = await log.flush()
      if (dropped > 0) journal.tell({ kind: 'trouble', what: `${dropped} calls are missing in the record of calls` })
    }),
    every(HOUSE_EVERY, house),
    every(FORGET_EVERY, async () => {
      while (!over.signal.aborted && (await log.forget()));
    }),
  ]
  await house().catch(async (error: unknown) => {
    over.abort()
    deaf()
    await app.close()
    throw error
  })

  /** What fails is told once, and tried again the next time. */
  async function every(ms: Millis, work: () => Promise<void>): Promise<void> {
    let troubled = false
    while (!over.signal.aborted) {
      await clock.sleep(ms, over.signal)
      if (over.signal.aborted) return
      try {
        await work()
        troubled = false
      } catch (error) {
        if (!troubled) journal.tell({ kind: 'trouble', what: `the server's own tables: ${error}` })
        troubled = true
      }
    }
  }

  return {
    url,
    async close() {
      ending = true
      nudge.ring()
      const cancel = clock.after(DRAIN_WITHIN, () => app.server.closeAllConnections())
      await app.close()
      cancel()
      over.abort()
      await Promise.all(chores)
      deaf()
      // The database may be what is gone: the server ends all the same.
      for (const work of [writeSeen, () => log.flush(), () => book.houseGone(parts.id)])
        await work().catch((error: unknown) => journal.tell({ kind: 'trouble', what: String(error) }))
    },
  }
}

/** Compared as hashes: neither the time nor a length tells anything of the secret. */
function checkJoin(secret: string | undefined, shown: string | undefined, { address, forwarded }: Asked): void {
  const hash = (text: string) => hashOf(new TextEncoder().encode(text))
  if (secret !== undefined) {
    if (timingSafeEqual(hash(secret), hash(shown ?? ''))) return
    throw new ApiError('forbidden', 'the join secret is missing or another', 'give --join-secret as the server has it')
  }
  if (!forwarded && /^(127\.|::1$|::ffff:127\.)/.test(address)) return
  throw new ApiError(
    'forbidden',
    'only workers on the machine of the server may join',
    'start the server with --join-secret, and the worker with the same',
  )
}

function urlOf({ address, family, port }: AddressInfo, isTls: boolean): string {
  const host = address === '0.0.0.0' || address === '::' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
  return `${isTls ? 'https' : 'http'}://${host}:${port}`
}

function cannotListen(error: unknown, { host, port }: ListenOptions): unknown {
  const { code } = error as NodeJS.ErrnoException
  const why: Record<string, string> = {
    EADDRINUSE: 'another program listens there',
    EACCES: 'this user may not listen there',
    EADDRNOTAVAIL: 'this machine has no such address',
  }
  if (code === undefined || why[code] === undefined) return error
  return new Problem('bad-flag', `cannot listen on ${host} port ${port}: ${why[code]} (see --host and --port)`)
}
