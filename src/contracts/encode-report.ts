/**
 * A report as bytes: what is transferred between threads and stored in the inbox. Layout: the version, three lengths, then
 * three sections: numbers in the order of the fields; names (URLs and repeated words); prose (what people write).
 *
 * The texts of a section follow each other without separators, and the numbers give their lengths, so that each section is
 * encoded and decoded in one go: text by text took twice as long. Prose is separate because one non-Latin letter doubles the
 * memory of its whole section, and URLs hardly ever have one.
 *
 * Repeated texts (a page's URL as the `via` of its forty links, paths, rules, media types) are written once and then referred to
 * by number. A URL stores only what differs from the URL before it.
 */
import { never } from '../base/assert.ts'
import { ByteWriter } from '../base/bytes.ts'
import type { Outcome } from './outcome.ts'
import type { Capture, Counts, Courtesy, Finding, Link, PageReport, VisitEnd, VisitReport } from './report.ts'
import type { MemoryNews } from './site-memory.ts'
import type { PageMemory } from './visit.ts'

export const VERSION = 2
/** In version 1 pages have no change and no sketch. */
export const READABLE_VERSIONS: readonly number[] = [1, 2]
/** The version, and the lengths of the three sections. */
export const HEAD_BYTES = 1 + 3 * 4

export const HOW = ['first', 'changed', 'same'] as const
export const ENDS: readonly VisitEnd[] = ['done', 'slice', 'stopped', 'elsewhere', 'silent', 'given-up']

/** One report at a time: they share a buffer. */
const numbers = new ByteWriter(64 * 1024)

export function encodeReport(report: VisitReport): Uint8Array {
  numbers.clear()
  const out = new ReportWriter(numbers)
  out.name(report.visit)
  out.raw.count(report.fence)
  out.raw.count(report.part)
  out.word(report.site)
  out.raw.count(report.pages.length)
  for (const page of report.pages) out.page(page)
  out.links(report.found)
  out.links(report.crossSite)
  out.findings(report.findings)
  out.counts(report.counts)
  out.courtesy(report.courtesy)
  out.raw.byte(report.ended === undefined ? 0 : 1 + ENDS.indexOf(report.ended))
  out.memory(report.memory)
  out.prose(report.learnt === undefined ? '' : JSON.stringify(report.learnt))
  return out.bytes()
}

/** Links alone, in the same form. */
export function encodeLinks(links: readonly Link[]): Uint8Array {
  numbers.clear()
  const out = new ReportWriter(numbers)
  out.links(links)
  return out.bytes()
}

class ReportWriter {
  readonly raw: ByteWriter
  readonly #names: string[] = []
  readonly #prose: string[] = []
  readonly #words = new Map<string, number>()
  #lastUrl = ''

  constructor(raw: ByteWriter) {
    this.raw = raw
  }

  bytes(): Uint8Array {
    const names = this.#names.join('')
    const prose = this.#prose.join('')
    const { raw } = this
    const nameBytes = Buffer.byteLength(names)
    const proseBytes = Buffer.byteLength(prose)
    const namesAt = HEAD_BYTES + raw.length
    const proseAt = namesAt + nameBytes
    // Its own memory, because it is transferred to another thread.
    const whole = Buffer.allocUnsafeSlow(proseAt + proseBytes)
    whole[0] = VERSION
    whole.writeUInt32LE(raw.length, 1)
    whole.writeUInt32LE(nameBytes, 5)
    whole.writeUInt32LE(proseBytes, 9)
    raw.copyTo(whole, HEAD_BYTES)
    whole.write(names, namesAt)
    whole.write(prose, proseAt)
    return new Uint8Array(whole.buffer)
  }

  name(text: string): void {
    this.raw.count(text.length)
    this.#names.push(wellFormed(text))
  }

  prose(text: string): void {
    this.raw.count(text.length)
    this.#prose.push(wellFormed(text))
  }

  /** A text that may repeat: 0 and the text the first time, its number afterwards. */
  word(text: string): void {
    const known = this.#words.get(text)
    this.raw.count(known ?? 0)
    if (known !== undefined) return
    this.#words.set(text, this.#words.size + 1)
    this.name(text)
  }

  /** Mostly new, and mostly similar to the one before. */
  url(url: string): void {
    const before = this.#lastUrl
    const max = Math.min(before.length, url.length)
    let same = 0
    while (same < max && before.charCodeAt(same) === url.charCodeAt(same)) same++
    // Do not split a surrogate pair.
    if (same > 0 && (url.charCodeAt(same - 1) & 0xfc00) === 0xd800) same--
    this.raw.count(same)
    this.name(same === 0 ? url : url.slice(same))
    this.#lastUrl = url
  }

  page(page: PageReport): void {
    const { raw } = this
    // Links found on the page will name it as their `via`.
    const isWord = this.#words.has(page.url)
    if (!isWord) this.#words.set(page.url, this.#words.size + 1)
    raw.byte(
      (page.via === undefined ? 0 : 1) |
        (page.capture === undefined ? 0 : 2) |
        (page.memory === undefined ? 0 : 4) |
        (page.ownRequest ? 8 : 0) |
        (page.sniffed === undefined ? 0 : 16) |
        (page.language === undefined ? 0 : 32) |
        (isWord ? 64 : 0) |
        (page.change === undefined ? 0 : 128),
    )
    this.url(page.url)
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
    this.prose(page.title)
    raw.blob(page.links)
    raw.count(page.annotations.length)
    for (const annotation of page.annotations) this.word(annotation)
    if (page.capture !== undefined) this.capture(page.capture)
    if (page.memory !== undefined) this.pageMemory(page.memory, page.capture)
    if (page.sniffed !== undefined) this.word(page.sniffed)
    if (page.language !== undefined) this.word(page.language)
    if (page.change !== undefined) {
      this.word(page.change.class)
      this.word(page.change.place ?? '')
    }
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
        raw.byte(outcome.held ? 8 : 4)
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
        raw.byte(outcome.same ? 9 : 7)
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
    this.name(capture.digest)
  }

  pageMemory(memory: PageMemory, capture: Capture | undefined): void {
    const { raw } = this
    const sameDigest = capture?.digest === memory.digest
    raw.byte(
      (sameDigest ? 1 : 0) |
        (memory.etag === undefined ? 0 : 2) |
        (memory.lastModified === undefined ? 0 : 4) |
        (memory.sketch === undefined ? 0 : 8),
    )
    if (!sameDigest) this.name(memory.digest)
    raw.u64(memory.textDigest)
    raw.u64(memory.simhash)
    if (memory.etag !== undefined) this.name(memory.etag)
    if (memory.lastModified !== undefined) this.word(memory.lastModified)
    if (memory.sketch !== undefined) raw.blob(memory.sketch)
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

  findings(findings: readonly Finding[]): void {
    this.raw.count(findings.length)
    for (const finding of findings) {
      this.word(finding.rule)
      this.prose(finding.evidence)
      this.raw.number(finding.at)
      this.raw.byte((finding.pattern === undefined ? 0 : 1) | (finding.withdrawn ? 2 : 0))
      if (finding.pattern !== undefined) this.prose(finding.pattern)
      this.raw.count(finding.examples?.length ?? 0)
      for (const example of finding.examples ?? []) this.prose(example)
    }
  }

  counts(counts: Counts): void {
    this.raw.count(counts.size)
    for (const [name, value] of counts) {
      this.name(name)
      this.raw.count(value)
    }
  }

  courtesy(courtesy: Courtesy): void {
    const { raw } = this
    raw.byte(
      (courtesy.lastAnswerAt === undefined ? 0 : 1) |
        (courtesy.address === undefined ? 0 : 2) |
        (courtesy.connectMs === undefined ? 0 : 4),
    )
    raw.number(courtesy.pause)
    raw.number(courtesy.notBefore)
    if (courtesy.lastAnswerAt !== undefined) raw.number(courtesy.lastAnswerAt)
    if (courtesy.address !== undefined) this.name(courtesy.address)
    if (courtesy.connectMs !== undefined) raw.number(courtesy.connectMs)
  }

  /** A section without news is empty. */
  memory({ robots, traps, ...rest }: MemoryNews): void {
    this.prose(JSON.stringify(rest))
    this.prose(robots === undefined ? '' : JSON.stringify(robots))
    this.prose(traps === undefined ? '' : JSON.stringify(traps))
  }
}

/** A lone surrogate at the end of one text must not join one at the beginning of the next. */
const wellFormed = (text: string): string => (text.isWellFormed() ? text : text.toWellFormed())

const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value)
