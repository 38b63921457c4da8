/** Decodes a report (`encode-report.ts`). It trusts no length and no number: damage is a RangeError, never a huge array. */
import { ByteReader } from '../base/bytes.ts'
import { HEAD_BYTES, VERSION } from './encode-report.ts'
import type { Link, VisitReport } from './report.ts'
import { layLinks, layReport, NOTHING, type ReportBytes } from './report-layout.ts'

export function decodeReport(bytes: Uint8Array): VisitReport {
  const from = new ReportReader(bytes)
  const report = layReport(from, NOTHING)
  from.end()
  return report
}

export function decodeLinks(bytes: Uint8Array): Link[] {
  const from = new ReportReader(bytes)
  const links = layLinks(from, undefined)
  from.end()
  return links
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

class ReportReader implements ReportBytes {
  readonly raw: ByteReader
  /** In order, without separators. */
  readonly #texts: string
  #textAt = 0
  readonly #words: string[] = []
  #lastUrl = ''

  constructor(bytes: Uint8Array) {
    const head = new ByteReader(bytes)
    if (head.byte() !== VERSION) throw new RangeError('a report of another version')
    const textsAt = HEAD_BYTES + head.u32()
    if (textsAt > bytes.length) throw new RangeError('a report of another length')
    this.raw = new ByteReader(bytes.subarray(HEAD_BYTES, textsAt))
    this.#texts = decoder.decode(bytes.subarray(textsAt))
  }

  end(): void {
    if (!this.raw.atEnd || this.#textAt !== this.#texts.length) throw new RangeError('bytes after the end of a report')
  }

  /** An instant or a duration that tables will hold. */
  number(): number {
    const value = this.raw.number()
    if (!Number.isFinite(value)) throw new RangeError('not a number')
    return value
  }

  text(): string {
    const from = this.#textAt
    this.#textAt += this.raw.count()
    if (this.#textAt > this.#texts.length) throw new RangeError('texts end too early')
    return this.#texts.slice(from, this.#textAt)
  }

  /** Plain JSON by contract; anything else is damage. */
  json(): object | undefined {
    const text = this.text()
    if (text === '') return undefined
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (error) {
      throw new RangeError('this is no JSON', { cause: error })
    }
    if (typeof value !== 'object' || value === null) throw new RangeError('JSON of another shape')
    return value
  }

  word(): string {
    const number = this.raw.count()
    if (number === 0) {
      const word = this.text()
      this.learn(word)
      return word
    }
    const word = this.#words[number - 1]
    if (word === undefined) throw new RangeError('no such word')
    return word
  }

  /** The page's own flag says it. */
  knows(): boolean {
    return false
  }

  learn(word: string): void {
    this.#words.push(word)
  }

  url(): string {
    const same = this.raw.count()
    const rest = this.text()
    if (same > this.#lastUrl.length) throw new RangeError('no such URL before')
    const url = same === 0 ? rest : this.#lastUrl.slice(0, same) + rest
    this.#lastUrl = url
    return url
  }
}
