/** Connections that say little, or nothing, where `crawl --dashboard` and `serve` listen: others still get their answer. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { selfSigned } from '../../../testkit/web/certificate.ts'
import { realClock } from '../../base/clock.ts'
import type { Pages } from './web-door.ts'
import { httpServer, openWebServer } from './web-server.ts'

const SLOW = 900
const MAX_SILENT = 500
const WHOLE = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'

async function listening(t: TestContext, tls?: { cert: string; key: string }) {
  const server = httpServer(tls, (_request, response) => void response.end('well'))
  let open = 0
  server.on('connection', (socket: Socket) => {
    open += 1
    socket.on('close', () => {
      open -= 1
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const opened = async (socket: Socket, event: string) => {
    socket.on('error', () => {})
    sockets.push(socket)
    await once(socket, event)
    return socket
  }
  const visitor = () =>
    tls === undefined
      ? opened(connect(port, '127.0.0.1'), 'connect')
      : opened(connectTls({ port, host: '127.0.0.1', ca: tls.cert, servername: 'localhost' }), 'secureConnect')
  const asks = async (socket: Socket) => {
    socket.write(WHOLE)
    const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(20_000) })
    assert.match(String(answer), /^HTTP\/1\.1 200 /)
  }
  return {
    visitor,
    asks,
    /** Connections without TLS: half of them say half a head, the others nothing. */
    async besiege(count: number) {
      for (let n = 0; n < count; n++) {
        const socket = await opened(connect(port, '127.0.0.1'), 'connect')
        if (tls === undefined && n % 2 === 0) socket.write('GET / HTTP/1.1\r\nhost: loc')
      }
    },
    open: () => open,
  }
}

for (const [how, tls] of [
  ['over HTTP', undefined],
  ['over TLS', selfSigned(['localhost'])],
] as const)
  test(`${how}, 900 slow connections keep nobody out, and who has asked keeps the connection`, async (t) => {
    const { visitor, asks, besiege, open } = await listening(t, tls)
    const before = await visitor()
    await asks(before)
    await besiege(SLOW)
    await asks(await visitor())
    await asks(before)
    assert.ok(open() <= MAX_SILENT + 2, `${open()} connections are open`)
  })

/** The dashboard of a crawl that is no server. */
async function besideCrawl(t: TestContext) {
  // Here no page is shown.
  const pages = {} as Pages
  const tokens = { viewer: undefined, operator: undefined }
  const at = { host: '127.0.0.1', port: 0, base: '' }
  const server = await openWebServer({ ...at, pages, tokens, clock: realClock, failed: () => {} })
  const sockets: Socket[] = []
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await server.close()
  })
  return async (said: string) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
    socket.write(said)
    return socket
  }
}

/** As many as a crawl's dashboard serves at once. */
const BESIDE = 1_000
const WELL = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'

test('beside a crawl, too, slow connections keep nobody out, and those that ask are kept for seconds only', async (t) => {
  const visitor = await besideCrawl(t)
  for (let n = 0; n < BESIDE + 50; n++) await visitor('GET / HTTP/1.1\r\nhost: loc')
  const [answer] = await once(await visitor(WELL), 'data', { signal: AbortSignal.timeout(20_000) })
  assert.match(String(answer), /^HTTP\/1\.1 200 .*\r\nKeep-Alive: timeout=5\r\n/s)
})

test('beside a crawl, connections that have asked take no more sockets than are left for them', async (t) => {
  const visitor = await besideCrawl(t)
  const form = 'content-type: application/x-www-form-urlencoded\r\ncontent-length: 9'
  for (let n = 0; n < BESIDE; n++) await visitor(`POST /login HTTP/1.1\r\nhost: localhost\r\n${form}\r\n\r\n`)
  const refused = await visitor(WELL)
  refused.on('data', (data) => assert.fail(`was answered: ${data}`))
  await once(refused, 'close', { signal: AbortSignal.timeout(20_000) })
})
