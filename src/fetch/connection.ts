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

/** The end of a session: fails what is under way. */
export class Stop {
  isStopped = false
  #fail: (() => void) | undefined

  /** Replaces the one set before; called at most once. */
  whenStopped(fail: (() => void) | undefined): void {
    this.#fail = fail
  }

  stop(): void {
    if (this.isStopped) return
    this.isStopped = true
    this.#fail?.()
  }
}

export class Connection {
  readonly #socket: Socket
  readonly #clock: Clock
  /**
   * Cancels the deadline's timer. A new timer for each deadline costs 0.6 µs per page: moving one timer was not worth its
   * code.
   */
  #cancel: (() => void) | undefined
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
    this.#cancel?.()
    // A time that is already over is called a millisecond later: a socket's bytes come first.
    this.#cancel = this.#clock.after(Math.max(1, at - this.#clock.elapsed()), () => {
      if (this.#carrier === undefined) this.destroy()
      else this.#carrier.deadlineReached()
    })
  }

  /** The exchange is over: the connection waits for another one, for a limited time. */
  release(maxIdleMs: Millis): void {
    this.#carrier = undefined
    if (!this.#alive) return
    this.callAt(this.#clock.elapsed() + maxIdleMs)
  }

  destroy(): void {
    this.#alive = false
    this.#carrier = undefined
    this.#cancel?.()
    this.#cancel = undefined
    this.#socket.destroy()
  }

  #end(error: NodeJS.ErrnoException | undefined): void {
    const carrier = this.#carrier
    this.destroy()
    carrier?.ended(error)
  }
}
