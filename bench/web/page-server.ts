/**
 * The synthetic web from bare sockets, in a process of its own, as cheaply as Node can: pages are made before they are
 * asked for, a request is two look-ups and one write. It also answers requests in absolute form, so that crawlers that
 * cannot be told where a name leads use it as their proxy.
 *
 * Started by `served-web.ts`; speaks the messages below with it.
 */
import { constants } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { createServer as createSecureServer, type TlsOptions } from 'node:tls'
import { selfSigned } from '../../testkit/web/certificate.ts'
import type { WebOptions } from '../../testkit/web/options.ts'
import { makeWeb } from '../../testkit/web/web.ts'
import { serveNames } from './name-server.ts'
import { makePage, NOTHING, type Page, prepareSites, type SitePages } from './page-store.ts'

export interface PageServerOptions {
  web: WebOptions
  /** Make all pages before listening. Else each is made when it is asked for, and not kept. */
  prepare: boolean
  /** Take connections to every address of 127/8, not to 127.0.0.1 only. */
  manyAddresses: boolean
  /** TLS on the port, too: the first byte tells. Sites that name a port of their own have none. */
  secure?: boolean
  /** Names and the usual ports too (of prepared pages only), for crawlers that find the web as they find any other. */
  names?: boolean
}

/**
 * `kept`: open until the client closes. With each answer closed, over TLS: `cold`, so that every page costs a whole
 * handshake (no tickets are given out); `resumed`, so that all but the first of a site are short ones (tickets are).
 */
export type Connections = 'kept' | 'cold' | 'resumed'

export interface Manner {
  /** How answers are coded for those who accept it. */
  coding: 'identity' | 'gzip'
  connections: Connections
}

export type ToServer = ({ kind: 'begin' } & Manner) | { kind: 'stand' }

/** Since the run began; CPU: since the process did. */
export interface Stand {
  requests: number
  /** Of those, pages: neither robots.txt nor missing. */
  pages: number
  /** Of those, different ones. */
  distinct: number
  /** Of the pages, those that went out coded as gzip. */
  coded: number
  connections: number
  /** Of those, the ones over TLS. */
  handshakes: number
  /** Of those, the ones that took up an earlier session. */
  resumed: number
  /** Names asked for. */
  names: number
  cpuSeconds: number
}

/** Where names are told, and why the web is not to be had at its ports, if it is not. */
export interface Names {
  port: number
  missing?: string
}

export type FromServer = { kind: 'listening'; port: number; names: Names | undefined } | ({ kind: 'stand' } & Stand)

const options = JSON.parse(process.argv[2]) as PageServerOptions
const scheme = options.secure === true ? 'https' : 'http'
const web = makeWeb(options.web)
const none = { requests: 0, pages: 0, distinct: 0, coded: 0, connections: 0, handshakes: 0, resumed: 0, names: 0 }
const stand = { ...none }
let run = 0
let manner: Manner = { coding: 'identity', connections: 'kept' }
let sites: ReadonlyMap<string, SitePages> = new Map()

function find(host: string, path: string): Page {
  if (!options.prepare) return makePage(web, `${scheme}://${host}${path}`)
  return sites.get(host)?.get(path) ?? NOTHING
}

const HOST_LINE = /\r\nhost: *([^\r]+)/i
const ABSOLUTE = 'http://'

/** `GET http://host/path HTTP/1.1`, or `GET /path HTTP/1.1` and a Host line. */
function pageOf(head: string): Page {
  const start = head.indexOf(' ') + 1
  const end = head.indexOf(' ', start)
  if (head.startsWith(ABSOLUTE, start)) {
    const slash = head.indexOf('/', start + ABSOLUTE.length)
    return find(head.slice(start + ABSOLUTE.length, slash), head.slice(slash, end))
  }
  const line = head.indexOf('\r\nHost: ')
  const host = line < 0 ? (HOST_LINE.exec(head)?.[1] ?? '') : head.slice(line + 8, head.indexOf('\r', line + 8))
  return find(host, head.slice(start, end))
}

const CLOSE = /\r\nconnection: *close/i

function reply(socket: Socket, head: string): void {
  const page = pageOf(head)
  const coding = manner.coding === 'gzip' && head.includes('gzip') ? 'gzip' : 'identity'
  stand.requests++
  if (head.startsWith('HEAD')) {
    socket.write(page[coding].subarray(0, page.headLength[coding]))
    return
  }
  if (page.isPage) {
    stand.pages++
    if (page.run !== run) stand.distinct++
    page.run = run
    if (coding === 'gzip') stand.coded++
  }
  if (manner.connections !== 'kept') socket.end(closing(page, coding))
  else if (head.includes('close') && CLOSE.test(head)) socket.end(page[coding])
  else socket.write(page[coding])
}

/** With `Connection: close` in the place of `keep-alive`. */
function closing(page: Page, coding: Manner['coding']): Buffer {
  const whole = page[coding]
  const length = page.headLength[coding]
  const head = whole.toString('latin1', 0, length).replace('Connection: keep-alive', 'Connection: close')
  return Buffer.concat([Buffer.from(head, 'latin1'), whole.subarray(length)])
}

/**
 * Where many ask, a while's requests are answered at once: to be woken for each costs as much as to answer it (49 µs a
 * page against 33, beside a busy crawler). The nap is so short that at least 10,000 pages per second are possible.
 */
const FEWEST_FOR_A_NAP = 8
const NAP_MS_EACH = 0.1
const LONGEST_NAP_MS = 8
const sleeper = new Int32Array(new SharedArrayBuffer(4))
const SPAN_MS = 200
/** A time of `SPAN_MS` or more, and the connections that asked in it. */
const span = { number: 0, begunAt: 0, asking: 0 }
let napMs = 0
let turnEnds = false

/** Gives the number of the span. */
function noteAsking(lastIn: number): number {
  if (!turnEnds) setImmediate(endTurn)
  turnEnds = true
  if (lastIn !== span.number) span.asking++
  return span.number
}

function endTurn(): void {
  turnEnds = false
  if (napMs > 0) Atomics.wait(sleeper, 0, 0, napMs)
  const now = performance.now()
  if (now - span.begunAt < SPAN_MS) return
  napMs = span.asking < FEWEST_FOR_A_NAP ? 0 : Math.min(LONGEST_NAP_MS, span.asking * NAP_MS_EACH)
  span.number++
  span.begunAt = now
  span.asking = 0
}

function converse(socket: Socket): void {
  if (!socket.localAddress?.includes('127.')) {
    socket.destroy()
    return
  }
  stand.connections++
  let rest = ''
  let lastAsking = -1
  socket.on('error', () => socket.destroy())
  socket.on('data', (bytes) => {
    const text = rest + bytes.toString('latin1')
    let from = 0
    lastAsking = noteAsking(lastAsking)
    for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n', from)) {
      // Nearly always one request is all that comes, and the text need not be cut.
      reply(socket, from === 0 && end + 4 === text.length ? text : text.slice(from, end + 2))
      from = end + 4
    }
    rest = from === text.length ? '' : text.slice(from)
  })
}

const secret = options.secure === true ? selfSigned(['localhost', '*.web.test', '*.test']) : undefined

/** No tickets and no memory of sessions: OpenSSL then has no way to take one up again. */
function secureOptions(connections: Connections): TlsOptions {
  return { ...secret, secureOptions: connections === 'cold' ? constants.SSL_OP_NO_TICKET : 0 }
}

const secureServer =
  secret === undefined
    ? undefined
    : createSecureServer({ ...secureOptions('kept'), noDelay: true }, (socket) => {
        stand.handshakes++
        if (socket.isSessionReused()) stand.resumed++
        converse(socket)
      })
secureServer?.on('tlsClientError', (_, socket) => socket.destroy())

const TLS_HANDSHAKE = 0x16

function greet(socket: Socket): void {
  socket.on('error', () => socket.destroy())
  socket.once('data', (first: Buffer) => {
    socket.pause()
    socket.unshift(first)
    if (first[0] === TLS_HANDSHAKE) secureServer?.emit('connection', socket)
    else {
      converse(socket)
      socket.resume()
    }
  })
}

const say = (message: FromServer) => process.send?.(message)

process.on('message', (message: ToServer) => {
  if (message.kind === 'begin') {
    manner = message
    secureServer?.setSecureContext(secureOptions(manner.connections))
    Object.assign(stand, none)
    run++
  } else {
    const { user, system } = process.cpuUsage()
    say({ kind: 'stand', ...stand, cpuSeconds: (user + system) / 1e6 })
  }
})
process.on('disconnect', () => process.exit(0))

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: 8192 }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}

function isName(name: string): boolean {
  stand.names++
  return sites.has(name)
}

async function openNames(): Promise<Names | undefined> {
  if (options.names !== true || !options.prepare) return undefined
  const { port } = await serveNames(isName)
  try {
    const ports = new Set(web.homes().map((home) => Number(new URL(home).port || 80)))
    for (const each of ports) await listen(createServer({ noDelay: true }, converse), '127.0.0.1', each)
    return { port }
  } catch (error) {
    return { port, missing: error instanceof Error ? error.message : `${error}` }
  }
}

if (options.prepare) sites = prepareSites(web)
const server = createServer({ noDelay: true }, secureServer === undefined ? converse : greet)
const port = await listen(server, options.manyAddresses ? '0.0.0.0' : '127.0.0.1', 0)
say({ kind: 'listening', port, names: await openNames() })
