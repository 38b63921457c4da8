/** Servers of tests that send exactly the bytes they are told to, and a clock that moves only when told. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls'
import { type Clock, realClock, turn } from '../base/clock.ts'
import { TEST_CERTIFICATE, TEST_KEY } from './certificate.test-data.ts'
import { addressGuard } from './guard.ts'
import type { SessionOptions } from './session.ts'

/** Of sessions to these servers. */
export function sessionOptions(more: Partial<SessionOptions> = {}): SessionOptions {
  return {
    clock: realClock,
    deadlines: { connect: 5_000, firstByte: 5_000, idle: 4_000, exchange: 10_000 },
    minRate: { bytesPerSecond: 0, graceMs: 0 },
    tls: 'open',
    guard: addressGuard({ allowPrivate: true, allow: new Set() }),
    maxIdleMs: 5_000,
    ...more,
  }
}

export interface RawServer {
  port: number
  /** Heads of requests as they came. */
  requests: string[]
  connections: Socket[]
  close(): void
}

/** Calls `answer` for each request; `n` counts the requests of all connections from 1. */
export async function rawServer(answer: (socket: Socket, n: number, request: string) => void): Promise<RawServer> {
  return listen(createServer(), 'connection', answer)
}

export async function rawTlsServer(
  answer: (socket: TLSSocket, n: number, request: string) => void,
  more: TlsOptions = {},
): Promise<RawServer> {
  const server = createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE, ALPNProtocols: ['h2', 'http/1.1'], ...more })
  return listen(server, 'secureConnection', (socket, n, request) => answer(socket as TLSSocket, n, request))
}

async function listen(server: Server, event: string, answer: (socket: Socket, n: number, request: string) => void) {
  const state: RawServer = {
    port: 0,
    requests: [],
    connections: [],
    close() {
      server.close()
      for (const socket of state.connections) socket.destroy()
    },
  }
  server.on(event, (socket: Socket) => {
    state.connections.push(socket)
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const request = text.slice(0, end + 4)
        text = text.slice(end + 4)
        state.requests.push(request)
        answer(socket, state.requests.length, request)
      }
    })
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  state.port = (server.address() as AddressInfo).port
  return state
}

export interface HandClock extends Clock {
  move(ms: number): void
}

export function handClock(): HandClock {
  let elapsed = 0
  let waiting: { at: number; call: () => void }[] = []
  const after = (ms: number, call: () => void) => {
    const item = { at: elapsed + ms, call }
    waiting.push(item)
    return () => {
      waiting = waiting.filter((other) => other !== item)
    }
  }
  return {
    now: () => 1_700_000_000_000 + elapsed,
    elapsed: () => elapsed,
    after,
    sleep: (ms) => new Promise((resolve) => after(ms, resolve)),
    move(ms) {
      elapsed += ms
      const due = waiting.filter((item) => item.at <= elapsed)
      waiting = waiting.filter((item) => item.at > elapsed)
      for (const item of due) item.call()
    },
  }
}

/** Turns the event loop until something is so; a bound, so that a mistake ends the test. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition(); turns++) {
    if (turns > 200_000) throw new Error('it never came to that')
    await turn()
  }
}
