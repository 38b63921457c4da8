/** What a server of the synthetic web says to one request: status, head lines, body; then how it is framed (`wire.ts`). */
import type { Instant } from '../../src/base/clock.ts'
import type { BodyCache } from './body-cache.ts'
import { Draws, draw, drawText } from './chance.ts'
import type { Version } from './change.ts'
import { paragraph } from './language.ts'
import type { FlakyKind, WebPlan } from './options.ts'
import type { Content, PageDefinition } from './page-plan.ts'
import { renderPage } from './render.ts'
import type { Coding, SiteDefinition } from './site-plan.ts'
import type { SitemapFile } from './sitemap-plan.ts'
import {
  type AnswerParts,
  encodeBody,
  gzipBomb,
  headerOf,
  type WebAnswer,
  type WebRequest,
  type WireAnswer,
  wireAnswer,
} from './wire.ts'

/** What answering needs of the web. */
interface Tools {
  plan: WebPlan
  versionOf(content: Content, at: Instant): Version
  bodies: BodyCache
}

const encoder = new TextEncoder()

export function answerRobots(site: SiteDefinition, path: string, request: WebRequest): WebAnswer {
  const { robots } = site
  if (robots.kind === 'timeout') return { kind: 'silent' }
  const parts = start(site, request, robots.status)
  if (robots.movedTo !== undefined && path === '/robots.txt') {
    parts.status = 301
    parts.headers.push(['Location', robots.movedTo])
    return wireAnswer(parts)
  }
  parts.headers.push(['Content-Type', robots.contentType])
  if (robots.status === 503) parts.headers.push(['Retry-After', '120'])
  parts.payload = encoder.encode(robots.text)
  return wireAnswer(parts)
}

/** A file that is no page: a sitemap. */
export function answerFile(site: SiteDefinition, file: SitemapFile, request: WebRequest): WebAnswer {
  const parts = start(site, request, 200)
  parts.headers.push(['Content-Type', file.contentType])
  return wireAnswer({ ...parts, payload: file.body })
}

export function answerPage(
  tools: Tools,
  site: SiteDefinition,
  page: PageDefinition | undefined,
  request: WebRequest,
): WebAnswer {
  if (page === undefined) return notice(site, request, 404)
  if (page.flaky !== undefined && request.attempt <= page.flaky.times) return unwell(site, page.flaky.kind, request)
  if (page.misbehaves !== undefined && page.misbehaves !== 'slow') return misbehave(site, page, request)
  if (page.to !== undefined) return redirect(site, page, page.to, request)
  if (page.status !== 200 && page.content?.planted === undefined) return notice(site, request, page.status)
  const answer = document(tools, site, page, request)
  if (page.misbehaves === 'slow') answer.latencyMs *= 20
  if (site.failing === 'cut') return { ...answer, ...half(answer) }
  return answer
}

function document(tools: Tools, site: SiteDefinition, page: PageDefinition, request: WebRequest): WireAnswer {
  const parts = start(site, request, page.status)
  const version =
    page.content === undefined ? { id: 0, since: tools.plan.epoch } : tools.versionOf(page.content, request.at)
  parts.headers.push(
    ['Content-Type', page.contentType],
    ...page.headers.map(([name, value]): [string, string] => [name, value]),
  )
  const tag = robotsTag(page)
  if (tag !== undefined) parts.headers.push(['X-Robots-Tag', tag])
  if (site.conditional) {
    const etag = `"${drawText(site.seed, page.url).toString(36)}-${version.id.toString(36)}"`
    parts.headers.push(['ETag', etag], ['Last-Modified', new Date(version.since).toUTCString()])
    if (notModified(request, etag, version.since)) {
      parts.status = 304
      return wireAnswer(parts)
    }
  }
  const coding = codingFor(site, page, request)
  if (coding !== 'identity') parts.headers.push(['Content-Encoding', coding], ['Vary', 'Accept-Encoding'])
  const make = () => encodeBody(bodyOf(tools.plan, page, version), coding)
  parts.payload = page.varies ? make() : tools.bodies.take(`${page.url} ${coding} ${version.id}`, make)
  return wireAnswer(parts)
}

function start(site: SiteDefinition, request: WebRequest, status: number): AnswerParts {
  const headers: [string, string][] = [
    ['Date', httpDate(request.at)],
    ['Server', 'testweb'],
  ]
  if (site.cookies && headerOf(request.headers, 'cookie') === undefined) {
    headers.push(['Set-Cookie', `visitor=${site.seed.toString(36)}; Path=/`])
  }
  const { framing, keepAlive, latencyMs } = site
  return { status, headers, payload: new Uint8Array(0), framing, keepAlive, latencyMs }
}

let lastDate: [seconds: number, text: string] = [Number.NaN, '']

/** A date is written once per second, not once per page: 0.6 µs each. */
function httpDate(at: Instant): string {
  const seconds = Math.floor(at / 1000)
  if (lastDate[0] !== seconds) lastDate = [seconds, new Date(seconds * 1000).toUTCString()]
  return lastDate[1]
}

function notice(site: SiteDefinition, request: WebRequest, status: number): WireAnswer {
  const parts = start(site, request, status)
  parts.headers.push(['Content-Type', 'text/html; charset=utf-8'])
  if (status === 401) parts.headers.push(['WWW-Authenticate', 'Basic realm="members"'])
  parts.payload = encoder.encode(
    `<html><head><title>${status}</title></head><body><a href="/trap/error-page.html">?</a></body></html>`,
  )
  return wireAnswer(parts)
}

function redirect(site: SiteDefinition, page: PageDefinition, to: string, request: WebRequest): WireAnswer {
  const parts = start(site, request, page.status)
  const inside = to.startsWith(site.origin + '/') && page.url.startsWith(site.origin + '/')
  const relative = inside && (drawText(site.seed, page.url) & 3) === 0
  parts.headers.push(['Location', relative ? to.slice(site.origin.length) : to], ['Content-Type', 'text/html'])
  parts.payload = encoder.encode('<html><body>It has moved.</body></html>')
  return wireAnswer(parts)
}

function unwell(site: SiteDefinition, kind: FlakyKind, request: WebRequest): WebAnswer {
  if (kind === 'reset') return { kind: 'reset', latencyMs: site.latencyMs }
  const status = kind === '429' ? 429 : kind === '500' ? 500 : 503
  const answer = start(site, request, status)
  if (kind === '503-date') answer.headers.push(['Retry-After', new Date(request.at + 2000).toUTCString()])
  else if (kind !== '500') answer.headers.push(['Retry-After', '1'])
  answer.headers.push(['Content-Type', 'text/plain'])
  answer.payload = encoder.encode('later')
  return wireAnswer(answer)
}

function misbehave(site: SiteDefinition, page: PageDefinition, request: WebRequest): WireAnswer {
  const parts = start(site, request, 200)
  parts.headers.push(['Content-Type', 'text/html'])
  switch (page.misbehaves) {
    case 'bomb':
      parts.headers.push(['Content-Encoding', 'gzip'])
      return wireAnswer({ ...parts, payload: gzipBomb() })
    case 'huge-head': {
      for (let i = 0; i < 10_000; i++) parts.headers.push([`X-Heavy-${i}`, 'x'.repeat(90)])
      return wireAnswer(parts)
    }
    default: {
      const answer = wireAnswer({ ...parts, framing: 'close', payload: encoder.encode('<html><body>') })
      const bytes = encoder.encode(page.misbehaves === 'drip' ? '.' : '<p>and so on</p>\n'.repeat(1000))
      return { ...answer, whole: false, drip: { bytes, everyMs: page.misbehaves === 'drip' ? 1000 : 0 } }
    }
  }
}

/** The first half of an answer whose server goes away. */
function half(answer: WireAnswer): Pick<WireAnswer, 'wireBody' | 'whole' | 'keepAlive'> {
  return { wireBody: answer.wireBody.slice(0, answer.wireBody.length >> 1), whole: false, keepAlive: false }
}

/** Also lines that concern others only and must not be taken for ours. */
function robotsTag(page: PageDefinition): string | undefined {
  const { noindex, nofollow } = page.header
  if (noindex && nofollow) return 'none'
  if (noindex) return 'noindex'
  if (nofollow) return 'nofollow'
  return draw(page.site.seed, page.url.length, 0xbab) % 16 === 0 ? 'otherbot: noindex, nofollow' : undefined
}

function notModified(request: WebRequest, etag: string, since: Instant): boolean {
  const match = headerOf(request.headers, 'if-none-match')
  if (match !== undefined) return match === etag || match === '*'
  const date = headerOf(request.headers, 'if-modified-since')
  return date !== undefined && Math.floor(since / 1000) * 1000 <= Date.parse(date)
}

function codingFor(site: SiteDefinition, page: PageDefinition, request: WebRequest): Coding {
  if (site.coding === 'identity' || !/^(text|application\/xhtml)/.test(page.contentType)) return 'identity'
  // What a test planted is sent as it was written.
  if (page.content?.planted !== undefined) return 'identity'
  const accepted = headerOf(request.headers, 'accept-encoding') ?? ''
  if (accepted !== lastAccepted.text) lastAccepted = { text: accepted, codings: codingsIn(accepted) }
  return lastAccepted.codings.includes(site.coding) ? site.coding : 'identity'
}

/** A crawler always sends the same. */
let lastAccepted: { text: string; codings: readonly string[] } = { text: '', codings: [] }

function codingsIn(accepted: string): string[] {
  return accepted
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';', 1)[0].trim())
}

function bodyOf(plan: WebPlan, page: PageDefinition, version: Version): Uint8Array<ArrayBuffer> {
  if (page.content !== undefined) return renderPage(plan, page.content, version, page.kind)
  // A copy speaks of the original.
  const url = page.site.nominal + page.url.slice(page.site.origin.length)
  const seed = drawText(page.site.seed, url)
  switch (page.kind) {
    case 'text':
      return encoder.encode(plainText(page, url, seed))
    case 'pdf':
      return encoder.encode(`%PDF-1.4\n% ${url}\n${seed}\n%%EOF\n`)
    case 'image':
      return noise().slice(0, 100_000 + (seed % 100_000))
    case 'json':
      return encoder.encode(JSON.stringify({ url, seed }))
    default:
      return encoder.encode(`<html><body>${url}</body></html>`)
  }
}

/** Text names URLs too, but nobody is to follow them. */
function plainText({ site }: PageDefinition, url: string, seed: number): string {
  const draws = new Draws(seed)
  const paragraphs = Array.from({ length: 4 + draws.below(8) }, () => paragraph(site.language, draws))
  return `${url}\n\n${paragraphs.join('\n\n')}\n\nSee ${site.nominal}/trap/text-${seed}.html\n`
}

let noiseBytes: Uint8Array<ArrayBuffer> | undefined

function noise(): Uint8Array<ArrayBuffer> {
  if (noiseBytes === undefined) {
    const draws = new Draws(1)
    noiseBytes = Uint8Array.from({ length: 200_000 }, () => draws.bits() & 255)
    noiseBytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  }
  return noiseBytes
}
