import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { connect as connectSecure } from 'node:tls'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../../src/base/clock.ts'
import type { Exchange } from '../../src/contracts/exchange.ts'
import { parseHttpBlock } from '../../src/web/warc/http-block.ts'
import { virtualClock } from '../virtual-clock.ts'
import { testFetch } from './fetch.ts'
import { overlaps, repeats } from './judges.ts'
import { RequestLedger, readLedgerLines } from './ledger-of-requests.ts'
import { serveWeb } from './serve.ts'
import { makeWeb, type TestWeb } from './web.ts'

/** Time stands still, so that both ways give the same date and the same versions. */
const stopped = (at: number): Clock => ({
  now: () => at,
  elapsed: () => 0,
  sleep: () => Promise.resolve(),
  after: () => () => {},
})

/** All that a connection says until it ends. */
function say(socket: Socket, request: Uint8Array | string): Promise<Buffer> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    socket.on('data', (piece) => pieces.push(piece))
    socket.on('error', () => {})
    socket.on('close', () => resolve(Buffer.concat(pieces)))
    socket.write(request)
  })
}

async function virtually(web: TestWeb, url: string): Promise<Exchange> {
  const clock = virtualClock(web.plan.epoch)
  const request = {
    url,
    address: { ip: '10.1.1.1' },
    headers: [['Accept-Encoding', 'gzip, br']] as [string, string][],
    may: () => true,
    wants: () => ({ download: true as const, limitBytes: 1e9 }),
  }
  return clock.run(testFetch(web, stopped(web.plan.epoch), new RequestLedger(clock))().fetch(request))
}

test('what is served is what virtual time has: head and payload, byte for byte', async () => {
  const web = makeWeb({ seed: 9, sites: 12, pagesPerSite: 30, failingShare: 0.2, failingKinds: ['cut'] })
  const served = await serveWeb(web, { clock: stopped(web.plan.epoch), addresses: 'one' })
  try {
    for (let i = 0; i < 60; i++) {
      const url = i < 12 ? `${web.site(i).origin}/robots.txt` : web.urlOf(i % 12, i % 30)
      const { request, answer } = await virtually(web, url)
      assert.ok(answer.kind === 'full' || answer.kind === 'cut', url)
      const socket = connect(served.port, '127.0.0.1')
      const bytes = await say(socket, Buffer.from(request).toString('latin1').replace('keep-alive', 'close'))
      const block = parseHttpBlock(bytes)
      assert.deepEqual(block && Buffer.from(block.wireHead), Buffer.from(answer.wireHead), url)
      assert.deepEqual(block && Buffer.from(block.payload), Buffer.from(answer.payload), url)
    }
    assert.equal(served.ledger.entries.length, 60)
    assert.deepEqual(served.resolveRules, [`*.test=127.0.0.1:${served.port}`])
  } finally {
    await served.close()
  }
})

test('at one address, who refuses connections is at a port where nobody listens', async () => {
  const web = makeWeb({ seed: 9, sites: 4, failingShare: 0.5, failingKinds: ['refused'] })
  const served = await serveWeb(web, { clock: stopped(web.plan.epoch), addresses: 'one' })
  await served.close()
  const rules = web.failingSites.map((host) => `${host}=127.0.0.1:1`)
  assert.equal(rules.length, 2)
  assert.deepEqual(served.resolveRules, [...rules, `*.test=127.0.0.1:${served.port}`])
})

test('requests in a row on one connection, answered in order', async () => {
  const web = makeWeb({ seed: 9, sites: 2, framings: false, flakyShare: 0 })
  const served = await serveWeb(web, { clock: stopped(web.plan.epoch), addresses: 'one' })
  try {
    const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: s1.web.test\r\n${more}\r\n`
    const text = get('/robots.txt') + get('/none') + get('/', 'Connection: close\r\n')
    const bytes = await say(connect(served.port, '127.0.0.1'), text)
    assert.equal(bytes.toString('latin1').match(/HTTP\/1\.1 \d\d\d/g)?.length, 3)
    assert.deepEqual(
      served.ledger.entries.map(({ url }) => new URL(url).pathname),
      ['/robots.txt', '/none', '/'],
    )
    assert.deepEqual(new Set(served.ledger.entries.map(({ connection }) => connection)).size, 1)
    assert.deepEqual(overlaps(served.ledger.entries), [])
  } finally {
    await served.close()
  }
})

test('an unwanted body is not sent on when the client leaves', async () => {
  const web = makeWeb({ seed: 9, sites: 2, hazardShare: 0.4, hazardShapes: ['endless-body'], framings: false })
  const host = 's1.web.test'
  const big = { url: `http://${host}/big`, base64: Buffer.alloc(20e6).toString('base64'), contentType: 'image/png' }
  const planted = makeWeb({ ...web.plan, planted: [big] })
  const served = await serveWeb(planted, { clock: stopped(0), addresses: 'one' })
  try {
    const socket = connect(served.port, '127.0.0.1')
    socket.write(`GET /big HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.destroy()
    while (served.ledger.entries[0].endedAt === undefined) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(served.ledger.entries[0].whole, false)
    assert.ok(served.ledger.entries[0].bodyBytes < 20e6)
  } finally {
    await served.close()
  }
})

test('each site at its own address, over TLS on the same port too', {
  skip: process.platform !== 'linux',
}, async () => {
  const web = makeWeb({ seed: 9, sites: 12, secureShare: 1, failingShare: 0.2, failingKinds: ['refused', 'reset'] })
  const served = await serveWeb(web, { clock: stopped(0), addresses: 'many', tls: true })
  try {
    const [, ip, port] = /^s0\.web\.test=(127\.\d+\.\d+\.\d+):(\d+)$/.exec(served.resolveRules[0]) ?? []
    const request = 'GET /robots.txt HTTP/1.1\r\nHost: s0.web.test\r\nConnection: close\r\n\r\n'
    const plain = await say(connect(Number(port), ip), request)
    assert.match(plain.toString('latin1'), /^HTTP\/1\.1 404 /)
    const secure = connectSecure({ host: ip, port: Number(port), servername: 's0.web.test', ca: served.certificate })
    assert.match((await say(secure, request)).toString('latin1'), /^HTTP\/1\.1 404 /)
    assert.deepEqual(
      served.ledger.entries.map(({ url, address }) => [url, address]),
      [
        ['http://s0.web.test/robots.txt', ip],
        ['https://s0.web.test/robots.txt', ip],
      ],
    )
    const refused = served.resolveRules.find((line) => line.startsWith(web.failingSites[0])) ?? ''
    const nobody = connect(Number(port), /=(.*):/.exec(refused)?.[1])
    const code = await new Promise((resolve) =>
      nobody.on('error', (error: NodeJS.ErrnoException) => resolve(error.code)),
    )
    assert.equal(code, 'ECONNREFUSED')
  } finally {
    await served.close()
  }
})

test('in a process of its own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'testweb-'))
  const record = join(folder, 'requests.jsonl')
  const script = fileURLToPath(new URL('./serve-process.ts', import.meta.url))
  const given = JSON.stringify({ web: { seed: 3, sites: 4 }, addresses: 'one', record })
  const child = spawn(process.execPath, [script, given], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const { port } = JSON.parse((await lines.next()).value ?? '')
    const request = 'GET / HTTP/1.1\r\nHost: s0.web.test\r\nUser-Agent: a/1\r\nConnection: close\r\n\r\n'
    await say(connect(port, '127.0.0.1'), request)
    child.stdin.write('dump\n')
    assert.deepEqual(JSON.parse((await lines.next()).value ?? ''), { dumped: 1, dropped: 0 })
    await say(connect(port, '127.0.0.1'), request)
    child.stdin.end()
    const code = await new Promise((resolve) => child.on('exit', resolve))
    assert.equal(code, 0)
    const entries = readLedgerLines(readFileSync(record, 'utf8'))
    assert.equal(entries.length, 2)
    assert.equal(repeats(entries).repeats.length, 1)
  } finally {
    child.kill()
    rmSync(folder, { recursive: true })
  }
})

test('names that a wildcard makes up are served at its address', async () => {
  const wildcards = [{ domain: 'blogs.test', kind: 'hosting', sites: 1, pages: 2 }] as const
  const web = makeWeb({ seed: 3, sites: 2, pagesPerSite: 2, wildcards })
  const served = await serveWeb(web, { clock: stopped(web.plan.epoch), addresses: 'many' })
  try {
    const rule = served.resolveRules.find((line) => line.startsWith('*.blogs.test=')) ?? ''
    const [, host, port] = /=(127\.\d+\.\d+\.\d+):(\d+)$/.exec(rule) ?? []
    const socket = connect({ host, port: Number(port) })
    const said = await say(socket, 'GET /x HTTP/1.1\r\nHost: qqq.blogs.test\r\nConnection: close\r\n\r\n')
    assert.match(said.toString(), /^HTTP\/1\.1 200 OK[\s\S]*qqq\.blogs\.test/)
  } finally {
    await served.close()
  }
})
