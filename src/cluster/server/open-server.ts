/** A server over a coordinator: listens, answers workers, tells the tables that it is there, and ends in good order. */
import type { Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Clock, Instant, Millis } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import type { Journal, Readers } from '../../base/journal.ts'
import type { Event } from '../../contracts/events.ts'
import { queries } from '../../database/queries.ts'
import { buildApi } from './api.ts'
import { callHandlers, type HandlerParts, SEEN_WITHIN } from './call-handlers.ts'
import { CallLog } from './call-log.ts'
import { Callers, Rates } from './callers.ts'
import { differingSettings } from './differing-settings.ts'
import { Metrics } from './metrics.ts'
import { renewTls, type TlsFiles } from './renew-tls.ts'
import type { Roster } from './roster.ts'
import { type WorkerBook, type WorkerNews, workerBook } from './worker-table.ts'

export interface ServerParts extends HandlerParts {
  journal: Readers<Event>
  keepCallsFor: Millis
  /** What the crawl goes by here, as others can compare it (`differing-settings.ts`). */
  settings: string
  /** Told who is at work. */
  roster?: Roster
  /** Without them it speaks plain HTTP. */
  tls: TlsFiles | undefined
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
  /** What workers are told. */
  readonly publicUrl: string
  /** Answers what is under way, writes the record of calls, and takes itself out of the list of servers. */
  close(): Promise<void>
}

export interface ListenOptions {
  host: string
  /** 0: any that is free. */
  port: number
  /** What workers are told; undefined: made from host and port. */
  publicUrl: string | undefined
  /** The name of this machine: told when the server listens on all addresses, for `localhost` is each worker's own. */
  machine: string
}

const LIMITS: ServerLimits = { leases: 20_000, calls: 1000 }
/** Registration and what needs no secret: by the address, which may be a proxy's. */
const STRANGERS = { aSecond: 50, burst: 200 }
const TICK: Millis = 1000
const SERVER_EVERY: Millis = 10_000
const ROSTER_EVERY: Millis = 2000
/** Workers tell every ten seconds that they are alive; one that is silent for longer has nothing kept for it. */
const PRESENT_WITHIN: Millis = 25_000
const FORGET_EVERY: Millis = 60_000
/** A certificate that was renewed is shown after this. */
const TLS_EVERY: Millis = 10_000
/** At the end, what is under way has this long. */
const DRAIN_WITHIN: Millis = 10_000

export async function openServer(parts: ServerParts, listen: ListenOptions): Promise<Server> {
  const { clock, journal, database, nudge, program } = parts
  const limits = { ...LIMITS, ...parts.limits }
  const book = workerBook(database)
  const log = new CallLog(database, clock, parts.keepCallsFor)
  const metrics = new Metrics()
  let ending = false
  const isEnding = () => ending
  let seen = new Map<string, { at: Instant; news: WorkerNews | undefined }>()
  const handlers = await callHandlers(parts, {
    book,
    isEnding,
    maxLeases: limits.leases,
    heard: (worker, news) => seen.set(worker, { at: clock.now(), news }),
  })
  const shown = parts.tls?.read()
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
    tls: shown,
  })

  try {
    await app.listen({ host: listen.host, port: listen.port })
  } catch (error) {
    throw cannotListen(error, listen)
  }
  const address = app.server.address() as AddressInfo
  const url = urlOf(address, 'localhost', shown !== undefined)
  const publicUrl = listen.publicUrl ?? urlOf(address, listen.machine, shown !== undefined)
  const announce = announcer(parts, book, publicUrl)
  const writeSeen = async () => {
    const told = seen
    seen = new Map()
    await book.seen(told)
  }
  const readRoster = async () => parts.roster?.hear(await book.present(clock.now() - PRESENT_WITHIN))
  const over = new AbortController()
  const every = choresUntil(over.signal, clock, journal)
  const deaf = journal.read((event) => metrics.hear(event))
  const chores = [
    every(TICK, async () => {
      await writeSeen()
      const dropped = await log.flush()
      if (dropped > 0) journal.record({ kind: 'trouble', what: `${dropped} calls are missing in the record of calls` })
    }),
    every(SERVER_EVERY, announce),
    every(ROSTER_EVERY, readRoster),
    ...(parts.tls && shown ? [every(TLS_EVERY, renewTls(parts.tls, shown, app.server as TlsServer, journal))] : []),
    every(FORGET_EVERY, async () => {
      while (!over.signal.aborted && (await log.forget()));
    }),
  ]
  await announce().catch(async (error: unknown) => {
    over.abort()
    deaf()
    await app.close()
    throw error
  })

  return {
    url,
    publicUrl,
    async close() {
      ending = true
      nudge.wake()
      const cancel = clock.after(DRAIN_WITHIN, () => app.server.closeAllConnections())
      await app.close()
      cancel()
      over.abort()
      await Promise.all(chores)
      deaf()
      // The database may be what is gone: the server ends all the same, after one patience and not after three.
      await Promise.all(
        [writeSeen(), log.flush(), book.serverGone(parts.id)].map((work) =>
          work.catch((error: unknown) => journal.record({ kind: 'trouble', what: String(error) })),
        ),
      )
    },
  }
}

/** Says that this server is there, and warns when others over the same database have other settings. */
function announcer(parts: ServerParts, book: WorkerBook, url: string): () => Promise<void> {
  const { id, settings, program: version, clock, journal } = parts
  const startedAt = clock.now()
  let differed = ''
  return async () => {
    await book.serverSeen({ id, url, version, startedAt, seenAt: clock.now(), settings })
    const others = await book.servers(clock.now() - SEEN_WITHIN)
    const differ = differingSettings(others.map((one) => one.settings)).join(', ')
    if (differ !== differed && differ !== '') journal.record({ kind: 'trouble', what: differing(differ) })
    differed = differ
  }
}

/** What fails is told once, and tried again the next time. */
function choresUntil(over: AbortSignal, clock: Clock, journal: Journal<Event>) {
  return async (ms: Millis, work: () => Promise<void>): Promise<void> => {
    let troubled = false
    while (!over.aborted) {
      await clock.sleep(ms, over)
      if (over.aborted) return
      try {
        await work()
        troubled = false
      } catch (error) {
        if (!troubled) journal.record({ kind: 'trouble', what: `the server's own tables: ${error}` })
        troubled = true
      }
    }
  }
}

const differing = (keys: string): string =>
  `the servers of this crawl differ in ${keys}: what is asked, and how, depends on which of them a worker meets`

/** `machine`: the name to use when the server listens on all addresses. */
export function urlOf({ address, family, port }: AddressInfo, machine: string, isTls: boolean): string {
  const host = address === '0.0.0.0' || address === '::' ? machine : family === 'IPv6' ? `[${address}]` : address
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
