/** Decodes a report (`encode-report.ts`). It trusts no length and no number: damage is a RangeError, never a huge array. */
import { ByteReader } from '../base/bytes.ts'
import { type Change, isChangeClass } from './change.ts'
import { ENDS, HEAD_BYTES, HOW, READABLE_VERSIONS } from './encode-report.ts'
import type { FailureKind, Outcome, RefusedBy } from './outcome.ts'
import { isFailureKind, isRefusedBy } from './outcome.ts'
import type { Capture, Counts, Courtesy, Finding, Learnt, Link, PageReport, VisitEnd, VisitReport } from './report.ts'
import type { MemoryNews } from './site-memory.ts'
import type { PageMemory } from './visit.ts'

export function decodeReport(bytes: Uint8Array): VisitReport {
  const from = new ReportReader(bytes)
  const visit = from.name()
  const fence = from.whole()
  const part = from.whole()
  const site = from.word()
  const pages: PageReport[] = []
  for (let left = from.whole(); left > 0; left--) pages.push(from.page())
  const found = from.links()
  const crossSite = from.links()
  const findings = from.findings()
  const counts = from.counts()
  const courtesy = from.courtesy()
  const ended = from.ended()
  const memory = from.memory()
  const learnt = learntOf(from.prose())
  from.end()
  const report: VisitReport = { visit, fence, site, part, pages, found, crossSite, findings, counts, memory, courtesy }
  if (ended !== undefined) report.ended = ended
  if (learnt !== undefined) report.learnt = learnt
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

class ReportReader {
  readonly raw: ByteReader
  readonly #names: Texts
  readonly #prose: Texts
  readonly #words: string[] = []
  #lastUrl = ''

  constructor(bytes: Uint8Array) {
    const head = new ByteReader(bytes)
    if (!READABLE_VERSIONS.includes(head.byte())) throw new RangeError('a report of another version')
    const namesAt = HEAD_BYTES + head.u32()
    const proseAt = namesAt + head.u32()
    if (proseAt + head.u32() !== bytes.length) throw new RangeError('a report of another length')
    this.raw = new ByteReader(bytes.subarray(HEAD_BYTES, namesAt))
    this.#names = new Texts(bytes.subarray(namesAt, proseAt))
    this.#prose = new Texts(bytes.subarray(proseAt))
  }

  name(): string {
    return this.#names.next(this.raw.count())
  }

  prose(): string {
    return this.#prose.next(this.raw.count())
  }

  end(): void {
    if (!this.raw.atEnd || !this.#names.atEnd || !this.#prose.atEnd)
      throw new RangeError('bytes after the end of a report')
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
    if (number === 0) return this.#learn(this.name())
    const word = this.#words[number - 1]
    if (word === undefined) throw new RangeError('no such word')
    return word
  }

  #learn(word: string): string {
    this.#words.push(word)
    return word
  }

  url(): string {
    const same = this.raw.count()
    const rest = this.name()
    if (same > this.#lastUrl.length) throw new RangeError('no such URL before')
    const url = same === 0 ? rest : this.#lastUrl.slice(0, same) + rest
    this.#lastUrl = url
    return url
  }

  page(): PageReport {
    const { raw } = this
    const flags = raw.byte()
    const url = flags & 64 ? this.url() : this.#learn(this.url())
    const key = raw.u64()
    const depth = this.whole()
    const via = flags & 1 ? this.word() : undefined
    const page: { -readonly [Field in keyof PageReport]: PageReport[Field] } = {
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
      title: this.prose(),
      links: raw.blob(),
      annotations: this.annotations(),
      ownRequest: (flags & 8) !== 0,
    }
    if (via !== undefined) page.via = via
    if (flags & 2) page.capture = this.capture()
    if (flags & 4) page.memory = this.pageMemory(page.capture)
    if (flags & 16) page.sniffed = this.word()
    if (flags & 32) page.language = this.word()
    if (flags & 128) page.change = this.change()
    return page
  }

  change(): Change {
    const [kind, place] = [this.word(), this.word()]
    if (!isChangeClass(kind)) throw new RangeError('no such class of changes')
    return place === '' ? { class: kind } : { class: kind, place }
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
      case 8:
        return { kind: 'refused', by: this.refusedBy(), rule: this.word(), held: true }
      case 5:
        return { kind: 'gone', why: this.failureKind() }
      case 6:
        return { kind: 'later', why: this.failureKind(), notBefore: this.finite() }
      case 7:
        return { kind: 'read', as: 'sitemap', urls: this.whole() }
      case 9:
        return { kind: 'read', as: 'sitemap', urls: this.whole(), same: true }
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
    if (!isRefusedBy(word)) throw new RangeError('no such reason to refuse')
    return word
  }

  capture(): Capture {
    const volume = this.word()
    const offset = this.whole()
    const length = this.whole()
    const kind = this.raw.byte() === 0 ? 'response' : 'revisit'
    return { volume, offset, length, kind, digest: this.name() }
  }

  pageMemory(capture: Capture | undefined): PageMemory {
    const { raw } = this
    const flags = raw.byte()
    if (flags & 1 && capture === undefined) throw new RangeError('the digest of no capture')
    const digest = flags & 1 ? capture!.digest : this.name()
    const memory: PageMemory = { digest, textDigest: raw.u64(), simhash: raw.u64() }
    if (flags & 2) memory.etag = this.name()
    if (flags & 4) memory.lastModified = this.word()
    if (flags & 8) memory.sketch = raw.blob()
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

  findings(): Finding[] {
    const findings: Finding[] = []
    for (let left = this.raw.count(); left > 0; left--) {
      const finding: Finding = { rule: this.word(), evidence: this.prose(), at: this.finite() }
      const flags = this.raw.byte()
      if (flags & 1) finding.pattern = this.prose()
      if (flags & 2) finding.withdrawn = true
      const examples: string[] = []
      for (let more = this.raw.count(); more > 0; more--) examples.push(this.prose())
      if (examples.length > 0) finding.examples = examples
      findings.push(finding)
    }
    return findings
  }

  counts(): Counts {
    const counts = new Map<string, number>()
    for (let left = this.raw.count(); left > 0; left--) {
      const name = this.name()
      counts.set(name, this.whole())
    }
    return counts
  }

  courtesy(): Courtesy {
    const { raw } = this
    const flags = raw.byte()
    const courtesy: Courtesy = { pause: this.finite(), notBefore: this.finite() }
    if (flags & 1) courtesy.lastAnswerAt = this.finite()
    if (flags & 2) courtesy.address = this.name()
    if (flags & 4) courtesy.connectMs = this.finite()
    return courtesy
  }

  memory(): MemoryNews {
    const memory: Partial<MemoryNews> = objectOf(this.prose(), 'site memory')
    const robots = this.prose()
    const traps = this.prose()
    if (robots !== '') memory.robots = objectOf(robots, 'robots')
    if (traps !== '') memory.traps = objectOf(traps, 'trap memory') as MemoryNews['traps']
    return checked(memory)
  }

  ended(): VisitEnd | undefined {
    const end = this.raw.byte()
    if (end > ENDS.length) throw new RangeError(`no end ${end}`)
    return end === 0 ? undefined : ENDS[end - 1]
  }
}

/** Plain JSON by contract; anything else is damage. */
function objectOf(text: string, what: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new RangeError(`${what} is no JSON`, { cause: error })
  }
  if (typeof value !== 'object' || value === null) throw new RangeError(`${what} has another shape`)
  return value
}

function checked(memory: Partial<MemoryNews>): MemoryNews {
  const { fetched, duplicates, deepest, silent, robots = {}, traps = {} } = memory
  const whole =
    [fetched, duplicates, deepest, silent].every(Number.isFinite) &&
    [robots, traps].every((section) => typeof section === 'object' && section !== null)
  if (!whole) throw new RangeError('site memory has another shape')
  return memory as MemoryNews
}

function learntOf(text: string): Learnt | undefined {
  return text === '' ? undefined : objectOf(text, 'what was learnt')
}

const unzigzag = (value: number): number => (value % 2 === 1 ? -(value + 1) / 2 : value / 2)
