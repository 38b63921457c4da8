/**
 * The servers of a crawl as a worker uses them: one as long as it answers, then the next. A server that fails rests,
 * longer each time. Calls are retried within the caller's patience. A refusal is final only when all other servers
 * refuse too; if the worker itself is refused, servers that are away are waited for.
 */
import type { Clock, Instant, Millis } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import { type AnswerOf, CALLS, type CallDefinition, type CallName, type RequestOf } from './calls.ts'
import { judgeAnswer, NotNow, type Refusal, untrusted } from './classify-answer.ts'
import { type HttpAnswer, type HttpClient, NoAnswer, sendAgainIfStale } from './http-client.ts'
import { PARTS_TYPE, PROTOCOL, PROTOCOL_HEADER, TIME_HEADER } from './protocol.ts'

export interface Identity {
  worker: string
  secret: string
}

export interface AskOptions {
  /** How long to retry; 0: try each available server once. */
  patience: Millis
  /** Extra time for calls that wait at the server. */
  extraMs?: Millis
  signal?: AbortSignal
  bytes?: { body: Uint8Array; packing: string }
  name?: string
  offset?: number
}

export interface Got<Name extends CallName> {
  answer: AnswerOf<Name>
  /** Before the answered request was sent. */
  sentAt: Millis
  answeredAt: Millis
}

/** No server answered within the caller's patience. */
export class Unreachable extends Error {
  /** When to try again. */
  readonly retryMs: Millis
  constructor(retryMs: Millis, cause: unknown) {
    super(`no server answers${cause instanceof Error ? `: ${cause.message}` : ''}`, { cause })
    this.name = 'Unreachable'
    this.retryMs = retryMs
  }

  /** The last server answers, but its disk is full. */
  get isFull(): boolean {
    return this.cause instanceof NotNow && this.cause.code === 'disk-full'
  }
}

/** State of one round over all servers. */
interface Round {
  asked: Set<Server>
  refused: Map<Server, Refusal>
  strange: Refusal[]
}

interface Server {
  url: string
  failures: number
  notBefore: Millis
  /** Its disk is full for volumes until then; other calls work. */
  noRoomBefore: Millis
}

const ANSWER_WITHIN: Millis = 20_000
const FIRST_REST: Millis = 250
const LONGEST_REST: Millis = 30_000
/** After a refusal, how long other servers are waited for before it is final. */
const REFUSED_FOR: Millis = 600_000
const MAX_SERVERS = 100

const isMade = <Body>(body: Body | (() => Body)): body is () => Body => typeof body === 'function'

export class Servers {
  readonly #client: HttpClient
  readonly #clock: ServerClock
  readonly #random: Random
  readonly #given: readonly string[]
  #identity: Identity | undefined
  #servers: Server[]
  /** Since when no server has answered. */
  #lostSince: Millis | undefined
  #lastTrouble: unknown
  /** At least one of them is known to be our server. */
  #wasAnswered = false

  constructor(urls: readonly string[], client: HttpClient, clock: ServerClock, random: Random) {
    this.#given = urls.map(withoutSlash)
    this.#client = client
    this.#clock = clock
    this.#random = random
    const first = random.integer(urls.length)
    this.#servers = [...this.#given.slice(first), ...this.#given.slice(0, first)].map(fresh)
  }

  callAs(identity: Identity): void {
    this.#identity = identity
  }

  /** Undefined if the last call was answered. */
  get lostMs(): Millis | undefined {
    return this.#lostSince === undefined ? undefined : this.#clock.elapsed() - this.#lostSince
  }

  /** Updates the list from a server's answer. Servers given at the start are never removed. */
  learn(urls: readonly string[]): void {
    const announced = urls.filter((url) => isHttp(url) && this.#mayAsk(url)).map(withoutSlash)
    const named = [...new Set([...this.#given, ...announced])].slice(0, MAX_SERVERS)
    const known = this.#servers.filter(({ url }) => named.includes(url))
    this.#servers = [...known, ...named.filter((url) => known.every((server) => server.url !== url)).map(fresh)]
  }

  /**
   * A misconfigured server may name itself `localhost`: on this machine that is another program, which must not receive
   * the worker's secret. The secret is also never sent unencrypted if the operator named encrypted servers.
   */
  #mayAsk(url: string): boolean {
    if (isLoopback(url) && !this.#given.some(isLoopback)) return false
    return isTls(url) || !this.#given.every(isTls)
  }

  /** `body` is a function: it may depend on whether the call is a retry. Throws Unreachable or Refusal. */
  async ask<Name extends CallName>(
    name: Name,
    body: RequestOf<Name> | (() => RequestOf<Name>),
    options: AskOptions,
  ): Promise<Got<Name>> {
    const until = this.#clock.elapsed() + options.patience
    const readyAt = (server: Server) =>
      name === 'upload' ? Math.max(server.notBefore, server.noRoomBefore) : server.notBefore
    for (;;) {
      const round: Round = { asked: new Set(), refused: new Map(), strange: [] }
      for (const mayAsk of [(server: Server) => readyAt(server) <= this.#clock.elapsed(), () => true]) {
        for (const server of this.#servers) {
          if (round.asked.has(server) || !mayAsk(server)) continue
          round.asked.add(server)
          const got = await this.#try(server, name, body, options, round)
          if (got !== undefined) return got
          if (options.signal?.aborted) throw new Unreachable(0, new Error('given up'))
        }
        // Not final before resting servers were tried, too.
        if (round.refused.size === 0) break
      }
      const [refusal] = round.refused.values()
      if (refusal !== undefined && this.#isFinal(round)) throw refusal
      // Most likely a wrong --server: report it at once.
      if (!this.#wasAnswered && round.strange.length === this.#servers.length) throw round.strange[0]
      const now = this.#clock.elapsed()
      const next = Math.max(now, Math.min(...this.#servers.map(readyAt)))
      if (next > until || options.signal?.aborted) throw new Unreachable(next - now, this.#lastTrouble)
      await this.#clock.sleep(next - now, options.signal)
    }
  }

  /** Undefined: try another. */
  async #try<Name extends CallName>(
    server: Server,
    name: Name,
    body: RequestOf<Name> | (() => RequestOf<Name>),
    options: AskOptions,
    round: Round,
  ): Promise<Got<Name> | undefined> {
    const request = () => ({
      ...requestOf(CALLS[name], server.url, isMade(body) ? body() : body, options, this.#identity),
      withinMs: ANSWER_WITHIN + (options.extraMs ?? 0),
      signal: options.signal,
    })
    let answer: HttpAnswer
    try {
      answer = await sendAgainIfStale(this.#client, request)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      if (error.isUntrusted) round.strange.push(untrusted(server.url, error))
      if (!options.signal?.aborted) this.#rest(server, error, 0)
      return undefined
    }
    this.#learnTime(answer)
    const judged = judgeAnswer(name, server.url, answer)
    switch (judged.kind) {
      case 'done':
        server.failures = 0
        this.#wasAnswered = true
        this.#lostSince = undefined
        this.#prefer(server)
        return { answer: judged.answer, sentAt: answer.sentAt, answeredAt: answer.headAt }
      case 'refused':
        round.refused.set(server, judged.refusal)
        return undefined
      case 'strange':
        round.strange.push(judged.refusal)
        this.#rest(server, judged.refusal, 0)
        return undefined
      case 'later':
        if (name === 'upload' && judged.trouble.code === 'disk-full') {
          this.#lastTrouble = judged.trouble
          server.noRoomBefore = this.#clock.elapsed() + Math.max(FIRST_REST, judged.retryAfter)
        } else this.#rest(server, judged.trouble, judged.retryAfter)
        return undefined
    }
  }

  /** One server may refuse a worker that another accepts; the other may be away for a moment only. */
  #isFinal({ refused }: Round): boolean {
    if (!this.#wasAnswered || refused.size === this.#servers.length) return true
    if ([...refused.values()].some(({ isOfWorker }) => !isOfWorker)) return true
    for (const [server, refusal] of refused) this.#rest(server, refusal, 0)
    return (this.lostMs ?? 0) >= REFUSED_FOR
  }

  #prefer(server: Server): void {
    const at = this.#servers.indexOf(server)
    if (at > 0) this.#servers = [...this.#servers.slice(at), ...this.#servers.slice(0, at)]
  }

  #rest(server: Server, trouble: unknown, retryAfter: Millis): void {
    const now = this.#clock.elapsed()
    this.#lastTrouble = trouble
    // Concurrent failures count once.
    if (server.notBefore > now) return
    const rest = Math.min(LONGEST_REST, FIRST_REST * 2 ** server.failures) * (0.5 + this.#random.next() / 2)
    server.failures++
    server.notBefore = now + Math.max(rest, retryAfter)
    if (this.#servers.every(({ failures }) => failures > 0)) this.#lostSince ??= now
  }

  #learnTime({ header, sentAt, headAt }: HttpAnswer): void {
    const time = Number(header(TIME_HEADER) ?? Number.NaN)
    if (Number.isFinite(time) && time > 0) this.#clock.learn(sentAt, headAt, time)
  }
}

const fresh = (url: string): Server => ({ url, failures: 0, notBefore: 0, noRoomBefore: 0 })
const withoutSlash = (url: string): string => url.replace(/\/+$/, '')
const isTls = (url: string): boolean => url.startsWith('https:')
const isLoopback = (url: string): boolean =>
  /^(localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname)
const isHttp = (url: string): boolean => /^https?:\/\//.test(url) && URL.canParse(url)

function requestOf(
  { method, path, body: kind }: CallDefinition,
  server: string,
  body: unknown,
  { bytes, name, offset }: AskOptions,
  identity: Identity | undefined,
) {
  const query = offset === undefined ? '' : `?offset=${offset}`
  const headers: Record<string, string> = { accept: 'application/json', [PROTOCOL_HEADER]: String(PROTOCOL) }
  if (identity !== undefined) headers.authorization = `Bearer ${identity.worker}.${identity.secret}`
  if (kind === 'parts') headers['content-type'] = PARTS_TYPE
  else if (kind === 'bytes') headers['content-type'] = 'application/octet-stream'
  else if (kind !== undefined) headers['content-type'] = 'application/json'
  if (bytes !== undefined && bytes.packing !== 'identity') headers['content-encoding'] = bytes.packing
  const sent = bytes?.body ?? (body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body)))
  return { method, url: `${server}${path.replace(':name', name ?? '')}${query}`, headers, body: sent }
}

/**
 * The servers' time on this machine: a worker's clock may be hours off, and its records should not be. Every answer
 * carries the server's time; the fastest is the most accurate. Only the monotonic clock of this machine is trusted.
 */
export interface ServerClock extends Clock {
  /** Takes an answer: when it was requested and received, and the server's time. */
  learn(sentAt: Millis, answeredAt: Millis, serverTime: Instant): void
  /** Offset to this machine's `now()`, for clocks of other threads. 0 until the first answer. */
  offset(): Millis
}

/** Drift of monotonic clocks: an old sample loses accuracy each second. */
const DRIFT = 1e-4

interface Sample {
  /** The server's time when this machine's `elapsed` was 0. */
  zero: Instant
  /** Its error bound: half of the round trip. */
  doubt: Millis
  at: Millis
}

export function serverClock(clock: Clock): ServerClock {
  let best: Sample | undefined
  const now = () => (best === undefined ? clock.now() : Math.round(best.zero + clock.elapsed()))
  return {
    ...clock,
    now,
    learn(sentAt, answeredAt, serverTime) {
      const doubt = Math.max(0, answeredAt - sentAt) / 2
      if (best !== undefined && doubt > best.doubt + (answeredAt - best.at) * DRIFT) return
      best = { zero: serverTime - (sentAt + doubt), doubt, at: answeredAt }
    },
    offset: () => now() - clock.now(),
  }
}
