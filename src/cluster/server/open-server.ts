/** Runs a server over a coordinator: listens, answers workers, registers itself in the tables, and shuts down cleanly. */
import type { Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createSecureContext } from 'node:tls'
import { type Clock, every, type Instant, type Millis } from '../../base/clock.ts'
import { watchComputer } from '../../base/computer.ts'
import { reasonOf } from '../../base/errors.ts'
import { type Journal, type Readers, tellingOnce } from '../../base/journal.ts'
import type { Event } from '../../contracts/events.ts'
import { queries } from '../../database/queries.ts'
import { SILENT_AFTER } from '../maintenance/problems.ts'
import type { WorkerNews } from '../wire/calls.ts'
import { ApiError } from '../wire/protocol.ts'
import { type ApiTools, buildApi } from './api.ts'
import { callHandlers } from './call-handlers.ts'
import { callLog } from './call-log.ts'
import { knownCallers, ratesBy } from './callers.ts'
import { anonymousRequest, checkJoin, type HandlerParts, type Handlers } from './handlers.ts'
import { type MetricFacts, Metrics, metricsPages, NOT_WATCHED } from './metrics.ts'
import { rolesBy, type Tokens } from './roles.ts'
import { isOwnPage, type Pages, webDoor } from './web-door.ts'
import { cannotListen, urlOf } from './web-server.ts'
import { differingSettings, type Roster, type WorkerTable, workerTable } from './worker-table.ts'

export interface ServerParts extends HandlerParts {
  journal: Readers<Event>
  keepCallsFor: Millis
  /** Settings of the crawl here, for comparison (`differingSettings`). */
  settings: string
  /** Updated with the workers present. */
  roster?: Roster
  /** Undefined: plain HTTP. */
  tls: TlsFiles | undefined
  /** For `/metrics`: what this process knows of itself. */
  metricFacts?(): Pick<MetricFacts, 'problems' | 'local'> | undefined
  /** The dashboard's pages; undefined: there are none. */
  pages?: Pages
  tokens?: Tokens
  basePath?: string
  limits?: Partial<typeof LIMITS>
}

export interface ListenOptions {
  host: string
  /** 0: any free port. */
  port: number
  /** The URL for workers; undefined: made from host and port. */
  publicUrl: string | undefined
  /** This machine's name, used when the server listens on all addresses: `localhost` would be each worker's own machine. */
  machine: string
}

/** Leases per worker, and calls per second and worker, on average. */
const LIMITS = { leases: 20_000, calls: 1000 }
/** For calls without a secret: per address, which may be a proxy's. */
const ANONYMOUS = { aSecond: 50, burst: 200 }
const TICK: Millis = 1000
const SERVER_EVERY: Millis = 10_000
const ROSTER_EVERY: Millis = 2000
/** Workers report every ten seconds; one silent for longer gets no sites reserved. */
const PRESENT_WITHIN: Millis = 25_000
const FORGET_EVERY: Millis = 60_000
/** A renewed certificate is used after this time. */
const TLS_EVERY: Millis = 10_000
/** Time for running calls at shutdown. */
const DRAIN_WITHIN: Millis = 10_000

export type Server = Awaited<ReturnType<typeof openServer>>

export async function openServer(parts: ServerParts, listen: ListenOptions) {
  const { clock, journal, database, nudge, program } = parts
  const limits = { ...LIMITS, ...parts.limits }
  const workerRows = workerTable(database)
  const log = callLog(database, clock, parts.keepCallsFor)
  const metrics = new Metrics()
  let ending = false
  const isEnding = () => ending
  let seen = new Map<string, { at: Instant; news: WorkerNews | undefined }>()
  const handlers = await callHandlers({
    ...parts,
    workerRows,
    isEnding,
    maxLeases: limits.leases,
    onNews: (worker, news) => seen.set(worker, { at: clock.now(), news }),
  })
  const shown = parts.tls?.read()
  const app = buildApi({
    handlers,
    callers: knownCallers(workerRows, clock),
    workerRates: ratesBy(clock, { aSecond: limits.calls, burst: 2 * limits.calls }),
    anonymousRates: ratesBy(clock, ANONYMOUS),
    metrics,
    metricsPage: metricsPages(metrics, clock, () => metricFactsOf(parts, handlers)),
    note(call) {
      log.note(call)
      seen.set(call.worker, { at: call.at, news: seen.get(call.worker)?.news })
    },
    clock,
    journal,
    isEnding,
    reachable: () => database.read((tx) => queries(tx).get('SELECT 1 AS one')),
    program,
    ...accessOf(parts, listen, shown !== undefined),
    base: parts.basePath ?? '',
    tls: shown,
  })

  try {
    await app.listen({ host: listen.host, port: listen.port })
  } catch (error) {
    throw cannotListen(error, listen, '--host and --port')
  }
  const address = app.server.address() as AddressInfo
  const url = urlOf(address, 'localhost', shown !== undefined)
  const publicUrl = listen.publicUrl ?? urlOf(address, listen.machine, shown !== undefined)
  const announce = announcer(parts, workerRows, publicUrl)
  const writeSeen = async () => {
    const batch = seen
    seen = new Map()
    await workerRows.seen(batch)
  }
  const readRoster = async () => parts.roster?.update(await workerRows.present(clock.now() - PRESENT_WITHIN))
  const over = new AbortController()
  const chore = choresUntil(over.signal, clock, journal)
  const stopCounting = journal.read((event) => metrics.count(event))
  const chores = [
    chore(TICK, async () => {
      await writeSeen()
      const dropped = await log.flush()
      if (dropped > 0) journal.record({ kind: 'trouble', what: `${dropped} calls are missing from the call log` })
    }),
    chore(SERVER_EVERY, announce),
    chore(ROSTER_EVERY, readRoster),
    ...(parts.tls && shown ? [chore(TLS_EVERY, renewTls(parts.tls, shown, app.server as TlsServer, journal))] : []),
    chore(FORGET_EVERY, async () => {
      while (!over.signal.aborted && (await log.forget()));
    }),
  ]
  await announce().catch(async (error: unknown) => {
    over.abort()
    stopCounting()
    await app.close()
    throw error
  })

  return {
    /** From this machine, and for workers. */
    url,
    publicUrl,
    /** Finishes running calls, writes the call log, and unregisters the server. */
    async close() {
      ending = true
      nudge.wake()
      const cancel = clock.after(DRAIN_WITHIN, () => app.server.closeAllConnections())
      await app.close()
      cancel()
      over.abort()
      await Promise.all(chores)
      stopCounting()
      // The database may be unreachable: shut down anyway, with one timeout for all.
      await Promise.all(
        [writeSeen(), log.flush(), workerRows.serverGone(parts.id)].map((work) =>
          work.catch((error: unknown) => journal.record({ kind: 'trouble', what: String(error) })),
        ),
      )
    },
  }
}

/** Who may look at pages, and who may ask the API for what only viewers or operators get. */
function accessOf(parts: ServerParts, { publicUrl }: ListenOptions, isTls: boolean): Pick<ApiTools, 'admit' | 'pages'> {
  const { pages, basePath = '', clock, journal, joinSecret } = parts
  const failed = (error: unknown) => journal.record({ kind: 'trouble', what: `a page failed: ${reasonOf(error)}` })
  const roles = rolesBy(parts.tokens ?? { viewer: undefined, operator: undefined }, clock, basePath)
  return {
    pages: pages && webDoor({ pages, roles, clock, base: basePath, isTls, publicUrl, failed }),
    admit(needed, request, asked) {
      const { method, headers } = request
      // A browser adds the cookie, and the address of its machine, to what any page sends; a token it does not.
      if (method === 'POST' && headers.authorization === undefined && !isOwnPage(request, publicUrl))
        throw new ApiError('forbidden', 'a page of another site sent that, so nothing was done', 'send it from here')
      const role = roles.of(request)
      // As at the dashboard: without tokens, whoever is on this machine is the operator.
      if (needed === 'viewer' ? role !== undefined : role === 'operator') return
      // Who has the join secret runs the workers.
      if (joinSecret !== undefined && asked.join !== undefined) return checkJoin(joinSecret, asked.join, asked)
      throw new ApiError(
        'forbidden',
        needed === 'operator' ? 'only operators may do that' : 'only viewers may see that',
        needed === 'operator'
          ? `send Authorization: Bearer TOKEN (--operator-token of the server)${joinSecret === undefined ? '' : ', or give --join-secret as the server has it'}`
          : 'send Authorization: Bearer TOKEN (--viewer-token or --operator-token of the server), or ask on its own machine',
      )
    },
  }
}

/** For `/metrics`. */
async function metricFactsOf(parts: ServerParts, handlers: Handlers): Promise<MetricFacts> {
  const { journal, database, figures } = parts
  const crawl = await handlers.statistics(anonymousRequest(), undefined).then(
    async (statistics) => ({ ...statistics, counters: (await figures()).counters }),
    (error: unknown) => {
      journal.record({ kind: 'trouble', what: `no statistics for /metrics: ${error}` })
      return undefined
    },
  )
  return { crawl, ...(parts.metricFacts?.() ?? NOT_WATCHED), statements: database.statements?.() ?? {} }
}

/** Registers this server, and warns when others over the same database have other settings. */
function announcer(parts: ServerParts, workerRows: WorkerTable, url: string): () => Promise<void> {
  const { id, settings, program: version, clock, journal } = parts
  const startedAt = clock.now()
  const look = watchComputer()
  let differed = ''
  return async () => {
    const computer = look(parts.archiveFolder)
    await workerRows.serverSeen({ id, url, version, startedAt, seenAt: clock.now(), settings, computer })
    const others = await workerRows.servers(clock.now() - SILENT_AFTER)
    const differ = differingSettings(others.map((one) => one.settings)).join(', ')
    if (differ !== differed && differ !== '') journal.record({ kind: 'trouble', what: differing(differ) })
    differed = differ
  }
}

function choresUntil(over: AbortSignal, clock: Clock, journal: Journal<Event>) {
  return (ms: Millis, work: () => Promise<void>): Promise<void> => {
    const attempt = tellingOnce(journal)
    return every(clock, ms, over, async () => void (await attempt("the server's own tables", work)))
  }
}

const differing = (keys: string): string =>
  `the servers of this crawl differ in ${keys}: what is asked, and how, depends on which of them a worker meets`

/** PEM texts. */
export interface Pem {
  cert: string
  key: string
}

export interface TlsFiles {
  /** The current files. Throws when they can't be read or don't match, as while they are being replaced. */
  read(): Pem
}

/** Throws when they are not PEM or don't match. */
export function checkPem(pem: Pem): void {
  createSecureContext({ ...pem })
}

/** Call regularly. Open connections stay; new ones get the new certificate. */
export function renewTls(
  files: TlsFiles,
  first: Pem,
  server: Pick<TlsServer, 'setSecureContext'>,
  journal: Journal<Event>,
): () => Promise<void> {
  let shown = first
  let said = ''
  return async () => {
    let what = ''
    try {
      const next = files.read()
      if (next.cert !== shown.cert || next.key !== shown.key) {
        server.setSecureContext({ ...next })
        shown = next
        what = 'the certificate was renewed'
      }
    } catch (error) {
      what = `the certificate stays as it was: ${reasonOf(error)}`
    }
    if (what !== '' && what !== said) journal.record({ kind: 'trouble', what })
    said = what
  }
}
