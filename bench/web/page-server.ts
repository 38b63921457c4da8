/**
 * The synthetic web from bare sockets, in a process of its own, as cheaply as Node can: pages are made before they are
 * asked for, a request is one look-up and one write. It also answers requests in absolute form, so that crawlers that
 * cannot be told where a name leads use it as their proxy.
 *
 * Started by `served-web.ts`; speaks the messages below with it.
 */
import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { WebOptions } from '../../src/testweb/options.ts'
import { makeWeb } from '../../src/testweb/web.ts'

export interface PageServerOptions {
  web: WebOptions
  /** Make all pages before listening. Else each is made when it is asked for, and not kept. */
  prepare: boolean
  /** Take connections to every address of 127/8, not to 127.0.0.1 only. */
  manyAddresses: boolean
}

export type ToServer = { kind: 'coding'; coding: 'identity' | 'gzip' } | { kind: 'stand' }

export interface Stand {
  requests: number
  /** Of those, pages: neither robots.txt nor missing. */
  pages: number
  connections: number
  cpuSeconds: number
}

export type FromServer = { kind: 'listening'; port: number } | ({ kind: 'stand' } & Stand)

interface Page {
  identity: Buffer
  gzip: Buffer
  isPage: boolean
}

const options = JSON.parse(process.argv[2]) as PageServerOptions
const web = makeWeb(options.web)
const prepared = new Map<string, Page>()
const stand = { requests: 0, pages: 0, connections: 0 }
let coding: 'identity' | 'gzip' = 'identity'

/** Under `host/path`, as both forms of a request name it. */
function makePage(url: string): Page {
  const answer = web.answer({ url, at: web.plan.epoch, attempt: 1, headers: [] })
  if (answer.kind !== 'answer') return NOTHING
  const { status, reason, headers } = answer.head
  const type = headers.find(([name]) => name === 'Content-Type')?.[1] ?? 'text/html'
  const isPage = status === 200 && !url.endsWith('/robots.txt')
  const head = `HTTP/1.1 ${status} ${reason}\r\nServer: bench\r\nContent-Type: ${type}\r\nConnection: keep-alive\r\n`
  const identity = whole(head, answer.payload)
  const gzip = isPage ? whole(`${head}Content-Encoding: gzip\r\n`, gzipSync(answer.payload, { level: 6 })) : identity
  return { identity, gzip, isPage }
}

function whole(head: string, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`, 'latin1'), body])
}

const NOTHING: Page = (() => {
  const identity = whole(
    'HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nConnection: keep-alive\r\n',
    Buffer.from('no'),
  )
  return { identity, gzip: identity, isPage: false }
})()

function prepare(): void {
  for (let site = 0; site < web.siteCount; site++) {
    const { host, pages } = web.site(site)
    prepared.set(`${host}/robots.txt`, makePage(`http://${host}/robots.txt`))
    for (let page = 0; page < pages; page++) {
      const url = web.urlOf(site, page)
      prepared.set(url.slice('http://'.length), makePage(url))
    }
  }
}

const HOST_LINE = /\r\nhost: *([^\r]+)/i

/** `GET http://host/path HTTP/1.1`, or `GET /path HTTP/1.1` and a Host line. */
function nameOf(head: string): string {
  const target = head.slice(4, head.indexOf(' ', 4))
  if (target.startsWith('http://')) return target.slice('http://'.length)
  const at = head.indexOf('\r\nHost: ')
  const host = at < 0 ? (HOST_LINE.exec(head)?.[1] ?? '') : head.slice(at + 8, head.indexOf('\r', at + 8))
  return host + target
}

function reply(socket: Socket, head: string): void {
  const name = nameOf(head)
  const page = options.prepare ? (prepared.get(name) ?? NOTHING) : makePage(`http://${name}`)
  stand.requests++
  if (page.isPage) stand.pages++
  socket.write(coding === 'gzip' && head.includes('gzip') ? page.gzip : page.identity)
}

function converse(socket: Socket): void {
  if (!socket.localAddress?.includes('127.')) {
    socket.destroy()
    return
  }
  stand.connections++
  let rest = ''
  socket.on('error', () => socket.destroy())
  socket.on('data', (bytes) => {
    rest += bytes.toString('latin1')
    for (let end = rest.indexOf('\r\n\r\n'); end >= 0; end = rest.indexOf('\r\n\r\n')) {
      reply(socket, rest.slice(0, end + 2))
      rest = rest.slice(end + 4)
    }
  })
}

const say = (message: FromServer) => process.send?.(message)

process.on('message', (message: ToServer) => {
  if (message.kind === 'coding') coding = message.coding
  else {
    const { user, system } = process.cpuUsage()
    say({ kind: 'stand', ...stand, cpuSeconds: (user + system) / 1e6 })
  }
})
process.on('disconnect', () => process.exit(0))

if (options.prepare) prepare()
const server = createServer({ noDelay: true }, converse)
server.listen({ host: options.manyAddresses ? '0.0.0.0' : '127.0.0.1', port: 0, backlog: 8192 }, () => {
  const address = server.address()
  say({ kind: 'listening', port: typeof address === 'object' && address !== null ? address.port : 0 })
})
