/** One visit's connections: one for each (scheme, host, port, address), one request in flight, closed with the visit. */
import { assert } from '../base/assert.ts'
import type { Clock, Instant, Millis } from '../base/clock.ts'
import type { Answer, Exchange, FetchRequest, FetchSession, OpenSession } from '../visit/exchange.ts'
import { headerOf } from '../web/http/headers.ts'
import { carry, type Deadlines, type LeastRate } from './carry.ts'
import { type ConnectOptions, connect, type Target, type TicketBox, tlsPolicy } from './connect.ts'
import { Connection } from './connection.ts'
import { failed } from './failed.ts'
import { Stop } from './stop.ts'

export interface SessionOptions {
  clock: Clock
  deadlines: Deadlines
  leastRate: LeastRate
  /** `open` accepts any certificate. */
  tls: 'open' | 'strict'
  /** Asked before connecting, and again about the address that was reached. */
  guard: (ip: string) => boolean
  /** A connection that waited longer is not used again. */
  maxIdleMs: Millis
}

/** A visit has http and https, perhaps on a second address; more are of no use. */
const MOST_CONNECTIONS = 4
const NOTHING = new Uint8Array(0)

export function openSessions(options: SessionOptions): OpenSession {
  const connecting: ConnectOptions = {
    clock: options.clock,
    connectMs: options.deadlines.connect,
    guard: options.guard,
    tls: tlsPolicy(options.tls),
  }
  return () => openSession(options, connecting)
}

interface Line {
  connection: Connection | undefined
  tickets: TicketBox
}

function openSession(options: SessionOptions, connecting: ConnectOptions): FetchSession {
  const { clock } = options
  const lines = new Map<string, Line>()
  let current: Stop | undefined
  let isClosed = false

  const lineOf = (target: Target): Line => {
    const key = `${target.secure} ${target.hostname} ${target.port} ${target.ip}`
    let line = lines.get(key)
    if (line !== undefined) return line
    for (const [oldest, unused] of lines) {
      if (lines.size < MOST_CONNECTIONS) break
      unused.connection?.destroy()
      lines.delete(oldest)
    }
    line = { connection: undefined, tickets: { ticket: undefined } }
    lines.set(key, line)
    return line
  }

  const ask = async (request: FetchRequest, stop: Stop): Promise<Exchange> => {
    const startedAt = clock.now()
    const url = URL.parse(request.url)
    if (url === null || !/^https?:$/.test(url.protocol)) {
      return unsent(request, startedAt, failed('protocol', 'not an http or https URL'))
    }
    const target = targetOf(url, request)
    const line = lineOf(target)
    const reused = line.connection?.alive === true
    let connection = line.connection
    if (!reused || connection === undefined) {
      const opened = await connect(target, connecting, line.tickets, stop)
      if (!(opened instanceof Connection)) return unsent(request, clock.now(), opened)
      line.connection = connection = opened
    }
    if (stop.isStopped) {
      connection.release(clock, options.maxIdleMs)
      return unsent(request, clock.now(), failed('reset', 'aborted'))
    }
    const bytes = requestBytes(url, request)
    // Nothing may come between the question and the first byte: no await from here to the write.
    if (!request.may()) {
      connection.release(clock, options.maxIdleMs)
      return unsent(request, clock.now(), { kind: 'withheld' })
    }
    const sentAt = clock.now()
    const sentElapsed = clock.elapsed()
    const { answer, reusable } = await carry(connection, reused, bytes, request.wants, options, stop)
    if (reusable) connection.release(clock, idleTime(answer, options.maxIdleMs))
    else line.connection = undefined
    const exchange: Exchange = {
      url: request.url,
      address: request.address,
      sentAt,
      answeredAt: clock.now(),
      tookMs: clock.elapsed() - sentElapsed,
      request: bytes,
      answer,
    }
    if (connection.tls !== undefined) exchange.tls = connection.tls
    return exchange
  }

  return {
    async fetch(request, signal) {
      assert(current === undefined, 'a session has one request in flight')
      const stop = new Stop()
      if (signal.aborted || isClosed) return unsent(request, clock.now(), failed('reset', 'aborted'))
      current = stop
      signal.addEventListener('abort', stop.stop)
      try {
        return await ask(request, stop)
      } finally {
        signal.removeEventListener('abort', stop.stop)
        current = undefined
      }
    },
    close() {
      isClosed = true
      current?.stop()
      for (const { connection } of lines.values()) connection?.destroy()
      lines.clear()
    },
  }
}

function unsent(request: FetchRequest, at: Instant, answer: Answer): Exchange {
  const { url, address } = request
  return { url, address, sentAt: at, answeredAt: at, tookMs: 0, request: NOTHING, answer }
}

function targetOf(url: URL, { address }: FetchRequest): Target {
  const secure = url.protocol === 'https:'
  const port = address.port ?? (url.port === '' ? (secure ? 443 : 80) : Number(url.port))
  return { ip: address.ip, port, secure, hostname: url.hostname }
}

/** Host first (RFC 9110 §7.2); credentials in the URL are never sent. */
function requestBytes(url: URL, request: FetchRequest): Uint8Array {
  let text = `GET ${requestTarget(url)} HTTP/1.1\r\nHost: ${url.host}\r\n`
  for (const [name, value] of request.headers) {
    assert(/^[\w!#$%&'*+.^`|~-]+$/.test(name), `header name ${name}`)
    // Values may come from the web (an ETag, a cookie): nothing in them may begin a line of its own.
    text += `${name}: ${value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')}\r\n`
  }
  return Buffer.from(`${text}Connection: keep-alive\r\n\r\n`, 'latin1')
}

/** From the text: `search` is empty for `/a?`, which is another URL than `/a` and would be asked for as the same. */
function requestTarget({ href, protocol }: URL): string {
  const from = href.indexOf('/', protocol.length + 2)
  const hash = href.indexOf('#', from)
  return hash < 0 ? href.slice(from) : href.slice(from, hash)
}

/** Servers say how long they wait (`Keep-Alive: timeout=5`); half a second less, and few requests meet a closed door. */
function idleTime(answer: Answer, maxIdleMs: Millis): Millis {
  if (answer.kind !== 'full') return 0
  const said = headerOf(answer.head.headers, 'keep-alive')
  const seconds = said === undefined ? null : /timeout\s*=\s*(\d{1,6})/i.exec(said)
  return seconds === null ? maxIdleMs : Math.min(maxIdleMs, Math.max(0, Number(seconds[1]) * 1000 - 500))
}
