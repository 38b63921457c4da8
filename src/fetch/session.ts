/** One visit's connections: one per (scheme, host, port, address), one request in flight, closed with the visit. */
import { assert } from '../base/assert.ts'
import type { Clock, Instant, Millis } from '../base/clock.ts'
import type {
  Address,
  Answer,
  Exchange,
  FetchRequest,
  FetchSession,
  Headers,
  OpenSession,
} from '../contracts/exchange.ts'
import { headerOf } from '../web/http/headers.ts'
import { type ConnectOptions, connect, type Target, Tickets, tlsPolicy } from './connect.ts'
import { Connection, Stop } from './connection.ts'
import { carry, type Deadlines, type MinRate } from './exchange.ts'
import { failed } from './failure.ts'

export interface SessionOptions {
  clock: Clock
  deadlines: Deadlines
  minRate: MinRate
  /** `open` accepts any certificate. */
  tls: 'open' | 'strict'
  /** Checked before connecting, and again for the address reached. */
  guard: (ip: string) => boolean
  /** A connection idle for longer is not reused. */
  maxIdleMs: Millis
}

/** A visit needs http and https, perhaps at a second address. */
const MAX_CONNECTIONS = 4
/** Per worker; about 5 MB. */
const MAX_TICKETS = 2_000
const NOTHING = new Uint8Array(0)

export function openSessions(options: SessionOptions): OpenSession {
  const connecting: ConnectOptions = {
    clock: options.clock,
    connectMs: options.deadlines.connect,
    guard: options.guard,
    tls: tlsPolicy(options.tls),
    tickets: new Tickets(MAX_TICKETS),
  }
  return () => openSession(options, connecting)
}

/** One origin at one address, and what its requests have in common. */
interface Endpoint {
  /** `http://www.example.test` */
  readonly origin: string
  readonly host: string
  readonly address: Address
  readonly target: Target
  connection: Connection | undefined
}

function openSession(options: SessionOptions, connecting: ConnectOptions): FetchSession {
  const { clock } = options
  const endpoints: Endpoint[] = []
  const stop = new Stop()
  let isBusy = false

  /** Undefined for anything but an http or https URL. */
  const endpointOf = ({ url, address }: FetchRequest): { endpoint: Endpoint; target: string } | undefined => {
    const parsed = URL.parse(url)
    if (parsed === null || !/^https?:$/.test(parsed.protocol)) return undefined
    const origin = `${parsed.protocol}//${parsed.host}`
    let endpoint = endpoints.find((one) => one.origin === origin && isSame(one.address, address))
    if (endpoint === undefined) {
      if (endpoints.length >= MAX_CONNECTIONS) endpoints.shift()?.connection?.destroy()
      endpoint = { origin, host: parsed.host, address, target: targetOf(parsed, address), connection: undefined }
      endpoints.push(endpoint)
    }
    return { endpoint, target: requestTarget(parsed) }
  }

  const ask = async (request: FetchRequest): Promise<Exchange> => {
    const place = endpointOf(request)
    if (place === undefined) return unsent(request, clock.now(), failed('protocol', 'not an http or https URL'))
    const { endpoint, target } = place
    let { connection } = endpoint
    const reused = connection?.alive === true
    if (!reused || connection === undefined) {
      const opened = await connect(endpoint.target, connecting, stop)
      if (!(opened instanceof Connection)) return unsent(request, clock.now(), opened)
      endpoint.connection = connection = opened
    }
    if (stop.isStopped) {
      connection.destroy()
      return unsent(request, clock.now(), failed('reset', 'aborted'))
    }
    const bytes = requestBytes(endpoint.host, target, request.headers)
    const connected = reused ? {} : { connectMs: connection.connectMs }
    // No await from here to the write: the permission must still hold when the first byte is sent.
    if (!request.may()) {
      connection.release(options.maxIdleMs)
      return { ...unsent(request, clock.now(), { kind: 'withheld' }), ...connected }
    }
    const sentAt = clock.now()
    const sentElapsed = clock.elapsed()
    const { answer, reusable } = await carry(connection, reused, bytes, request.wants, options, stop)
    if (reusable) connection.release(idleTime(answer, options.maxIdleMs))
    else endpoint.connection = undefined
    const exchange: Exchange = {
      url: request.url,
      address: request.address,
      sentAt,
      answeredAt: clock.now(),
      tookMs: clock.elapsed() - sentElapsed,
      request: bytes,
      answer,
      ...connected,
    }
    if (connection.tls !== undefined) exchange.tls = connection.tls
    if (connection.certificate !== undefined) exchange.certificate = connection.certificate
    return exchange
  }

  return {
    async fetch(request) {
      assert(!isBusy, 'a session has one request in flight')
      if (stop.isStopped) return unsent(request, clock.now(), failed('reset', 'aborted'))
      isBusy = true
      try {
        return await ask(request)
      } finally {
        isBusy = false
      }
    },
    close() {
      stop.stop()
      for (const { connection } of endpoints) connection?.destroy()
      endpoints.length = 0
    },
  }
}

function unsent(request: FetchRequest, at: Instant, answer: Answer): Exchange {
  const { url, address } = request
  return { url, address, sentAt: at, answeredAt: at, tookMs: 0, request: NOTHING, answer }
}

function isSame(a: Address, b: Address): boolean {
  return a === b || (a.ip === b.ip && a.port === b.port)
}

function targetOf(url: URL, address: Address): Target {
  const secure = url.protocol === 'https:'
  const port = address.port ?? (url.port === '' ? (secure ? 443 : 80) : Number(url.port))
  return { ip: address.ip, port, secure, hostname: url.hostname }
}

/** Half a second less than the server's `Keep-Alive: timeout=5`, so that few requests meet a closed connection. */
function idleTime(answer: Answer, maxIdleMs: Millis): Millis {
  if (answer.kind !== 'full') return 0
  const said = headerOf(answer.head.headers, 'keep-alive')
  const seconds = said === undefined ? null : /timeout\s*=\s*(\d{1,6})/i.exec(said)
  return seconds === null ? maxIdleMs : Math.min(maxIdleMs, Math.max(0, Number(seconds[1]) * 1000 - 500))
}

/** From the text, because `search` is empty for `/a?`, which is another URL than `/a`. */
function requestTarget({ href, protocol }: URL): string {
  const from = href.indexOf('/', protocol.length + 2)
  const hash = href.indexOf('#', from)
  return hash < 0 ? href.slice(from) : href.slice(from, hash)
}

/** Host first (RFC 9110 §7.2). Credentials in the URL are never sent. */
function requestBytes(host: string, target: string, headers: Headers): Uint8Array {
  let text = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n`
  for (const [name, value] of headers) {
    assert(/^[\w!#$%&'*+.^`|~-]+$/.test(name), `header name ${name}`)
    // Values may come from the web (an ETag, a cookie): nothing in them may begin a new line.
    text += `${name}: ${value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')}\r\n`
  }
  // HTTP/1.1 keeps connections open without being told.
  return Buffer.from(`${text}\r\n`, 'latin1')
}
