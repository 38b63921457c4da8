/**
 * One open connection. It carries one exchange at a time and passes its socket's events to that one. Between exchanges it is
 * idle, and whatever arrives then (the server's close, unrequested bytes) ends it.
 */
import type { Socket } from 'node:net'
import { assert } from '../base/assert.ts'
import type { Clock, Millis } from '../base/clock.ts'
import type { CertificateFault } from '../contracts/exchange.ts'

export interface ExchangeHandler {
  /** Copies what it needs: the buffer is reused afterwards. */
  data(bytes: Buffer): void
  /** The server closed in order (`undefined`), or the connection broke. */
  ended(error: NodeJS.ErrnoException | undefined): void
  /** The time given to `callAt` has come. */
  deadlineReached(): void
}

export class Connection {
  readonly #socket: Socket
  readonly #clock: Clock
  readonly #alarm: DeadlineTimer
  /** `tls/1.3`, or undefined over plain TCP. */
  readonly tls: string | undefined
  readonly certificate: CertificateFault | undefined
  /** The round trip of connecting, before TLS: how far away the server is. */
  readonly connectMs: Millis
  #carrier: ExchangeHandler | undefined
  #alive = true

  constructor(
    socket: Socket,
    tls: string | undefined,
    clock: Clock,
    connectMs: Millis = 0,
    certificate?: CertificateFault,
  ) {
    this.#socket = socket
    this.#clock = clock
    this.tls = tls
    this.certificate = certificate
    this.connectMs = connectMs
    this.#alarm = new DeadlineTimer(clock, () => {
      if (this.#carrier === undefined) this.destroy()
      else this.#carrier.deadlineReached()
    })
    // Plain sockets deliver by `received`, but without a listener they do not flow and never end.
    socket.on('data', (bytes: Buffer) => this.received(bytes))
    socket.on('error', (error) => this.#end(error))
    socket.on('end', () => this.#end(undefined))
    socket.on('close', () => this.#end(undefined))
  }

  /** The buffer is reused afterwards. */
  received(bytes: Buffer): void {
    if (this.#carrier === undefined) this.destroy()
    else this.#carrier.data(bytes)
  }

  get alive(): boolean {
    return this.#alive
  }

  /** Gives the connection to an exchange and writes its request. */
  carry(carrier: ExchangeHandler, request: Uint8Array): void {
    assert(this.#alive && this.#carrier === undefined, 'a connection carries one exchange at a time')
    this.#carrier = carrier
    this.#socket.write(request)
  }

  /** Calls the exchange at this time of the monotonic clock; replaces an earlier time. */
  callAt(at: Millis): void {
    this.#alarm.set(at)
  }

  /** The exchange is over: the connection waits for another one, for a limited time. */
  release(maxIdleMs: Millis): void {
    this.#carrier = undefined
    if (!this.#alive) return
    this.#alarm.set(this.#clock.elapsed() + maxIdleMs)
  }

  destroy(): void {
    this.#alive = false
    this.#carrier = undefined
    this.#alarm.stop()
    this.#socket.destroy()
  }

  #end(error: NodeJS.ErrnoException | undefined): void {
    const carrier = this.#carrier
    this.destroy()
    carrier?.ended(error)
  }
}

/**
 * A timer for deadlines that move all the time and are hardly ever reached. When a deadline moves later, the real timer stays,
 * fires too early, and is set again for the rest. So a connection with a request every other second sets one real timer in half
 * a minute; one per request and pause cost 0.6 µs per page.
 */

export class DeadlineTimer {
  readonly #clock: Clock
  readonly #ring: () => void
  /** On the monotonic clock. */
  #at: Millis = Number.POSITIVE_INFINITY
  #rings: Millis = Number.POSITIVE_INFINITY
  #cancel: (() => void) | undefined

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock
    this.#ring = ring
  }

  /** Fires once at `at`; replaces an earlier deadline. */
  set(at: Millis): void {
    this.#at = at
    if (at < this.#rings) this.#start()
  }

  stop(): void {
    this.#at = Number.POSITIVE_INFINITY
    this.#rings = Number.POSITIVE_INFINITY
    this.#cancel?.()
    this.#cancel = undefined
  }

  #start(): void {
    this.#cancel?.()
    this.#rings = this.#at
    this.#cancel = this.#clock.after(Math.max(1, this.#at - this.#clock.elapsed()), this.#look)
  }

  readonly #look = (): void => {
    this.#rings = Number.POSITIVE_INFINITY
    this.#cancel = undefined
    if (this.#at > this.#clock.elapsed()) {
      this.#start()
      return
    }
    this.#at = Number.POSITIVE_INFINITY
    this.#ring()
  }
}
