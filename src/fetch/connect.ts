/** Opens a connection to one pinned address: TCP, the guard once more on the address actually reached, then TLS. */
import { constants } from 'node:crypto'
import { isIP, connect as openTcp, type Socket } from 'node:net'
import { createSecureContext, connect as openTls, type SecureContext, type TLSSocket } from 'node:tls'
import type { Clock, Millis } from '../base/clock.ts'
import { keepNewest } from '../base/keep-newest.ts'
import type { CertificateFault } from '../contracts/exchange.ts'
import { Connection, type Stop } from './connection.ts'
import { detailOf, type Failed, failed } from './failure.ts'

export interface Target {
  ip: string
  port: number
  secure: boolean
  /** The host of the URL, for SNI; addresses have none. */
  hostname: string
}

export interface ConnectOptions {
  clock: Clock
  connectMs: Millis
  guard: (ip: string) => boolean
  /** Lazy: a context costs milliseconds. */
  tls: () => TlsPolicy
  tickets: Tickets
}

export interface TlsPolicy {
  strict: boolean
  context: SecureContext
}

/**
 * `open` accepts any certificate and old TLS versions: what we collect is public, we send no secrets, and an archive of only
 * well-maintained servers would be misleading.
 */
export function tlsPolicy(mode: 'open' | 'strict'): () => TlsPolicy {
  let made: TlsPolicy | undefined
  return () => {
    made ??= makePolicy(mode)
    return made
  }
}

function makePolicy(mode: 'open' | 'strict'): TlsPolicy {
  if (mode === 'strict') return { strict: true, context: createSecureContext({}) }
  const context = createSecureContext({
    minVersion: 'TLSv1',
    ciphers: 'DEFAULT@SECLEVEL=0',
    secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
  })
  return { strict: false, context }
}

/**
 * The receive buffer of all plain connections of a thread: each piece is copied before the next is read. Otherwise every piece
 * would allocate 64 KB and make V8 collect garbage more often.
 */
const receiveBuffer = Buffer.allocUnsafeSlow(64 * 1024)

function deliver(connection: Connection | undefined, length: number): boolean {
  connection?.received(receiveBuffer.subarray(0, length))
  return true
}

export function connect(target: Target, options: ConnectOptions, stop: Stop): Promise<Connection | Failed> {
  return new Promise((resolve) => {
    // A host name would make Node use its own resolver.
    if (isIP(target.ip) === 0 || !options.guard(target.ip)) {
      resolve(failed('address-refused', target.ip))
      return
    }
    let secured: TLSSocket | undefined
    let plain: Connection | undefined
    const began = options.clock.elapsed()
    const socket: Socket = openTcp({
      host: target.ip,
      port: target.port,
      noDelay: true,
      ...(target.secure ? {} : { onread: { buffer: receiveBuffer, callback: (length) => deliver(plain, length) } }),
    })

    const settle = (result: Connection | Failed) => {
      cancel()
      stop.whenStopped(undefined)
      for (const each of [socket, secured]) {
        each?.removeListener('error', broke)
        each?.removeListener('close', closed)
      }
      // An abandoned socket, or one under TLS, may still emit an error.
      if (secured !== undefined) socket.on('error', ignore)
      if (!(result instanceof Connection)) {
        const given = secured ?? socket
        given.on('error', ignore)
        given.destroy()
        socket.destroy()
      }
      resolve(result)
    }
    const broke = (error: NodeJS.ErrnoException) => {
      if (secured !== undefined) settle(failed('tls', detailOf(error)))
      else settle(failed(error.code === 'ETIMEDOUT' ? 'connect-timeout' : 'connect', detailOf(error)))
    }
    const closed = () => settle(failed(secured === undefined ? 'connect' : 'tls', 'closed'))
    const cancel = options.clock.after(options.connectMs, () =>
      settle(failed('connect-timeout', secured === undefined ? 'TCP' : 'TLS handshake')),
    )
    stop.whenStopped(() => settle(failed('reset', 'aborted')))
    socket.on('error', broke)
    socket.on('close', closed)
    socket.on('connect', () => {
      const reached = socket.remoteAddress
      const tookMs = options.clock.elapsed() - began
      if (reached === undefined || !options.guard(reached)) settle(failed('address-refused', reached ?? 'unknown'))
      else if (!target.secure) {
        plain = new Connection(socket, undefined, options.clock, tookMs)
        settle(plain)
      } else {
        const { socket: over, faultOf } = secure(socket, target, options.tls(), options.tickets)
        secured = over
        over.on('error', broke)
        over.on('close', closed)
        over.on('secureConnect', () => settle(new Connection(over, versionOf(over), options.clock, tookMs, faultOf())))
      }
    })
  })
}

interface Secured {
  socket: TLSSocket
  /** What is wrong with the certificate, after the handshake. */
  faultOf(): CertificateFault | undefined
}

function secure(socket: Socket, target: Target, policy: TlsPolicy, tickets: Tickets): Secured {
  // With its name: a resumed session does not show its certificate again.
  const server = `${target.hostname} ${target.ip} ${target.port}`
  const ticket = tickets.take(server)
  const isAddress = isIP(target.hostname.replace(/^\[|\]$/g, '')) !== 0
  const name = target.hostname.replace(/\.$/, '')
  const secured = openTls({
    socket,
    secureContext: policy.context,
    rejectUnauthorized: policy.strict,
    ALPNProtocols: ['http/1.1'],
    // RFC 6066: an address is not a server name. Node then checks a strict certificate against `host`.
    ...(isAddress ? { host: target.ip } : { servername: name }),
    ...(ticket === undefined ? {} : { session: ticket.session }),
  })
  const faultOf = () => (secured.isSessionReused() ? ticket?.fault : certificateFault(secured.authorizationError))
  // Many servers accept a ticket and issue no new one, so it is reused. But only once data has arrived: some servers accept a
  // ticket, issue another and close the connection.
  let mayKeep = false
  let latest: Buffer | undefined
  const keep = (session: Buffer) => tickets.keep(server, { session, fault: faultOf() })
  const serves = () => {
    mayKeep = true
    if (latest !== undefined) keep(latest)
  }
  secured.on('session', (fresh) => {
    latest = fresh
    if (mayKeep) keep(fresh)
  })
  secured.on('secureConnect', () => {
    if (ticket === undefined || !secured.isSessionReused()) return serves()
    latest ??= ticket.session
    secured.once('data', serves)
  })
  if (ticket !== undefined) secured.on('error', () => tickets.take(server))
  return { socket: secured, faultOf }
}

/** OpenSSL's and Node's codes for the first fault found. */
const FAULTS: Readonly<Record<string, CertificateFault>> = {
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not-yet-valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrong-name',
}

/** Node's types say Error, but it is a code. */
function certificateFault(error: unknown): CertificateFault | undefined {
  if (error === undefined || error === null) return undefined
  const code = typeof error === 'string' ? error : (error as NodeJS.ErrnoException).code
  return FAULTS[code ?? ''] ?? 'invalid'
}

/** `TLSv1.3` as WARC-Protocol writes it. */
function versionOf(socket: TLSSocket): string {
  const version = (socket.getProtocol() ?? '').replace(/^TLSv/, '')
  return `tls/${version === '1' ? '1.0' : version}`
}

function ignore(): void {}

/**
 * TLS tickets of recent servers, which shorten the next handshake: of a visit's second connection, or of a later visit. All visits
 * of a worker share them; a ticket with its certificate takes 1 to 3 KB. A ticket is taken out for use and put back when it has
 * worked, so a server that fails on one is not offered it again.
 */

export interface Ticket {
  session: Buffer
  /** Of the original certificate: a resumed session shows none. */
  fault: CertificateFault | undefined
}

export class Tickets {
  readonly #max: number
  readonly #kept = new Map<string, Ticket>()

  constructor(max: number) {
    this.#max = max
  }

  take(server: string): Ticket | undefined {
    const ticket = this.#kept.get(server)
    this.#kept.delete(server)
    return ticket
  }

  keep(server: string, ticket: Ticket): void {
    keepNewest(this.#kept, server, ticket, this.#max)
  }
}
