/**
 * A crawl as plain as can be, to check the walker and the renderer against each other: it reads the bytes that the walker
 * never sees. Written for the pages of this room only; it is no crawler.
 */
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import type { Headers, OpenSession, Resolve } from '../../src/contracts/exchange.ts'
import { permits } from './robots-plan.ts'
import { canonicalUrl, splitUrl } from './spelling.ts'
import type { TestWeb } from './web.ts'
import { headerOf } from './wire.ts'

export interface NaiveReading {
  links: string[]
  noindex: boolean
  nofollow: boolean
}

const TAG = /<([a-zA-Z]+)((?:"[^"]*"|'[^']*'|[^"'>])*)>/g
const ATTRIBUTE = /([a-zA-Z-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)/g
const HIDDEN = /<!--.*?-->|<(script|style|textarea|title)\b[^>]*>.*?<\/\1>/gs

/** The charset of the head, or of a meta element, or guessed; links of this room need no more. */
export function readHtml(payload: Uint8Array, headers: Headers, url: string): NaiveReading {
  const reading: NaiveReading = { links: [], noindex: false, nofollow: false }
  const html = decodeText(decodeBody(payload, headers), headers).replace(HIDDEN, '')
  directives(headerOf(headers, 'x-robots-tag') ?? '', reading)
  let base = url
  for (const [, name, rest] of html.matchAll(TAG)) {
    const tag = name.toLowerCase()
    const has = attributes(rest)
    if (tag === 'base') base = new URL(has.get('href') ?? '', url).href
    else if (tag === 'meta' && has.get('name')?.toLowerCase() === 'robots')
      directives(has.get('content') ?? '', reading)
    const target = targetOf(tag, has)
    if (target === undefined || !URL.canParse(target, base)) continue
    const absolute = new URL(target, base)
    if (absolute.protocol === 'http:' || absolute.protocol === 'https:') reading.links.push(canonicalUrl(absolute.href))
  }
  return reading
}

function targetOf(tag: string, has: Map<string, string>): string | undefined {
  switch (tag) {
    case 'a':
    case 'area':
      return /nofollow/i.test(has.get('rel') ?? '') ? undefined : has.get('href')
    case 'frame':
    case 'iframe':
      return has.get('src')
    case 'form':
      return (has.get('method') ?? 'get') === 'get' ? has.get('action') : undefined
    case 'link':
      return /^(canonical|alternate|next|prev)$/.test(has.get('rel') ?? '') ? has.get('href') : undefined
    case 'meta':
      if (has.get('http-equiv')?.toLowerCase() !== 'refresh') return undefined
      return /url=\s*'?([^']*)/i.exec(has.get('content') ?? '')?.[1]
    default:
      return undefined
  }
}

function attributes(text: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, name, quoted] of text.matchAll(ATTRIBUTE)) {
    const value = /^["']/.test(quoted) ? quoted.slice(1, -1) : quoted
    const key = name.toLowerCase()
    if (!found.has(key))
      found.set(key, value.replaceAll('&#x2F;', '/').replaceAll('&#46;', '.').replaceAll('&amp;', '&'))
  }
  return found
}

function directives(text: string, reading: NaiveReading): void {
  if (text.startsWith('otherbot:')) return
  if (/noindex|none/i.test(text)) reading.noindex = true
  if (/nofollow|none/i.test(text)) reading.nofollow = true
}

function decodeBody(payload: Uint8Array, headers: Headers): Uint8Array {
  switch (headerOf(headers, 'content-encoding')) {
    case 'gzip':
      return gunzipSync(payload)
    case 'deflate':
      return inflateSync(payload)
    case 'br':
      return brotliDecompressSync(payload)
    case 'zstd':
      return zstdDecompressSync(payload)
    default:
      return payload
  }
}

function decodeText(bytes: Uint8Array, headers: Headers): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  const meta = Buffer.from(bytes.subarray(0, 1000)).toString('latin1')
  const charset = /charset=["']?([\w-]+)/.exec(`${headerOf(headers, 'content-type') ?? ''} ${meta}`)?.[1]
  return new TextDecoder(charset ?? 'utf-8').decode(bytes)
}

export interface NaiveTools {
  web: TestWeb
  open: OpenSession
  resolve: Resolve
  token: string
}

/** Follows every link to the hosts of the seeds. Returns what was asked for and what was kept. */
export async function naiveCrawl(
  tools: NaiveTools,
  seeds: readonly string[],
): Promise<{ asked: Set<string>; documents: Set<string> }> {
  const hosts = new Set(seeds.map((seed) => splitUrl(seed).host))
  const seen = new Set(seeds)
  const queue = [...seeds]
  const found = { asked: new Set<string>(), documents: new Set<string>() }
  const session = tools.open()
  for (let at = 0; at < queue.length; at++) {
    for (const link of await visit(tools, session.fetch, queue[at], found)) {
      const { host, path } = splitUrl(link)
      if (seen.has(link) || !hosts.has(host) || /\.(jpg|png|css|js|zip|exe|mp4)$/.test(path)) continue
      seen.add(link)
      queue.push(link)
    }
  }
  return found
}

async function visit(
  tools: NaiveTools,
  fetch: ReturnType<OpenSession>['fetch'],
  url: string,
  found: { asked: Set<string>; documents: Set<string> },
): Promise<string[]> {
  const { host, path } = splitUrl(url)
  const site = tools.web.siteOf(url)
  if (site === undefined || site.robots.state === 'closed' || !permits(site.robots, tools.token, path)) return []
  const { signal } = new AbortController()
  const addresses = await tools.resolve(host.split(':', 1)[0], signal)
  if (addresses.kind === 'failed') return []
  const headers: Headers = [
    ['User-Agent', 'naive/1.0 (+http://naive.test/)'],
    ['Accept-Encoding', 'gzip, deflate, br, zstd'],
  ]
  for (let attempt = 0; attempt < 4; attempt++) {
    const { answer } = await fetch({ url, address: addresses.list[0], headers, may: () => true, wants })
    if (answer.kind !== 'full') {
      if (answer.kind === 'declined') found.asked.add(url)
      return []
    }
    found.asked.add(url)
    const { status } = answer.head
    if (status === 503 || status === 429) continue
    const location = headerOf(answer.head.headers, 'location')
    if (location !== undefined) return [canonicalUrl(new URL(location, url).href)]
    if (status !== 200) return []
    const type = headerOf(answer.head.headers, 'content-type') ?? ''
    const html = type.includes('html')
      ? readHtml(answer.payload, answer.head.headers, url)
      : { ...NOTHING, noindex: isNoindex(answer.head.headers) }
    if (!html.noindex) found.documents.add(url)
    return html.nofollow ? [] : html.links
  }
  return []
}

const NOTHING: NaiveReading = { links: [], noindex: false, nofollow: false }

const isNoindex = (headers: Headers) => /^(noindex|none)/.test(headerOf(headers, 'x-robots-tag') ?? '')

function wants(_status: number, headers: Headers) {
  const type = headerOf(headers, 'content-type') ?? ''
  return /html|plain|pdf/.test(type)
    ? { download: true as const, limitBytes: 2_000_000 }
    : { download: false as const, kind: type, rule: 'media-type' }
}
