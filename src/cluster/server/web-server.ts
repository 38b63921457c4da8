/** Listens for the dashboard of a crawl that is no server: the door alone, without the API and its libraries. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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

/** Slow clients must not hold sockets. */
const HEAD_WITHIN: Millis = 20_000
const REQUEST_WITHIN: Millis = 60_000
/** Of a connection on which nothing moves, either way. */
const QUIET: Millis = 120_000
/** The crawl needs sockets, too. */
const MAX_CONNECTIONS = 500
const MAX_HEADER_BYTES = 16 * 1024

export async function openWebServer(options: WebServerOptions): Promise<{ url: string; close(): Promise<void> }> {
  const { host, port, tokens, base, clock } = options
  const roles = rolesBy(tokens, clock, base)
  const door = webDoor({ ...options, roles, isTls: false, publicUrl: undefined })
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: HEAD_WITHIN, requestTimeout: REQUEST_WITHIN },
    (request, response) => {
      request.url = belowBase(request.url ?? '/', base)
      if (request.url === '/healthz')
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}')
      else void door(request, response)
    },
  )
  server.maxConnections = MAX_CONNECTIONS
  server.timeout = QUIET
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
