/** One exchange on an open connection: the request is written, the answer read until it is over or its time is. */
import { type Clock, type Millis, turn } from '../base/clock.ts'
import { type Answer, type FetchRequest, STALE_CONNECTION } from '../contracts/exchange.ts'
import type { FailureKind } from '../contracts/outcome.ts'
import type { Connection, ExchangeHandler } from './connection.ts'
import { detailOf, failed } from './failure.ts'
import { ResponseReader } from './response-reader.ts'
import type { Stop, Stoppable } from './stop.ts'

export interface Deadlines {
  connect: Millis
  firstByte: Millis
  /** Between two pieces of an answer. */
  idle: Millis
  /** From the first byte of the request to the last of the answer. */
  exchange: Millis
}

export interface MinRate {
  /** 0: no least rate. */
  bytesPerSecond: number
  /** From the first byte of the answer; the rate counts from there too. */
  graceMs: Millis
}

export interface ExchangeOptions {
  clock: Clock
  deadlines: Deadlines
  minRate: MinRate
}

export interface Completed {
  answer: Answer
  /** The connection may carry another request. */
  reusable: boolean
}

export function carry(
  connection: Connection,
  reused: boolean,
  bytes: Uint8Array,
  wants: FetchRequest['wants'],
  options: ExchangeOptions,
  stop: Stop,
): Promise<Completed> {
  return new Promise((resolve, reject) => {
    const carriage = new PendingExchange(connection, reused, wants, options, stop, resolve, reject)
    carriage.watch()
    stop.whenStopped(carriage)
    connection.carry(carriage, bytes)
  })
}

/** An object of its own and no closures: there is one for each request. */
class PendingExchange implements ExchangeHandler, Stoppable {
  readonly #connection: Connection
  readonly #reused: boolean
  readonly #options: ExchangeOptions
  readonly #stop: Stop
  readonly #resolve: (carried: Completed) => void
  readonly #reject: (error: unknown) => void
  readonly #reader: ResponseReader
  readonly #sentAt: Millis
  #firstAt: Millis = -1
  #lastAt: Millis
  #received = 0
  #isOver = false

  constructor(
    connection: Connection,
    reused: boolean,
    wants: FetchRequest['wants'],
    options: ExchangeOptions,
    stop: Stop,
    resolve: (carried: Completed) => void,
    reject: (error: unknown) => void,
  ) {
    this.#connection = connection
    this.#reused = reused
    this.#options = options
    this.#stop = stop
    this.#resolve = resolve
    this.#reject = reject
    this.#reader = new ResponseReader(wants)
    this.#sentAt = options.clock.elapsed()
    this.#lastAt = this.#sentAt
  }

  data(piece: Buffer): void {
    // More than the answer, before the connection was given back.
    if (this.#isOver) {
      this.#connection.destroy()
      return
    }
    const isFirst = this.#firstAt < 0
    this.#lastAt = this.#options.clock.elapsed()
    if (isFirst) this.#firstAt = this.#lastAt
    this.#received += piece.length
    try {
      const answer = this.#reader.feed(piece)
      if (answer !== undefined) this.#over(answer)
      // From now on deadlines only move away, but the first of them may come before the one that was watched.
      else if (isFirst) this.watch()
    } catch (error) {
      // A bug of ours (in `wants`, say) must not come out of a socket's event, where nobody catches it.
      this.#isOver = true
      this.#stop.whenStopped(undefined)
      this.#connection.destroy()
      this.#reject(error)
    }
  }

  ended(error: NodeJS.ErrnoException | undefined): void {
    if (this.#isOver) return
    const received = this.#received
    if (this.#reused && received === 0) this.#over(failed('reset', STALE_CONNECTION))
    else if (error === undefined) this.#over(this.#reader.end())
    else {
      const failure = failed(received === 0 ? kindOf(error) : 'reset', detailOf(error))
      this.#over(this.#reader.interrupt('disconnect') ?? failure)
    }
  }

  stopped(): void {
    this.#over(failed('reset', 'aborted'))
  }

  watch(): void {
    this.#connection.callAt(this.#nextDeadline().at)
  }

  deadlineReached(): void {
    // Bytes may lie in the kernel while we were busy elsewhere: one turn lets them in before we judge.
    void turn().then(() => {
      if (this.#isOver) return
      const { at, kind } = this.#nextDeadline()
      if (at > this.#options.clock.elapsed()) this.watch()
      else this.#over(this.#reader.interrupt('time') ?? failed(kind, `${this.#received} bytes came`))
    })
  }

  /** The deadline that comes first. All are moved by what arrives, so they are reckoned anew when the alarm rings. */
  #nextDeadline(): { at: Millis; kind: FailureKind } {
    const { deadlines, minRate } = this.#options
    let at = this.#sentAt + deadlines.exchange
    let kind: FailureKind = 'exchange-timeout'
    const earlier = (other: Millis, itsKind: FailureKind) => {
      if (other < at) {
        at = other
        kind = itsKind
      }
    }
    if (this.#firstAt < 0) {
      earlier(this.#sentAt + deadlines.firstByte, 'first-byte-timeout')
    } else {
      earlier(this.#lastAt + deadlines.idle, 'idle-timeout')
      if (minRate.bytesPerSecond > 0) {
        // When the bytes so far will be too few, unless more come.
        const enoughFor = (this.#received / minRate.bytesPerSecond) * 1000
        earlier(this.#firstAt + Math.max(minRate.graceMs, enoughFor), 'too-slow')
      }
    }
    return { at, kind }
  }

  #over(answer: Answer): void {
    this.#isOver = true
    this.#stop.whenStopped(undefined)
    const reusable = answer.kind === 'full' && this.#reader.reusable && this.#connection.alive
    if (!reusable) this.#connection.destroy()
    this.#resolve({ answer, reusable })
  }
}

/** In TLS 1.3 a server may refuse the handshake after it seemed to be over. */
function kindOf(error: NodeJS.ErrnoException): FailureKind {
  return /^ERR_(?:SSL|TLS)/.test(error.code ?? '') ? 'tls' : 'reset'
}
