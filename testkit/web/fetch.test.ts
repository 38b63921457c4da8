import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange, Want } from '../../src/contracts/exchange.ts'
import { type VirtualClock, virtualClock } from '../virtual-clock.ts'
import { testFetch, testResolve } from './fetch.ts'
import { RequestLedger } from './ledger-of-requests.ts'
import type { WebOptions } from './options.ts'
import { makeWeb, type TestWeb } from './web.ts'

const ALL: Want = { download: true, limitBytes: 2_000_000 }

class Lab {
  readonly web: TestWeb
  readonly clock: VirtualClock
  readonly ledger: RequestLedger
  constructor(options: WebOptions) {
    this.web = makeWeb(options)
    this.clock = virtualClock(this.web.plan.epoch)
    this.ledger = new RequestLedger(this.clock)
  }
  get(url: string, want: Want = ALL, may = true): Promise<Exchange> {
    const session = testFetch(this.web, this.clock, this.ledger)()
    const request = {
      url,
      address: { ip: '10.1.1.1' },
      headers: [['User-Agent', 'a/1']] as [string, string][],
      may: () => may,
      wants: () => want,
    }
    return this.clock.run(session.fetch(request))
  }
}

test('an exchange as it went over the wire', async () => {
  const lab = new Lab({ seed: 1, sites: 30 })
  for (const site of lab.web.allSites()) {
    const exchange = await lab.get(`${site.origin}/`)
    assert.equal(
      Buffer.from(exchange.request).toString(),
      `GET / HTTP/1.1\r\nHost: ${site.host}\r\nUser-Agent: a/1\r\nConnection: keep-alive\r\n\r\n`,
    )
    assert.ok(exchange.answer.kind === 'full')
    const { wireHead, payload, head } = exchange.answer
    assert.ok(Buffer.from(wireHead).toString().startsWith(`HTTP/1.1 ${head.status} `))
    const chunked = head.headers.some(([name]) => name === 'Transfer-Encoding')
    assert.equal(chunked, site.framing === 'chunked')
    const sent = lab.ledger.entries.at(-1)?.bodyBytes ?? 0
    assert.ok(chunked ? sent > payload.length : sent === payload.length)
    assert.ok(exchange.tookMs > 0 && exchange.answeredAt >= exchange.sentAt)
  }
  assert.equal(lab.ledger.entries.length, 30)
  assert.ok(lab.ledger.entries.every((entry) => entry.whole && entry.endedAt !== undefined))
})

test('a limit cuts the payload, whatever its framing', async () => {
  const lab = new Lab({ seed: 1, sites: 12 })
  for (const site of lab.web.allSites()) {
    if (site.movedHome) continue
    for (const limitBytes of [0, 1, 4095, 4096, 4097, 5000]) {
      const { answer } = await lab.get(`${site.origin}/`, { download: true, limitBytes })
      assert.ok(answer.kind === 'cut' && answer.why === 'length', site.host)
      assert.equal(answer.payload.length, limitBytes)
      const { bodyBytes } = lab.ledger.entries[lab.ledger.entries.length - 1]
      if (limitBytes > 0) assert.equal(bodyBytes > limitBytes, site.framing === 'chunked')
    }
  }
})

test('declined and withheld', async () => {
  const lab = new Lab({ seed: 1, sites: 1 })
  const { answer } = await lab.get('http://s0.web.test/', { download: false, kind: 'text/html', rule: 'x' })
  assert.equal(answer.kind, 'declined')
  assert.equal(lab.ledger.entries[0].bodyBytes, 0)
  assert.equal((await lab.get('http://s0.web.test/', ALL, false)).answer.kind, 'withheld')
  assert.equal(lab.ledger.entries.length, 1)
})

test('each way to fail is its own kind', async () => {
  const kinds = ['refused', 'connect-timeout', 'silent', 'reset', 'garbage'] as const
  const lab = new Lab({ seed: 1, sites: 10, failingShare: 0.5, failingKinds: kinds })
  const seen: string[] = []
  for (const host of lab.web.failingSites) {
    const { answer } = await lab.get(`http://${host}/`)
    assert.ok(answer.kind === 'failed')
    seen.push(answer.failure.kind)
  }
  assert.deepEqual(seen, ['connect', 'connect-timeout', 'first-byte-timeout', 'reset', 'protocol'])
  const secure = await lab.get('https://s0.web.test/')
  assert.ok(secure.answer.kind === 'failed' && secure.answer.failure.kind === 'tls')
})

test('hazards of the wire end, each in its way', async () => {
  const shapes = ['drip-feed', 'gzip-bomb', 'huge-head', 'endless-body'] as const
  const lab = new Lab({ seed: 1, sites: 12, hazardShare: 1 / 3, hazardShapes: shapes })
  const paths = ['/drip.html', '/bomb.html', '/heavy.html', '/endless.html']
  const seen = []
  for (const [i, host] of lab.web.hazardSites.entries()) {
    const { answer } = await lab.get(`http://${host}${paths[i]}`)
    seen.push(
      answer.kind === 'failed' ? answer.failure.kind : answer.kind === 'cut' ? `cut ${answer.why}` : answer.kind,
    )
  }
  assert.deepEqual(seen, ['cut time', 'full', 'head-too-large', 'cut length'])
})

test('a server that goes away leaves half a body', async () => {
  const lab = new Lab({ seed: 1, sites: 30, failingShare: 0.5, failingKinds: ['cut'] })
  for (const host of lab.web.failingSites) {
    const { answer } = await lab.get(`http://${host}/`)
    assert.ok(answer.kind === 'cut' && answer.why === 'disconnect')
    assert.ok(answer.payload.length > 0)
  }
})

test('names resolve to the sites of the web', async () => {
  const lab = new Lab({
    seed: 1,
    sites: 40,
    failingShare: 0.1,
    failingKinds: ['no-such-name', 'dns'],
    sharedAddressShare: 1,
  })
  const resolve = testResolve(lab.web, lab.clock)
  const ask = (host: string) => lab.clock.run(resolve(host, new AbortController().signal))
  const [gone, mute] = lab.web.failingSites
  const kindOf = async (host: string) => {
    const said = await ask(host)
    return said.kind === 'failed' ? said.failure.kind : said.list[0].ip
  }
  assert.equal(await kindOf(gone), 'no-such-name')
  assert.equal(await kindOf(mute), 'dns')
  assert.equal(await kindOf('elsewhere.test'), 'no-such-name')
  assert.equal(await kindOf('s0.web.test'), await kindOf('s2.web.test'))
  assert.notEqual(await kindOf('s0.web.test'), await kindOf('blog.f0.test'))
  assert.match(await kindOf('s25.web.test'), /^10\./)
})
