/**
 * A report as bytes: what is transferred between threads and stored in the inbox. The version, the length of the numbers, the
 * numbers in the order of the fields (`report-layout.ts`), the texts.
 *
 * The texts follow each other without separators, and the numbers give their lengths, so that all are encoded and decoded in one
 * go: text by text took twice as long.
 *
 * Repeated texts (a page's URL as the `via` of its forty links, paths, rules, media types) are written once and then referred to
 * by number. A URL stores only what differs from the URL before it.
 */
import { ByteWriter } from '../base/bytes.ts'
import type { Link, VisitReport } from './report.ts'
import { layLinks, layReport, type ReportBytes } from './report-layout.ts'

export const VERSION = 3
/** The version, and the length of the numbers. */
export const HEAD_BYTES = 1 + 4

/** One report at a time: they share a buffer. */
const numbers = new ByteWriter(64 * 1024)

export function encodeReport(report: VisitReport): Uint8Array {
  const out = new ReportWriter()
  layReport(out, report)
  return out.bytes()
}

/** Links alone, in the same form. */
export function encodeLinks(links: readonly Link[]): Uint8Array {
  const out = new ReportWriter()
  layLinks(out, links)
  return out.bytes()
}

class ReportWriter implements ReportBytes {
  readonly raw = numbers
  readonly #texts: string[] = []
  readonly #words = new Map<string, number>()
  #lastUrl = ''

  constructor() {
    numbers.clear()
  }

  bytes(): Uint8Array {
    const texts = this.#texts.join('')
    const textsAt = HEAD_BYTES + numbers.length
    // Its own memory, because it is transferred to another thread.
    const whole = Buffer.allocUnsafeSlow(textsAt + Buffer.byteLength(texts))
    whole[0] = VERSION
    whole.writeUInt32LE(numbers.length, 1)
    numbers.copyTo(whole, HEAD_BYTES)
    whole.write(texts, textsAt)
    return new Uint8Array(whole.buffer)
  }

  number(value: number): number {
    return numbers.number(value)
  }

  text(text: string): string {
    numbers.count(text.length)
    this.#texts.push(wellFormed(text))
    return text
  }

  json(value: object | undefined): object | undefined {
    this.text(value === undefined ? '' : JSON.stringify(value))
    return value
  }

  /** 0 and the text the first time, its number afterwards. */
  word(text: string): string {
    const known = this.#words.get(text)
    numbers.count(known ?? 0)
    if (known !== undefined) return text
    this.learn(text)
    return this.text(text)
  }

  knows(word: string): boolean {
    return this.#words.has(word)
  }

  learn(word: string): void {
    this.#words.set(word, this.#words.size + 1)
  }

  /** Only what differs from the one before. */
  url(url: string): string {
    const before = this.#lastUrl
    const max = Math.min(before.length, url.length)
    let same = 0
    while (same < max && before.charCodeAt(same) === url.charCodeAt(same)) same++
    // Do not split a surrogate pair.
    if (same > 0 && (url.charCodeAt(same - 1) & 0xfc00) === 0xd800) same--
    numbers.count(same)
    this.text(same === 0 ? url : url.slice(same))
    this.#lastUrl = url
    return url
  }
}

/** A lone surrogate at the end of one text must not join one at the beginning of the next. */
const wellFormed = (text: string): string => (text.isWellFormed() ? text : text.toWellFormed())
