/**
 * The network between workers and servers: it loses requests, and answers to what was done; it is late, sends twice, and
 * now and then leads nowhere. Everything on both ends of it is the product's own; only sockets are missing.
 */
import type { Clock, Instant, Millis } from '../../src/base/clock.ts'
import type { Random } from '../../src/base/random.ts'
import { type HttpAnswer, type HttpClient, type HttpRequest, NoAnswer } from '../../src/cluster/wire/http-client.ts'
import { TIME_HEADER } from '../../src/cluster/wire/protocol.ts'
import type { Power } from './power.ts'

export interface Badness {
  /** Shares of requests. */
  requestLost: number
  answerLost: number
  /** Sent once more while the first is still under way. */
  repeated: number
  /** The longest way there, and back. */
  lateMs: Millis
}

export const GOOD: Badness = { requestLost: 0, answerLost: 0, repeated: 0, lateMs: 5 }

export interface Reply {
  status: number
  body: object
  retryAfterSeconds?: number
  /** The server's time. */
  time: Instant
}

/** Rejects when the connection ends before there is an answer. `gone`: nobody waits for it any more. */
export type Listen = (request: HttpRequest, server: string, gone: () => boolean) => Promise<Reply>

export class Network {
  readonly counts = { asked: 0, lost: 0, repeated: 0, away: 0 }
  /** Who answers now, by the server's name. */
  readonly listeners = new Map<string, Listen>()
  /** Told of who waits in vain, and how long. */
  onLoss: (who: string, ms: Millis) => void = () => {}
  /** Told of what was lost or repeated. */
  onTrouble: (what: string) => void = () => {}
  readonly #clock: Clock
  readonly #random: Random
  readonly #badness: Badness
  readonly #awayUntil = new Map<string, Millis>()

  constructor(clock: Clock, random: Random, badness: Badness) {
    this.#clock = clock
    this.#random = random
    this.#badness = badness
  }

  /** No way leads to that server for so long. */
  cut(server: string, ms: Millis): void {
    this.#awayUntil.set(server, Math.max(this.#awayUntil.get(server) ?? 0, this.#clock.elapsed() + ms))
  }

  /** For how long from now on no way leads to any of them. */
  allAwayFor(servers: readonly string[]): Millis {
    return Math.max(0, Math.min(...servers.map((server) => this.#awayUntil.get(server) ?? 0)) - this.#clock.elapsed())
  }

  /** As a machine reaches it: while that stands still, no answer comes in. */
  clientOf(who: string, power: Power, clock: Clock): HttpClient {
    return {
      close() {},
      send: async (request) => {
        const sentAt = clock.elapsed()
        const reply = await power.hears(this.#within(who, request, power))
        const headers: Record<string, string> = { [TIME_HEADER]: String(reply.time) }
        if (reply.retryAfterSeconds !== undefined) headers['retry-after'] = String(reply.retryAfterSeconds)
        const body = new TextEncoder().encode(JSON.stringify(reply.body))
        const header = (name: string) => headers[name]
        return { status: reply.status, header, body, sentAt, headAt: clock.elapsed() } satisfies HttpAnswer
      },
    }
  }

  #within(who: string, request: HttpRequest, power: Power): Promise<Reply> {
    return new Promise((resolve, reject) => {
      let isOver = false
      const end = () => {
        isOver = true
        cancel()
        request.signal?.removeEventListener('abort', giveUp)
      }
      const giveUp = () => fail('given up')
      const fail = (why: string) => {
        end()
        reject(new NoAnswer(request.url, why))
      }
      const cancel = this.#clock.after(request.withinMs, () => fail(`nothing within ${request.withinMs} ms`))
      if (request.signal?.aborted) return giveUp()
      request.signal?.addEventListener('abort', giveUp)
      const done = (reply: Reply | undefined) => {
        if (isOver) return
        if (reply === undefined) return this.onLoss(who, request.withinMs)
        end()
        resolve(reply)
      }
      this.#carry(request, () => isOver || !power.on).then(done, (error) => fail(String(error)))
    })
  }

  /** Undefined: it was lost on one of its ways, and nobody says so. */
  async #carry(request: HttpRequest, gone: () => boolean): Promise<Reply | undefined> {
    const { requestLost, answerLost, repeated, lateMs } = this.#badness
    const server = new URL(request.url).origin
    this.counts.asked++
    await this.#clock.sleep(this.#random.next() * lateMs)
    if ((this.#awayUntil.get(server) ?? 0) > this.#clock.elapsed()) {
      this.counts.away++
      this.onTrouble(`no way leads to ${request.url}`)
      if (this.#random.next() < 0.5) return undefined
      throw new Error('no way leads there')
    }
    const listen = this.listeners.get(server)
    if (listen === undefined) throw new Error('nobody listens')
    if (this.#random.next() < requestLost) {
      this.counts.lost++
      this.onTrouble(`loses a request: ${request.url}`)
      return undefined
    }
    if (this.#random.next() < repeated) {
      this.counts.repeated++
      this.onTrouble(`repeats a request: ${request.url}`)
      const again = () =>
        this.listeners
          .get(server)?.(request, server, () => false)
          .catch(() => {})
      void this.#clock.sleep(this.#random.next() * lateMs).then(again)
    }
    const reply = await listen(request, server, gone)
    if (this.#random.next() < answerLost) {
      this.counts.lost++
      this.onTrouble(`loses an answer: ${request.url}`)
      return undefined
    }
    await this.#clock.sleep(this.#random.next() * lateMs)
    return reply
  }
}
