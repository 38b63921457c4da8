/**
 * The synthetic web over loopback: many virtual hosts by their Host line, on one address or on one each. A server on bare
 * sockets, because it must be able to misbehave, and because it must cost less than the crawler that it feeds.
 */
import { createServer, type Server, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Clock } from '../../src/base/clock.ts'
import type { Headers } from '../../src/contracts/exchange.ts'
import { loopbackAddress } from './addresses.ts'
import { selfSigned } from './certificate.ts'
import { type RequestEntry, RequestLedger } from './ledger-of-requests.ts'
import type { TestWeb } from './web.ts'
import { headerOf, type WireAnswer } from './wire.ts'

export interface ServeOptions {
  clock: Clock
  /** Default: any free one. */
  port?: number
  /** `one`: all sites at 127.0.0.1. `many`: each at its own 127.x.y.z (Linux), shared where the web says so. */
  addresses: 'one' | 'many'
  /** Listens with TLS too, on the same port: the first byte tells. */
  tls?: boolean
}

export interface ServedWeb {
  readonly port: number
  readonly ledger: RequestLedger
  /** For `--resolve`: `*.test=127.0.0.1:PORT`, or a line for each site. */
  readonly resolveRules: readonly string[]
  /** PEM of the self-signed certificate; undefined without TLS. */
  readonly certificate?: string
  close(): Promise<void>
}

const MAX_HEAD_BYTES = 64 * 1024
/** A body goes out in pieces, so that what a client did not want is seen not to have been sent. */
const PIECE_BYTES = 32 * 1024
const TLS_HANDSHAKE = 0x16

interface Serving {
  web: TestWeb
  clock: Clock
  ledger: RequestLedger
  sockets: Set<Socket>
  secret: { key: string; cert: string } | undefined
  connections: number
}

export async function serveWeb(web: TestWeb, options: ServeOptions): Promise<ServedWeb> {
  const ledger = new RequestLedger(options.clock)
  const secret = options.tls ? selfSigned(secureNames(web)) : undefined
  const serving: Serving = { web, clock: options.clock, ledger, sockets: new Set(), secret, connections: 0 }
  const servers =
    options.addresses === 'one'
      ? [await listen(serving, '127.0.0.1', options.port ?? 0)]
      : await listenAll(serving, options)
  const port = portOf(servers[0])
  return {
    port,
    ledger,
    resolveRules: options.addresses === 'one' ? onePlace(web, port) : ownPlaces(web, port),
    certificate: secret?.cert,
    async close() {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
      for (const socket of serving.sockets) socket.destroy()
      await Promise.all(closed)
    },
  }
}

/** Certificates with thousands of names are no use to anyone; beyond these a client must not check the name. */
const MAX_NAMES = 500

function secureNames(web: TestWeb): string[] {
  const names = new Set(['localhost'])
  for (const { scheme, host } of web.allSites()) {
    if (scheme === 'https') names.add(host.split('.').length > 2 ? host.replace(/^[^.]+/, '*') : host)
  }
  return [...names].slice(0, MAX_NAMES)
}

function onePlace(web: TestWeb, port: number): string[] {
  const hosts = [...web.allSites().map(({ host }) => host), ...web.wildcardDomains().map(({ domain }) => domain)]
  const domains = new Set(hosts.map((host) => host.split(':', 1)[0].split('.').at(-1)))
  const refusing = web.allSites().filter(({ failing }) => failing === 'refused')
  return [
    ...refusing.map(({ host }) => `${host.split(':', 1)[0]}=127.0.0.1:${NOBODY_LISTENS}`),
    ...[...domains].map((domain) => `*.${domain}=127.0.0.1:${port}`),
  ]
}

/** The port of tcpmux: no machine of these days has it, and no ordinary program may take it. */
const NOBODY_LISTENS = 1

function ownPlaces(web: TestWeb, port: number): string[] {
  const named = web.allSites().filter((site) => site.failing !== 'no-such-name' && site.failing !== 'dns')
  const lines = named.map((site) => `${site.host.split(':', 1)[0]}=${loopbackAddress(site)}:${port}`)
  const any = web.wildcardDomains().map(({ domain, anywhere }) => `*.${domain}=${loopbackAddress(anywhere)}:${port}`)
  return [...lines, ...any]
}

const portOf = (server: Server) => {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** The port that the first address got may be taken at another: then all start again. */
async function listenAll(serving: Serving, options: ServeOptions): Promise<Server[]> {
  const living = serving.web.allSites().filter((site) => site.failing === undefined || RESPONSIVE.has(site.failing))
  const anywhere = serving.web.wildcardDomains().map((wildcard) => wildcard.anywhere)
  const addresses = [...new Set([...living, ...anywhere].map(loopbackAddress))]
  for (let attempt = 1; ; attempt++) {
    const servers: Server[] = []
    try {
      for (const address of addresses)
        servers.push(await listen(serving, address, servers.length > 0 ? portOf(servers[0]) : (options.port ?? 0)))
      return servers
    } catch (error) {
      for (const server of servers) server.close()
      if (attempt === 5 || options.port !== undefined) throw error
    }
  }
}

/** Failing sites that take connections; at the others' addresses nobody listens. */
const RESPONSIVE: ReadonlySet<string> = new Set(['silent', 'reset', 'garbage', 'cut'])

function listen(serving: Serving, address: string, port: number): Promise<Server> {
  const server = createServer({ noDelay: true }, (socket) => greet(serving, socket))
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: address, port, backlog: 4096 }, () => resolve(server))
  })
}

function greet(serving: Serving, socket: Socket): void {
  serving.sockets.add(socket)
  const connection = ++serving.connections
  socket.on('close', () => serving.sockets.delete(socket))
  socket.on('error', () => socket.destroy())
  if (serving.secret === undefined) {
    converse(serving, socket, 'http', connection)
    return
  }
  socket.once('data', (first) => {
    socket.pause()
    socket.unshift(first)
    if (first[0] !== TLS_HANDSHAKE) {
      converse(serving, socket, 'http', connection)
      return
    }
    const secure = new TLSSocket(socket, { isServer: true, ...serving.secret })
    secure.on('error', () => secure.destroy())
    converse(serving, secure, 'https', connection)
  })
}

/** One request after the other; what comes too early waits. */
function converse(serving: Serving, socket: Socket, scheme: 'http' | 'https', connection: number): void {
  let read = Buffer.alloc(0)
  let busy = false
  const next = async () => {
    if (busy) return
    const end = read.indexOf('\r\n\r\n')
    if (end < 0) {
      if (read.length > MAX_HEAD_BYTES) socket.destroy()
      return
    }
    busy = true
    const head = read.toString('latin1', 0, end)
    read = read.subarray(end + 4)
    const goesOn = await reply(serving, socket, head, scheme, connection)
    busy = false
    if (goesOn) void next()
  }
  socket.on('data', (bytes) => {
    read = read.length === 0 ? bytes : Buffer.concat([read, bytes])
    void next()
  })
  socket.resume()
}

/** True when the connection stays open. */
async function reply(
  serving: Serving,
  socket: Socket,
  text: string,
  scheme: 'http' | 'https',
  connection: number,
): Promise<boolean> {
  const { web, clock, ledger } = serving
  const asked = readRequest(text, scheme)
  if (asked === undefined) {
    socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    return false
  }
  const entry = ledger.begin(
    asked.url,
    socket.localAddress ?? '',
    headerOf(asked.headers, 'user-agent') ?? '',
    connection,
  )
  const gone = () => {
    if (entry.endedAt === undefined) ledger.end(entry, entry.status, entry.bodyBytes, false)
  }
  socket.once('close', gone)
  const said =
    web.unreachable(asked.url) === undefined
      ? web.answer({ ...asked, at: clock.now(), attempt: ledger.attempts(entry.url) })
      : undefined
  if (said?.kind === 'silent') return false
  if (said === undefined || said.kind === 'reset') {
    // Only a bare socket can be reset; a secure one just goes away, which looks the same to a client.
    if (socket instanceof TLSSocket) socket.destroy()
    else socket.resetAndDestroy()
    return false
  }
  if (said.latencyMs > 0) await clock.sleep(said.latencyMs)
  if (socket.destroyed) return false
  if (said.kind === 'garbage') {
    socket.end(said.bytes)
    return false
  }
  await send(serving, socket, said, entry)
  socket.off('close', gone)
  if (headerOf(asked.headers, 'connection')?.toLowerCase() === 'close') socket.end()
  return said.keepAlive && said.whole && !socket.destroyed
}

async function send({ clock, ledger }: Serving, socket: Socket, said: WireAnswer, entry: RequestEntry): Promise<void> {
  const { wireHead, wireBody } = said
  entry.status = said.head.status
  let sent: boolean
  // An answer ends when its last piece is handed over. That it was taken is heard later, by a busy server much later:
  // counted from there a crawler that keeps its pauses would seem not to.
  let handedAt = clock.elapsed()
  if (wireBody.length <= PIECE_BYTES) {
    sent = await write(socket, Buffer.concat([wireHead, wireBody]))
    if (sent) entry.bodyBytes = wireBody.length
  } else {
    sent = await write(socket, wireHead)
    for (let at = 0; at < wireBody.length && sent; at += PIECE_BYTES) {
      const piece = wireBody.subarray(at, at + PIECE_BYTES)
      handedAt = clock.elapsed()
      sent = await write(socket, piece)
      if (sent) entry.bodyBytes += piece.length
    }
  }
  while (said.drip !== undefined && !socket.destroyed) {
    handedAt = clock.elapsed()
    if (await write(socket, said.drip.bytes)) entry.bodyBytes += said.drip.bytes.length
    await clock.sleep(said.drip.everyMs)
  }
  // A client that left ended it when it left.
  if (entry.endedAt === undefined) ledger.end(entry, said.head.status, entry.bodyBytes, said.whole && sent, handedAt)
  if (!said.keepAlive || !said.whole) socket.end()
}

/** True when the bytes were handed to the system. */
function write(socket: Socket, bytes: Uint8Array): Promise<boolean> {
  if (socket.destroyed) return Promise.resolve(false)
  return new Promise((resolve) => {
    socket.write(bytes, (error) => resolve(error === undefined || error === null))
  })
}

function readRequest(text: string, scheme: 'http' | 'https'): { url: string; headers: Headers } | undefined {
  const lines = text.split('\r\n')
  const match = /^GET (\/\S*) HTTP\/1\.[01]$/.exec(lines[0])
  if (match === null) return undefined
  const headers: [string, string][] = []
  for (let i = 1; i < lines.length; i++) {
    const colon = lines[i].indexOf(':')
    if (colon > 0) headers.push([lines[i].slice(0, colon), lines[i].slice(colon + 1).trim()])
  }
  const host = headerOf(headers, 'host')
  return host === undefined ? undefined : { url: `${scheme}://${host}${match[1]}`, headers }
}
