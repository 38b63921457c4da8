/**
 * The fields of a report's bytes, in order, for both the writer (`encode-report.ts`) and the reader
 * (`decode-report.ts`).
 */
import { type Change, isChangeClass } from './change.ts'
import { isFailureKind, isRefusedBy, type Outcome } from './outcome.ts'
import type { Capture, Courtesy, Finding, Learnt, Link, PageReport, VisitReport } from './report.ts'
import type { MemoryNews } from './site-memory.ts'
import type { PageMemory } from './visit.ts'

/** Each writes the given value and returns it, or reads one, whatever is given. */
export interface ReportBytes {
  readonly raw: {
    byte(value: number): number
    count(value: number): number
    u64(value: bigint): bigint
    blob(value: Uint8Array): Uint8Array
  }
  /** An instant or a duration that tables will hold. */
  number(value: number): number
  text(text: string): string
  /** A text that may repeat. */
  word(text: string): string
  /** Mostly new, and mostly similar to the one before. */
  url(url: string): string
  /** Whether it was written as a word; `learn`: from now on it may be. */
  knows(word: string): boolean
  learn(word: string): void
  /** Plain JSON; undefined is nothing. */
  json(value: object | undefined): object | undefined
}

/** The placeholder that the reader passes instead of a value. */
export const NOTHING = Object.freeze({}) as never

const HOW = ['first', 'changed', 'same'] as const
const OUTCOMES = ['kept', 'moved', 'read', 'refused', 'gone', 'later'] as const
const CAPTURES = ['response', 'revisit'] as const
const ENDS = [undefined, 'done', 'slice', 'stopped', 'elsewhere', 'silent', 'given-up'] as const

export function layReport(bytes: ReportBytes, given: VisitReport): VisitReport {
  const visit = bytes.text(given.visit)
  const fence = bytes.raw.count(given.fence)
  const part = bytes.raw.count(given.part)
  const site = bytes.word(given.site)
  const pages = layList(bytes, given.pages, layPage)
  const found = layLinks(bytes, given.found)
  const crossSite = layLinks(bytes, given.crossSite)
  const findings = layList(bytes, given.findings, layFinding)
  const counts = new Map(layList(bytes, given.counts && [...given.counts], layCount))
  const courtesy = layCourtesy(bytes, given.courtesy ?? NOTHING)
  const ended = layChoice(bytes, ENDS, given.ended)
  const memory = layMemory(bytes, given.memory ?? NOTHING)
  const learnt: Learnt | undefined = bytes.json(given.learnt)
  const report: VisitReport = { visit, fence, site, part, pages, found, crossSite, findings, counts, memory, courtesy }
  if (ended !== undefined) report.ended = ended
  if (learnt !== undefined) report.learnt = learnt
  return report
}

type Lay<Item> = (bytes: ReportBytes, given: Item) => Item

function layList<Item>(bytes: ReportBytes, given: readonly Item[] | undefined, lay: Lay<Item>): Item[] {
  const count = bytes.raw.count(given?.length ?? 0)
  const items: Item[] = []
  for (let at = 0; at < count; at++) items.push(lay(bytes, given === undefined ? NOTHING : given[at]))
  return items
}

const layWord: Lay<string> = (bytes, given) => bytes.word(given)
const layText: Lay<string> = (bytes, given) => bytes.text(given)
const layCount: Lay<[string, number]> = (bytes, given) => [bytes.text(given[0]), bytes.raw.count(given[1])]

export function layLinks(bytes: ReportBytes, given: readonly Link[] | undefined): Link[] {
  return layList(bytes, given, layLink)
}

const layLink: Lay<Link> = (bytes, given) => {
  const url = bytes.url(given.url)
  const key = bytes.raw.u64(given.key)
  const site = bytes.word(given.site)
  const depth = bytes.raw.count(given.depth)
  const link: Link = { url, key, site, depth, via: bytes.word(given.via), path: bytes.word(given.path) }
  // Not as `layWhich` does it: a page has forty links.
  const flags = bytes.raw.byte((given.lastmod === undefined ? 0 : 1) | (given.spelling === undefined ? 0 : 2))
  if (flags & 1) link.lastmod = bytes.number(given.lastmod!)
  if (flags & 2) link.spelling = true
  return link
}

/** One of a list. */
function layChoice<One>(bytes: ReportBytes, all: readonly One[], given: One): One {
  const at = bytes.raw.byte(all.indexOf(given))
  if (at >= all.length) throw new RangeError(`no choice ${at}`)
  return all[at]
}

/** Which of at most eight values there are. */
function layWhich(bytes: ReportBytes, values: readonly unknown[]): boolean[] {
  const bits = values.reduce<number>(
    (sum, value, at) => sum | (value === undefined || value === false ? 0 : 1 << at),
    0,
  )
  const flags = bytes.raw.byte(bits)
  return values.map((_, at) => (flags & (1 << at)) !== 0)
}

const layPage: Lay<PageReport> = (bytes, given) => {
  const { via: from, capture, memory, sniffed, language, change } = given
  const values = [from, capture, memory, given.ownRequest, sniffed, language, bytes.knows(given.url), change]
  const [hasVia, hasCapture, hasMemory, ownRequest, hasSniffed, hasLanguage, isKnown, hasChange] = layWhich(
    bytes,
    values,
  )
  const url = bytes.url(given.url)
  // Links found on the page will name it as their `via`.
  if (!isKnown) bytes.learn(url)
  const key = bytes.raw.u64(given.key)
  const depth = bytes.raw.count(given.depth)
  const via = hasVia ? bytes.word(from!) : undefined
  const page: { -readonly [Field in keyof PageReport]: PageReport[Field] } = {
    url,
    key,
    depth,
    path: bytes.word(given.path),
    at: bytes.number(given.at),
    status: unzigzag(bytes.raw.count(zigzag(given.status))),
    mediaType: bytes.word(given.mediaType),
    bytes: bytes.raw.count(given.bytes),
    tookMs: bytes.number(given.tookMs),
    tries: bytes.raw.count(given.tries),
    outcome: layOutcome(bytes, given.outcome),
    title: bytes.text(given.title),
    links: bytes.raw.blob(given.links),
    annotations: layList(bytes, given.annotations, layWord),
    ownRequest,
  }
  if (via !== undefined) page.via = via
  if (hasCapture) page.capture = layCapture(bytes, capture ?? NOTHING)
  if (hasMemory) page.memory = layPageMemory(bytes, memory ?? NOTHING, page.capture)
  if (hasSniffed) page.sniffed = bytes.word(sniffed!)
  if (hasLanguage) page.language = bytes.word(language!)
  if (hasChange) page.change = layChange(bytes, change ?? NOTHING)
  return page
}

const layChange: Lay<Change> = (bytes, given) => {
  const kind = oneOf(bytes.word(given.class), isChangeClass)
  const place = bytes.word(given.place ?? '')
  return place === '' ? { class: kind } : { class: kind, place }
}

function oneOf<Word extends string>(word: string, isOne: (word: string) => word is Word): Word {
  if (!isOne(word)) throw new RangeError('no such word here')
  return word
}

/** The fields of all outcomes: the kind says which there are. */
type Fields = { [Field in 'to' | 'by' | 'rule' | 'why']: string } & { urls: number; notBefore: number } & {
  kind: Outcome['kind']
  how: (typeof HOW)[number]
  held?: true
  same?: true
}

function layOutcome(bytes: ReportBytes, given: Outcome | undefined): Outcome {
  const { kind: named, how, to, by, rule, why, urls, notBefore, held, same } = (given ?? NOTHING) as unknown as Fields
  const kind = layChoice(bytes, OUTCOMES, named)
  const failure = () => oneOf(bytes.word(why), isFailureKind)
  switch (kind) {
    case 'kept':
      return { kind, how: layChoice(bytes, HOW, how) }
    case 'moved':
      return { kind, to: bytes.url(to) }
    case 'read': {
      const [isSame] = layWhich(bytes, [same])
      return { kind, as: 'sitemap', urls: bytes.raw.count(urls), ...(isSame && { same: true }) }
    }
    case 'refused': {
      const [isHeld] = layWhich(bytes, [held])
      return { kind, by: oneOf(bytes.word(by), isRefusedBy), rule: bytes.word(rule), ...(isHeld && { held: true }) }
    }
    case 'gone':
      return { kind, why: failure() }
    case 'later':
      return { kind, why: failure(), notBefore: bytes.number(notBefore) }
  }
}

const layCapture: Lay<Capture> = (bytes, given) => ({
  volume: bytes.word(given.volume),
  offset: bytes.raw.count(given.offset),
  length: bytes.raw.count(given.length),
  kind: layChoice(bytes, CAPTURES, given.kind),
  digest: bytes.text(given.digest),
})

function layPageMemory(bytes: ReportBytes, given: PageMemory, capture: Capture | undefined): PageMemory {
  const { etag, lastModified, sketch } = given
  const values = [capture?.digest === given.digest, etag, lastModified, sketch]
  const [isCaptures, hasEtag, hasDate, hasSketch] = layWhich(bytes, values)
  if (isCaptures && capture === undefined) throw new RangeError('the digest of no capture')
  const digest = isCaptures ? capture!.digest : bytes.text(given.digest)
  const memory: PageMemory = {
    digest,
    textDigest: bytes.raw.u64(given.textDigest),
    simhash: bytes.raw.u64(given.simhash),
  }
  if (hasEtag) memory.etag = bytes.text(etag!)
  if (hasDate) memory.lastModified = bytes.word(lastModified!)
  if (hasSketch) memory.sketch = bytes.raw.blob(sketch!)
  return memory
}

const layFinding: Lay<Finding> = (bytes, given) => {
  const [rule, evidence, at] = [bytes.word(given.rule), bytes.text(given.evidence), bytes.number(given.at)]
  const finding: Finding = { rule, evidence, at }
  const [hasPattern, isWithdrawn] = layWhich(bytes, [given.pattern, given.withdrawn])
  if (hasPattern) finding.pattern = bytes.text(given.pattern!)
  if (isWithdrawn) finding.withdrawn = true
  const examples = layList(bytes, given.examples, layText)
  if (examples.length > 0) finding.examples = examples
  return finding
}

const layCourtesy: Lay<Courtesy> = (bytes, given) => {
  const { lastAnswerAt, address, connectMs } = given
  const [hasAnswer, hasAddress, hasConnected] = layWhich(bytes, [lastAnswerAt, address, connectMs])
  const courtesy: Courtesy = { pause: bytes.number(given.pause), notBefore: bytes.number(given.notBefore) }
  if (hasAnswer) courtesy.lastAnswerAt = bytes.number(lastAnswerAt!)
  if (hasAddress) courtesy.address = bytes.text(address!)
  if (hasConnected) courtesy.connectMs = bytes.number(connectMs!)
  return courtesy
}

/** A section without news is empty. */
function layMemory(bytes: ReportBytes, { robots, traps, ...rest }: MemoryNews): MemoryNews {
  const memory: Partial<MemoryNews> = { ...bytes.json(rest) }
  const [newRobots, newTraps] = [bytes.json(robots), bytes.json(traps)]
  if (newRobots !== undefined) memory.robots = newRobots
  if (newTraps !== undefined) memory.traps = newTraps as MemoryNews['traps']
  const { fetched, duplicates, deepest, silent } = memory
  const isWhole =
    [fetched, duplicates, deepest, silent].every(Number.isFinite) &&
    [memory.robots, memory.traps].every((one) => one === undefined || (typeof one === 'object' && one !== null))
  if (!isWhole) throw new RangeError('site memory has another shape')
  return memory as MemoryNews
}

const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value)
const unzigzag = (value: number): number => (value % 2 === 1 ? -(value + 1) / 2 : value / 2)
