/** One exchange on an open connection: writes the request and reads the answer until it ends or a deadline passes. */
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
  /** 0: no minimum. */
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

/** An object instead of closures: there is one per request. */
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
    // Bytes after the end of the answer.
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
      // From now on deadlines only move later, but the next one may be earlier than the one that is set.
      else if (isFirst) this.watch()
    } catch (error) {
      // A bug of ours (in `wants`, say) must not escape from a socket event, where nothing catches it.
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
    // Bytes may be waiting in the kernel if the thread was busy: let them in before deciding.
    void turn().then(() => {
      if (this.#isOver) return
      const { at, kind } = this.#nextDeadline()
      if (at > this.#options.clock.elapsed()) this.watch()
      else this.#over(this.#reader.interrupt('time') ?? failed(kind, `${this.#received} bytes came`))
    })
  }

  /** The earliest deadline. Arriving bytes move them, so they are computed anew when the timer fires. */
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
        // When the bytes so far become too few.
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

/** In TLS 1.3 a server may refuse the handshake after it seemed complete. */
function kindOf(error: NodeJS.ErrnoException): FailureKind {
  return /^ERR_(?:SSL|TLS)/.test(error.code ?? '') ? 'tls' : 'reset'
}
