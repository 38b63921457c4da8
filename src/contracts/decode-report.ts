/** Decodes a report (`encode-report.ts`). It trusts no length and no number: damage is a RangeError, never a huge array. */
import { ByteReader } from '../base/bytes.ts'
import { HEAD_BYTES, VERSION } from './encode-report.ts'
import type { Link, VisitReport } from './report.ts'
import { layReport, NOTHING, type ReportBytes } from './report-layout.ts'

export function decodeReport(bytes: Uint8Array): VisitReport {
  const from = new ReportReader(bytes)
  const report = layReport(from, NOTHING)
  from.end()
  return report
}

export function decodeLinks(bytes: Uint8Array): Link[] {
  const from = new ReportReader(bytes)
  const links = from.links()
  from.end()
  return links
}

/** The texts of one section, in order. */
class Texts {
  readonly #all: string
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#all = decoder.decode(bytes)
  }

  next(length: number): string {
    const from = this.#at
    if (from + length > this.#all.length) throw new RangeError('texts end too early')
    this.#at += length
    return this.#all.slice(from, this.#at)
  }

  get atEnd(): boolean {
    return this.#at === this.#all.length
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

class ReportReader implements ReportBytes {
  readonly raw: ByteReader
  readonly #names: Texts
  readonly #prose: Texts
  readonly #words: string[] = []
  #lastUrl = ''

  constructor(bytes: Uint8Array) {
    const head = new ByteReader(bytes)
    if (head.byte() !== VERSION) throw new RangeError('a report of another version')
    const namesAt = HEAD_BYTES + head.u32()
    const proseAt = namesAt + head.u32()
    if (proseAt + head.u32() !== bytes.length) throw new RangeError('a report of another length')
    this.raw = new ByteReader(bytes.subarray(HEAD_BYTES, namesAt))
    this.#names = new Texts(bytes.subarray(namesAt, proseAt))
    this.#prose = new Texts(bytes.subarray(proseAt))
  }

  end(): void {
    if (!this.raw.atEnd || !this.#names.atEnd || !this.#prose.atEnd)
      throw new RangeError('bytes after the end of a report')
  }

  /** An instant or a duration that tables will hold. */
  number(): number {
    const value = this.raw.number()
    if (!Number.isFinite(value)) throw new RangeError('not a number')
    return value
  }

  name(): string {
    return this.#names.next(this.raw.count())
  }

  prose(): string {
    return this.#prose.next(this.raw.count())
  }

  /** Plain JSON by contract; anything else is damage. */
  json(): object | undefined {
    const text = this.prose()
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
      const word = this.name()
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
    const rest = this.name()
    if (same > this.#lastUrl.length) throw new RangeError('no such URL before')
    const url = same === 0 ? rest : this.#lastUrl.slice(0, same) + rest
    this.#lastUrl = url
    return url
  }

  links(): Link[] {
    const links: Link[] = []
    for (let left = this.raw.count(); left > 0; left--) {
      const url = this.url()
      const key = this.raw.u64()
      const site = this.word()
      const depth = this.raw.count()
      const link: Link = { url, key, site, depth, via: this.word(), path: this.word() }
      const flags = this.raw.byte()
      if (flags & 1) link.lastmod = this.number()
      if (flags & 2) link.spelling = true
      links.push(link)
    }
    return links
  }
}
