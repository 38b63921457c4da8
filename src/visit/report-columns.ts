/**
 * A report as bytes: what travels between threads (transferred, not cloned) and what lies in the inbox. A version byte
 * first, then the pages, the links, and the rest. Texts that come again (a page's URL as the `via` of its forty links,
 * paths, rules, media types) are written once and named by number afterwards; URLs repeat only what differs from the
 * URL before. Decoding trusts no length and no number: damage is a RangeError, never an endless loop or a huge array.
 */
import { never } from '../base/assert.ts'
import { ByteReader, ByteWriter } from '../base/bytes.ts'
import { base32, fromBase32 } from '../base/digest.ts'
import type { FailureKind, Outcome, RefusedBy } from './outcome.ts'
import type { Capture, Counts, Courtesy, Learnt, Link, PageReport, Verdict, VisitEnd, VisitReport } from './report.ts'
import type { SiteMemory } from './site-memory.ts'
import { isFailureKind, isRefusedBy } from './status-codes.ts'
import type { PageMemory } from './visit.ts'

const VERSION = 2

const HOW = ['first', 'changed', 'same'] as const
const ENDS: readonly VisitEnd[] = ['done', 'slice', 'stopped', 'elsewhere', 'silent', 'given-up']
const SHA1 = /^sha1:[A-Z2-7]{32}$/

export function encodeReport(report: VisitReport): Uint8Array {
  const links = report.found.length + report.abroad.length
  const out = new Columns(512 + report.pages.length * 512 + links * 48)
  out.raw.byte(VERSION)
  out.raw.text(report.visit)
  out.raw.count(report.fence)
  out.raw.count(report.part)
  out.word(report.site)
  out.raw.count(report.pages.length)
  for (const page of report.pages) out.page(page)
  out.links(report.found)
  out.links(report.abroad)
  out.verdicts(report.verdicts)
  out.counts(report.counts)
  out.courtesy(report.courtesy)
  out.raw.byte(report.ended === undefined ? 0 : 1 + ENDS.indexOf(report.ended))
  out.raw.text(JSON.stringify(report.memory))
  out.raw.text(report.learnt === undefined ? '' : JSON.stringify(report.learnt))
  return out.raw.bytes()
}

export function decodeReport(bytes: Uint8Array): VisitReport {
  const from = new ColumnReader(bytes)
  if (from.raw.byte() !== VERSION) throw new RangeError('a report of another version')
  const visit = from.raw.text()
  const fence = from.whole()
  const part = from.whole()
  const site = from.word()
  const pages: PageReport[] = []
  for (let left = from.whole(); left > 0; left--) pages.push(from.page())
  const found = from.links()
  const abroad = from.links()
  const verdicts = from.verdicts()
  const counts = from.counts()
  const courtesy = from.courtesy()
  const ended = from.ended()
  const memory = siteMemory(from.raw.text())
  const learnt = learntOf(from.raw.text())
  if (!from.raw.atEnd) throw new RangeError('bytes after the end of a report')
  const report: VisitReport = { visit, fence, site, part, pages, found, abroad, verdicts, counts, memory, courtesy }
  if (ended !== undefined) report.ended = ended
  if (learnt !== undefined) report.learnt = learnt
  return report
}

class Columns {
  readonly raw: ByteWriter
  readonly #words = new Map<string, number>()
  #lastUrl = ''

  constructor(expected: number) {
    this.raw = new ByteWriter(expected)
  }

  /**
   * A text that may come again: 0 and the text the first time, its number afterwards. Well formed, as the reader will
   * see it: else the numbers of the two would drift apart.
   */
  word(given: string): void {
    const text = given.toWellFormed()
    const known = this.#words.get(text)
    this.raw.count(known ?? 0)
    if (known !== undefined) return
    this.#words.set(text, this.#words.size + 1)
    this.raw.text(text)
  }

  /** A text most often new, and most often much like the one before. */
  url(given: string): string {
    const url = given.toWellFormed()
    const before = this.#lastUrl
    const most = Math.min(before.length, url.length)
    let same = 0
    while (same < most && before.charCodeAt(same) === url.charCodeAt(same)) same++
    // Half a surrogate pair is no text of its own.
    if (same > 0 && (url.charCodeAt(same - 1) & 0xfc00) === 0xd800) same--
    this.raw.count(same)
    this.raw.text(same === 0 ? url : url.slice(same))
    this.#lastUrl = url
    return url
  }

  digest(digest: string): void {
    const plain = SHA1.test(digest)
    this.raw.byte(plain ? 1 : 0)
    if (plain) this.raw.blob(fromBase32(digest.slice(5)))
    else this.raw.text(digest)
  }

  page(page: PageReport): void {
    const { raw } = this
    raw.byte(
      (page.via === undefined ? 0 : 1) |
        (page.capture === undefined ? 0 : 2) |
        (page.memory === undefined ? 0 : 4) |
        (page.errand ? 8 : 0) |
        (page.sniffed === undefined ? 0 : 16) |
        (page.language === undefined ? 0 : 32),
    )
    const url = this.url(page.url)
    // The links found on it will name it as their `via`.
    if (!this.#words.has(url)) this.#words.set(url, this.#words.size + 1)
    raw.u64(page.key)
    raw.count(page.depth)
    if (page.via !== undefined) this.word(page.via)
    this.word(page.path)
    raw.number(page.at)
    raw.count(zigzag(page.status))
    this.word(page.mediaType)
    raw.count(page.bytes)
    raw.number(page.tookMs)
    raw.count(page.tries)
    this.outcome(page.outcome)
    raw.text(page.title)
    raw.blob(page.links)
    raw.count(page.annotations.length)
    for (const annotation of page.annotations) this.word(annotation)
    if (page.capture !== undefined) this.capture(page.capture)
    if (page.memory !== undefined) this.memory(page.memory, page.capture)
    if (page.sniffed !== undefined) this.word(page.sniffed)
    if (page.language !== undefined) this.word(page.language)
  }

  outcome(outcome: Outcome): void {
    const { raw } = this
    switch (outcome.kind) {
      case 'kept':
        raw.byte(HOW.indexOf(outcome.how))
        break
      case 'moved':
        raw.byte(3)
        this.url(outcome.to)
        break
      case 'refused':
        raw.byte(4)
        this.word(outcome.by)
        this.word(outcome.rule)
        break
      case 'gone':
        raw.byte(5)
        this.word(outcome.why)
        break
      case 'later':
        raw.byte(6)
        this.word(outcome.why)
        raw.number(outcome.notBefore)
        break
      case 'read':
        raw.byte(7)
        raw.count(outcome.urls)
        break
      default:
        never(outcome)
    }
  }

  capture(capture: Capture): void {
    this.word(capture.volume)
    this.raw.count(capture.offset)
    this.raw.count(capture.length)
    this.raw.byte(capture.kind === 'response' ? 0 : 1)
    this.digest(capture.digest)
  }

  memory(memory: PageMemory, capture: Capture | undefined): void {
    const { raw } = this
    const sameDigest = capture?.digest === memory.digest
    raw.byte((sameDigest ? 1 : 0) | (memory.etag === undefined ? 0 : 2) | (memory.lastModified === undefined ? 0 : 4))
    if (!sameDigest) this.digest(memory.digest)
    raw.u64(memory.textDigest)
    raw.u64(memory.simhash)
    if (memory.etag !== undefined) raw.text(memory.etag)
    if (memory.lastModified !== undefined) this.word(memory.lastModified)
  }

  links(links: readonly Link[]): void {
    this.raw.count(links.length)
    for (const link of links) {
      this.url(link.url)
      this.raw.u64(link.key)
      this.word(link.site)
      this.raw.count(link.depth)
      this.word(link.via)
      this.word(link.path)
      this.raw.byte((link.lastmod === undefined ? 0 : 1) | (link.spelling === undefined ? 0 : 2))
      if (link.lastmod !== undefined) this.raw.number(link.lastmod)
    }
  }

  verdicts(verdicts: readonly Verdict[]): void {
    this.raw.count(verdicts.length)
    for (const verdict of verdicts) {
      this.word(verdict.rule)
      this.raw.text(verdict.evidence)
      this.raw.number(verdict.at)
      this.raw.byte(verdict.pattern === undefined ? 0 : 1)
      if (verdict.pattern !== undefined) this.raw.text(verdict.pattern)
      this.raw.count(verdict.examples?.length ?? 0)
      for (const example of verdict.examples ?? []) this.raw.text(example)
    }
  }

  counts(counts: Counts): void {
    this.raw.count(counts.size)
    for (const [name, value] of counts) {
      this.raw.text(name)
      this.raw.count(value)
    }
  }

  courtesy(courtesy: Courtesy): void {
    const { raw } = this
    raw.byte((courtesy.lastAnswerAt === undefined ? 0 : 1) | (courtesy.address === undefined ? 0 : 2))
    raw.number(courtesy.pause)
    raw.number(courtesy.notBefore)
    if (courtesy.lastAnswerAt !== undefined) raw.number(courtesy.lastAnswerAt)
    if (courtesy.address !== undefined) raw.text(courtesy.address)
  }
}

class ColumnReader {
  readonly raw: ByteReader
  readonly #words: string[] = []
  /** Words twice told (a page's URL that was a word already) take no new number. */
  readonly #known = new Set<string>()
  #lastUrl = ''

  constructor(bytes: Uint8Array) {
    this.raw = new ByteReader(bytes)
  }

  whole(): number {
    const value = this.raw.count()
    if (!Number.isSafeInteger(value)) throw new RangeError('number out of range')
    return value
  }

  /** An instant or a duration that tables will hold. */
  finite(): number {
    const value = this.raw.number()
    if (!Number.isFinite(value)) throw new RangeError('not a number')
    return value
  }

  word(): string {
    const number = this.raw.count()
    if (number === 0) return this.#learn(this.raw.text())
    const word = this.#words[number - 1]
    if (word === undefined) throw new RangeError('no such word')
    return word
  }

  #learn(word: string): string {
    if (!this.#known.has(word)) {
      this.#known.add(word)
      this.#words.push(word)
    }
    return word
  }

  url(): string {
    const same = this.raw.count()
    const rest = this.raw.text()
    if (same > this.#lastUrl.length) throw new RangeError('no such URL before')
    const url = same === 0 ? rest : this.#lastUrl.slice(0, same) + rest
    this.#lastUrl = url
    return url
  }

  digest(): string {
    if (this.raw.byte() === 0) return this.raw.text()
    return `sha1:${base32(this.raw.blob())}`
  }

  page(): PageReport {
    const { raw } = this
    const flags = raw.byte()
    const url = this.#learn(this.url())
    const key = raw.u64()
    const depth = this.whole()
    const via = flags & 1 ? this.word() : undefined
    const page: PageReport = {
      url,
      key,
      depth,
      path: this.word(),
      at: this.finite(),
      status: unzigzag(this.whole()),
      mediaType: this.word(),
      bytes: this.whole(),
      tookMs: this.finite(),
      tries: this.whole(),
      outcome: this.outcome(),
      title: raw.text(),
      links: raw.blob(),
      annotations: this.annotations(),
      errand: (flags & 8) !== 0,
    }
    if (via !== undefined) page.via = via
    if (flags & 2) page.capture = this.capture()
    if (flags & 4) page.memory = this.memory(page.capture)
    if (flags & 16) page.sniffed = this.word()
    if (flags & 32) page.language = this.word()
    return page
  }

  annotations(): string[] {
    const annotations: string[] = []
    for (let left = this.raw.count(); left > 0; left--) annotations.push(this.word())
    return annotations
  }

  outcome(): Outcome {
    const kind = this.raw.byte()
    if (kind < HOW.length) return { kind: 'kept', how: HOW[kind] }
    switch (kind) {
      case 3:
        return { kind: 'moved', to: this.url() }
      case 4:
        return { kind: 'refused', by: this.refusedBy(), rule: this.word() }
      case 5:
        return { kind: 'gone', why: this.failureKind() }
      case 6:
        return { kind: 'later', why: this.failureKind(), notBefore: this.finite() }
      case 7:
        return { kind: 'read', as: 'sitemap', urls: this.whole() }
      default:
        throw new RangeError(`no outcome ${kind}`)
    }
  }

  failureKind(): FailureKind {
    const word = this.word()
    if (!isFailureKind(word)) throw new RangeError('no such failure')
    return word
  }

  refusedBy(): RefusedBy {
    const word = this.word()
    if (!isRefusedBy(word)) throw new RangeError('nobody refuses under this name')
    return word
  }

  capture(): Capture {
    const volume = this.word()
    const offset = this.whole()
    const length = this.whole()
    const kind = this.raw.byte() === 0 ? 'response' : 'revisit'
    return { volume, offset, length, kind, digest: this.digest() }
  }

  memory(capture: Capture | undefined): PageMemory {
    const { raw } = this
    const flags = raw.byte()
    if (flags & 1 && capture === undefined) throw new RangeError('the digest of no capture')
    const digest = flags & 1 ? capture!.digest : this.digest()
    const memory: PageMemory = { digest, textDigest: raw.u64(), simhash: raw.u64() }
    if (flags & 2) memory.etag = raw.text()
    if (flags & 4) memory.lastModified = this.word()
    return memory
  }

  links(): Link[] {
    const links: Link[] = []
    for (let left = this.raw.count(); left > 0; left--) {
      const url = this.url()
      const key = this.raw.u64()
      const site = this.word()
      const depth = this.whole()
      const link: Link = { url, key, site, depth, via: this.word(), path: this.word() }
      const flags = this.raw.byte()
      if (flags & 1) link.lastmod = this.finite()
      if (flags & 2) link.spelling = true
      links.push(link)
    }
    return links
  }

  verdicts(): Verdict[] {
    const verdicts: Verdict[] = []
    for (let left = this.raw.count(); left > 0; left--) {
      const verdict: Verdict = { rule: this.word(), evidence: this.raw.text(), at: this.finite() }
      if (this.raw.byte() !== 0) verdict.pattern = this.raw.text()
      const examples: string[] = []
      for (let more = this.raw.count(); more > 0; more--) examples.push(this.raw.text())
      if (examples.length > 0) verdict.examples = examples
      verdicts.push(verdict)
    }
    return verdicts
  }

  counts(): Counts {
    const counts = new Map<string, number>()
    for (let left = this.raw.count(); left > 0; left--) {
      const name = this.raw.text()
      counts.set(name, this.whole())
    }
    return counts
  }

  courtesy(): Courtesy {
    const { raw } = this
    const flags = raw.byte()
    const courtesy: Courtesy = { pause: this.finite(), notBefore: this.finite() }
    if (flags & 1) courtesy.lastAnswerAt = this.finite()
    if (flags & 2) courtesy.address = raw.text()
    return courtesy
  }

  ended(): VisitEnd | undefined {
    const end = this.raw.byte()
    if (end > ENDS.length) throw new RangeError(`no end ${end}`)
    return end === 0 ? undefined : ENDS[end - 1]
  }
}

/** Plain JSON by its own contract; what has not its shape is damage. */
function siteMemory(text: string): SiteMemory {
  let memory: Partial<SiteMemory>
  try {
    memory = JSON.parse(text)
  } catch (error) {
    throw new RangeError('site memory is no JSON', { cause: error })
  }
  const whole =
    typeof memory === 'object' &&
    memory !== null &&
    typeof memory.robots === 'object' &&
    memory.robots !== null &&
    [memory.fetched, memory.duplicates, memory.deepest, memory.silent].every(Number.isFinite)
  if (!whole) throw new RangeError('site memory has another shape')
  return memory as SiteMemory
}

function learntOf(text: string): Learnt | undefined {
  if (text === '') return undefined
  try {
    const learnt: unknown = JSON.parse(text)
    if (typeof learnt === 'object' && learnt !== null) return learnt as Learnt
  } catch (error) {
    throw new RangeError('what was learnt is no JSON', { cause: error })
  }
  throw new RangeError('what was learnt has another shape')
}

const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value)
const unzigzag = (value: number): number => (value % 2 === 1 ? -(value + 1) / 2 : value / 2)
