/**
 * A report as bytes: what travels between threads (transferred, not cloned) and what lies in the inbox. A version byte
 * first, then the pages, the links, and the rest. Texts that come again (a page's URL as the `via` of its forty links,
 * paths, rules, media types) are written once and named by number afterwards; URLs repeat only what differs from the
 * URL before. Decoding trusts no length and no number: damage is a RangeError, never an endless loop or a huge array.
 */
import { never } from '../base/assert.ts'
import { ByteWriter } from '../base/bytes.ts'
import { fromBase32 } from '../base/digest.ts'
import type { Outcome } from './outcome.ts'
import type { Capture, Counts, Courtesy, Link, PageReport, Verdict, VisitReport } from './report.ts'
import { ENDS, HOW, VERSION } from './report-format.ts'
import type { PageMemory } from './visit.ts'

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

const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value)
