/**
 * What an answer says: first its status and headers, then its bytes. Bytes are read as what they are, whatever the server
 * declares (V14). A page whose reading throws costs that page only (V6); the watch notices one that never returns.
 */
import { isUtf8 } from 'node:buffer'
import type { Instant } from '../base/clock.ts'
import type { Stretches } from '../base/stretches.ts'
import type { Body, Exchange, Head, Headers, Want } from '../contracts/exchange.ts'
import type { StoredCopy } from '../contracts/ports.ts'
import type { Capture } from '../contracts/report.ts'
import type { AgendaItem, PageMemory } from '../contracts/visit.ts'
import { type PageLines, readLines } from '../page/change/lines.ts'
import type { RegionRules } from '../page/change/region-rules.ts'
import { parseRefresh } from '../page/extract/meta.ts'
import { type FoundLink, howToRead, isReadable, type Reading, readText } from '../page/reading.ts'
import { BOMB_RATIO, type Decoded, decodeContent } from '../web/http/decode.ts'
import { headerOf, headersOf, listedIn, mediaTypeOf, parseMediaType } from '../web/http/headers.ts'
import { validatorsOf } from '../web/http/validators.ts'
import { type Directives, parseDirectives } from '../web/robots/directives.ts'
import { resolver, type UrlReader, type WebUrl } from '../web/url/web-url.ts'
import { payloadDigest } from '../web/warc/http-block.ts'
import { type PageLink, resolveLinks } from './follow-links.ts'
import type { Reporter } from './reporter.ts'
import type { Scope } from './scope/scope.ts'
import type { PolicyTools, ReadingTools, StorageTools, VisitState } from './tools.ts'

export interface Answered {
  url: WebUrl
  exchange: Exchange
  answer: Body
  /** The request had validators. */
  isAsked: boolean
}

export interface ReadAnswer extends Answered {
  /** Of its payload. */
  digest: string
}

/** Bodies of errors and redirects: enough to keep the connection and the record. */
const ERROR_BYTES = 16 * 1024

/** An answer that is complete, as far as the status says. */
export function isWhole(status: number): boolean {
  return status >= 200 && status <= 299 && status !== 206
}

/** Whatever its media type; of errors and redirects only the beginning. */
export function wantBody(status: number, limitBytes: number): Want {
  return { download: true, limitBytes: isWhole(status) ? limitBytes : ERROR_BYTES }
}

/** The decision to download a page, from status and headers (V5). */
export function wantPage(status: number, headers: Headers, scope: Scope): Want {
  if (!isWhole(status)) return wantBody(status, ERROR_BYTES)
  const declared = listedIn(headers, 'content-type')
  const { type } = parseMediaType(declared)
  // Without a declared type it may be a page: only its bytes can say.
  if (declared !== undefined && !scope.wantsMedia(type))
    return { download: false, kind: type, rule: `media type ${type}` }
  return { download: true, limitBytes: scope.limitFor(type) }
}

/** Removes the content coding, up to this many bytes. */
export function decoded({ head, payload }: Body, bytes: number): Promise<Decoded> {
  return decodeContent(payload, listedIn(head.headers, 'content-encoding'), { bytes, ratio: BOMB_RATIO })
}

export function declaredType({ answer }: Exchange): string | undefined {
  return 'head' in answer ? listedIn(answer.head.headers, 'content-type') : undefined
}

export function redirectTarget(head: Head, from: string, urls: UrlReader): WebUrl | undefined {
  const location = locationOf(head)
  const resolved = location === undefined ? undefined : urls.resolver(from)(location)
  return resolved?.kind === 'url' ? resolved.url : undefined
}

/** Where a redirect leads, as written. */
export function locationOf({ status, headers }: Head): string | undefined {
  if (status < 300 || status > 399 || status === 304) return undefined
  const location = headerOf(headers, 'location')
  return location === undefined ? undefined : asUtf8(location)
}

/**
 * Headers are read as Latin-1. Raw UTF-8 in a Location means those letters; other bytes are asked for as they are, as
 * browsers and curl take both.
 */
function asUtf8(location: string): string {
  if (!/[\x80-\xff]/.test(location)) return location
  const bytes = Buffer.from(location, 'latin1')
  if (isUtf8(bytes)) return bytes.toString()
  return location.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
}

export function directivesOf(headers: Headers, reading: Reading | undefined, token: string): Directives {
  const values = headersOf(headers, 'x-robots-tag')
  for (const { name, content } of reading?.robots ?? []) {
    const named = name.toLowerCase()
    if (named === 'robots') values.push(content)
    else if (named === token.toLowerCase()) values.push(`${token}: ${content}`)
  }
  return parseDirectives(values, token)
}

export function memoryOf(digest: string, reading: Reading | undefined, headers: Headers, at: Instant): PageMemory {
  return {
    digest,
    textDigest: reading?.signature.textDigest ?? 0n,
    simhash: reading?.signature.simhash ?? 0n,
    ...validatorsOf(headers, at),
  }
}

/**
 * Archives an answer at once; a payload that the collection has already becomes a revisit of it. The parts of a visit are
 * applied in order: where this answer is in the catalogue, what the same visit reported before it is there too. The report
 * of an earlier visit may have been refused, so of its responses only the catalogue knows.
 */
export async function keep(
  exchange: Exchange,
  body: Body,
  reporter: Reporter,
  { archive, findCopy }: StorageTools,
  digest = payloadDigest(body),
): Promise<{ capture: Capture; copy: StoredCopy | undefined }> {
  return reporter.times.during('store', async () => {
    const copy = body.payload.length === 0 ? undefined : (reporter.copyOf(digest) ?? (await findCopy(digest)))
    return { capture: archive.keep(exchange, digest, copy), copy }
  })
}

export interface ReadTools {
  site: ReadingTools & PolicyTools
  state: VisitState
}

/** An operator's pattern over a stranger's text may never return; the watch notices it (V6). */
export function watched<T>(item: AgendaItem, { site, state }: ReadTools, work: () => T): T {
  site.watch.begin(state.reporter.visit, item)
  try {
    return work()
  } finally {
    site.watch.end()
  }
}

export interface AnswerContent {
  /** Undefined: documents of this kind are not read. */
  reading: Reading | 'failed' | undefined
  /** What the bytes are, if that differs from the declared type or none was declared. */
  sniffed?: string
  directives: Directives
  links: PageLink[]
  /** Remarks for the log: what was wrong with it. */
  notes: string[]
  /** Its text, read again while the bytes are there: hardly ever needed. */
  text(): string
  /** Its lines with their places; read again too. */
  lines(rules: RegionRules | undefined): Stretches<PageLines>
}

/** Enough of a body to see what it is. */
const SNIFFED_BYTES = 4096

/** Yields between the parts of a long page, and between the links of one that has very many. */
export function* readAnswer(
  item: AgendaItem,
  body: Body,
  { bytes, cut, trouble }: Decoded,
  { site, state }: ReadTools,
): Stretches<AnswerContent> {
  const { headers } = body.head
  const notes: string[] = []
  const unread = (reading: 'failed' | undefined, sniffed?: string): AnswerContent => {
    return {
      reading,
      sniffed,
      directives: directivesOf(headers, undefined, site.token),
      links: [],
      notes,
      text: noText,
      lines: noLines,
    }
  }
  if (trouble !== undefined) notes.push(`coding:${trouble}`)
  const { type, charset } = mediaTypeOf(headers)
  try {
    // A name that nobody knows (`aws-chunked`) often means nothing: browsers show the bytes. Coded ones are no text.
    const isCoded = trouble === 'unknown' || trouble === 'too-many'
    if (isCoded && howToRead(type, bytes.subarray(0, SNIFFED_BYTES)).as === 'none') return unread(undefined)
    // Documents of other kinds are not read; but a page may hide behind their type.
    if (type !== '' && !isReadable(type)) {
      const { as, sniffed } = howToRead(type, bytes.subarray(0, SNIFFED_BYTES))
      if (sniffed !== undefined) notes.push(`sniff:${sniffed}`)
      if (as === 'none') return unread(undefined, sniffed)
    }
    const input = { mediaType: type, charset, bytes }
    const reading = yield* site.read(input)
    if (reading.sniffed !== undefined && !notes.some((note) => note.startsWith('sniff:')))
      notes.push(`sniff:${reading.sniffed}`)
    if (cut) notes.push('decodedTrunc')
    for (const trouble of reading.troubles) {
      notes.push(trouble)
      state.reporter.tally.add(`trouble:${trouble}`)
    }
    const resolve = site.urls.resolver(baseOf(reading, item.url), reading.charset)
    const links = yield* resolveLinks(
      [...refreshOf(headers, item.url), ...reading.links],
      resolve,
      state.reporter.tally,
    )
    const directives = directivesOf(headers, reading, site.token)
    const text = () => readText(input, 'own')
    const lines = (rules: RegionRules | undefined) => readLines(input, rules)
    return { reading, sniffed: reading.sniffed, directives, links, notes, text, lines }
  } catch (error) {
    reportBug(`reading ${item.url}`, error, site)
    return unread('failed')
  }
}

/**
 * `Refresh: 0; url=…`: as the meta element of that name, but it counts before the page has a base element. Some home
 * pages have nothing else.
 */
function refreshOf(headers: Headers, url: string): FoundLink[] {
  const written = parseRefresh(asUtf8(headerOf(headers, 'refresh') ?? ''))?.url
  if (written === undefined) return []
  return [{ href: absolute(written, url) ?? written, kind: 'refresh', nofollow: false, media: '' }]
}

const noText = () => ''
const noLines = (): Stretches<PageLines> => readLines({ mediaType: '', charset: undefined, bytes: new Uint8Array(0) })

function baseOf(reading: Reading, url: string): string {
  return reading.base === undefined ? url : (absolute(reading.base, url) ?? url)
}

function absolute(written: string, url: string): string | undefined {
  const resolved = resolver(url)(written)
  return resolved.kind === 'url' ? resolved.url.href : undefined
}

/** Undefined when the work throws: a bug of ours that costs one answer only (V6). */
export async function unlessBroken<T>(
  what: string,
  tools: Pick<ReadingTools, 'journal'>,
  work: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    reportBug(what, error, tools)
    return undefined
  }
}

export function reportBug(what: string, error: unknown, { journal }: Pick<ReadingTools, 'journal'>): void {
  journal.record({ kind: 'trouble', what: `${what}: ${String(error).slice(0, 200)}` })
}
