/**
 * The least crawler that stores what it collects: what Node can do here, and the measure of all figures of `bench`.
 *
 * It is made of the product's own pieces (the reader of HTTP, the scanner of tags, the resolver of links, the gzip member of a
 * WARC record, a set of hashes) and of nothing else: no robots.txt, no pause, no frontier, no catalogue, no text, no
 * signatures, no detectors, no requests in the volume, and nothing survives a kill. One thread, one connection a site.
 *
 * It is never edited together with the product: a ratio to something that moves along with it would say nothing.
 *
 *     node bench/ceiling.ts PORT SEED_FILE VOLUME
 */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { realClock } from '../src/base/clock.ts'
import { sha1 } from '../src/base/digest.ts'
import { HashSet64 } from '../src/base/hash-set.ts'
import { seededRandom } from '../src/base/random.ts'
import type { Exchange, Headers, Want } from '../src/contracts/exchange.ts'
import { openSessions } from '../src/fetch/session.ts'
import { tagNamed } from '../src/page/parse/tags.ts'
import { TOKEN, Tokenizer } from '../src/page/parse/tokenizer.ts'
import { resolver } from '../src/web/url/web-url.ts'
import { deflatedMember, storedMember } from '../src/web/warc/gzip-member.ts'
import { RECORD_END, recordIds, responseHead } from '../src/web/warc/record.ts'

const [port, seedFile, volume] = process.argv.slice(2)
const address = { ip: '127.0.0.1', port: Number(port) }
const headers: Headers = [
  ['User-Agent', 'least-crawler'],
  ['Accept-Encoding', 'gzip'],
]
const A = tagNamed('a')
const MINUTE = 60_000
const utf8 = new TextDecoder()
const open = openSessions({
  clock: realClock,
  deadlines: { connect: MINUTE, firstByte: MINUTE, idle: MINUTE, exchange: MINUTE },
  minRate: { bytesPerSecond: 0, graceMs: 0 },
  tls: 'open',
  guard: () => true,
  maxIdleMs: MINUTE,
})
const wants = (): Want => ({ download: true, limitBytes: 10_000_000 })
const may = () => true
const nextId = recordIds(seededRandom(1), volume)

const file = openSync(volume, 'w')
const buffer = Buffer.allocUnsafeSlow(1024 * 1024)
let filled = 0

function emit(bytes: Uint8Array): void {
  if (filled + bytes.length > buffer.length) flush()
  buffer.set(bytes, filled)
  filled += bytes.length
}

function flush(): void {
  writeSync(file, buffer, 0, filled)
  filled = 0
}

/** Pages of this web are small beside the buffer. */
function store({ url, sentAt, answer }: Exchange & { answer: { kind: 'full' } }, coded: boolean): void {
  const { wireHead, payload } = answer
  const head = responseHead({
    id: nextId(),
    at: sentAt,
    url,
    ip: address.ip,
    protocols: ['http/1.1'],
    blockDigest: sha1(wireHead, payload),
    payloadDigest: sha1(payload),
    length: wireHead.length + payload.length,
  })
  const parts = [Buffer.from(head), wireHead, payload, RECORD_END]
  if (coded) storedMember(emit, parts)
  else deflatedMember(emit, parts)
}

async function crawlSite(home: string): Promise<number> {
  const session = open()
  const queue = [home]
  const seen = new HashSet64()
  const first = resolver(home)('/')
  if (first.kind !== 'url') throw new Error(`${home} is no URL`)
  seen.add(first.url.key)
  let pages = 0
  // A queue that is read while it grows: breadth first.
  for (const url of queue) {
    const exchange = await session.fetch({ url, address, headers, may, wants })
    const { answer } = exchange
    if (answer.kind !== 'full' || answer.head.status !== 200) continue
    pages++
    const coded = answer.head.headers.some(([name, value]) => name === 'Content-Encoding' && value === 'gzip')
    store({ ...exchange, answer }, coded)
    const html = utf8.decode(coded ? gunzipSync(answer.payload) : answer.payload)
    const resolve = resolver(url)
    const tokens = new Tokenizer(html)
    for (let token = tokens.next(); token !== TOKEN.end; token = tokens.next()) {
      if (token !== TOKEN.startTag || tokens.tag !== A) continue
      const resolved = resolve(tokens.attribute('href') ?? '')
      if (resolved.kind !== 'url' || resolved.url.site !== first.url.site || !seen.add(resolved.url.key)) continue
      queue.push(resolved.url.href)
    }
  }
  session.close()
  return pages
}

const seeds = readFileSync(seedFile, 'utf8').trim().split('\n')
const pages = await Promise.all(seeds.map(crawlSite))
flush()
fsyncSync(file)
closeSync(file)
console.log(JSON.stringify({ documents: pages.reduce((sum, count) => sum + count, 0) }))
