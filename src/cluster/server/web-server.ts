/** Listens: for a server, and for the dashboard of a crawl that is none, which has the door alone, without the API and its libraries. */
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Millis } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { rolesBy, type Tokens } from './roles.ts'
import { belowBase, type DoorOptions, webDoor } from './web-door.ts'

export interface WebServerOptions extends Pick<DoorOptions, 'pages' | 'base' | 'clock' | 'failed'> {
  host: string
  /** 0: any free port. */
  port: number
  tokens: Tokens
}

/** For a request's head, and for all of it: slow clients must not hold sockets. */
const HEAD_WITHIN: Millis = 20_000
const REQUEST_WITHIN: Millis = 120_000
/** Those limits are looked at this often. */
const CHECK_EVERY: Millis = 5_000
/** Of a connection on which nothing moves, either way. Longer than any call waits. */
const QUIET: Millis = 120_000
/** Longer than the pauses between a worker's calls, and than what proxies in front usually keep. */
const KEEP_ALIVE: Millis = 75_000
const MAX_HEADER_BYTES = 16 * 1024
/** The same beside a crawl, which needs sockets, too; and its connections in all. */
const KEEP_ALIVE_BESIDE: Millis = 5_000
const MAX_BESIDE = 1_000
/** Connections that have not asked anything yet. A client sends its first head within moments. */
const MAX_SILENT = 500

/**
 * Plain HTTP, or HTTPS. Idle or slow connections cannot keep others out: beyond a number of them each new one ends the
 * oldest.
 */
export function httpServer(tls: { cert: string; key: string } | undefined, answer: RequestListener): Server {
  const limits = {
    headersTimeout: HEAD_WITHIN,
    requestTimeout: REQUEST_WITHIN,
    connectionsCheckingInterval: CHECK_EVERY,
  }
  const options = { ...limits, maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE }
  const server = tls === undefined ? createServer(options, answer) : createTlsServer({ ...options, ...tls }, answer)
  server.timeout = QUIET
  // By address and port: with TLS, a request names another socket than its connection.
  const silent = new Map<string, Socket>()
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket)
    silent.set(name, socket)
    socket.once('close', () => {
      if (silent.get(name) === socket) silent.delete(name)
    })
    if (silent.size <= MAX_SILENT) return
    const [[oldest, idle]] = silent
    silent.delete(oldest)
    idle.destroy()
  })
  server.on('request', ({ socket }) => silent.delete(nameOf(socket)))
  return server
}

export async function openWebServer(options: WebServerOptions): Promise<{ url: string; close(): Promise<void> }> {
  const { host, port, tokens, base, clock } = options
  const roles = rolesBy(tokens, clock, base)
  const door = webDoor({ ...options, roles, isTls: false, publicUrl: undefined })
  const server = httpServer(undefined, (request, response) => {
    request.url = belowBase(request.url ?? '/', base)
    if (request.url === '/healthz')
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}')
    else void door(request, response)
  })
  server.keepAliveTimeout = KEEP_ALIVE_BESIDE
  server.maxConnections = MAX_BESIDE
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, options, '--dashboard')))
    server.listen(port, host, resolve)
  })
  return {
    url: `${urlOf(server.address() as AddressInfo, 'localhost', false)}${base}`,
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** `machine`: the name used when the server listens on all addresses. */
export function urlOf({ address, family, port }: AddressInfo, machine: string, isTls: boolean): string {
  const host = address === '0.0.0.0' || address === '::' ? machine : family === 'IPv6' ? `[${address}]` : address
  return `${isTls ? 'https' : 'http'}://${host}:${port}`
}

/** `flags`: where the operator says where to listen. */
export function cannotListen(
  error: unknown,
  { host, port }: Pick<WebServerOptions, 'host' | 'port'>,
  flags: string,
): unknown {
  const { code } = error as NodeJS.ErrnoException
  const why: Record<string, string> = {
    EADDRINUSE: 'another program listens there',
    EACCES: 'this user may not listen there',
    EADDRNOTAVAIL: 'this machine has no such address',
  }
  if (code === undefined || why[code] === undefined) return error
  return new Problem('bad-flag', `cannot listen on ${host} port ${port}: ${why[code]} (see ${flags})`)
}
