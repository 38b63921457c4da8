/** What a report's bytes hold, in order, for the writer (`encode-report.ts`) and the reader (`decode-report.ts`) alike. */
import { never } from '../base/assert.ts'
import { type Change, isChangeClass } from './change.ts'
import { isFailureKind, isRefusedBy, type Outcome } from './outcome.ts'
import type { Capture, Courtesy, Finding, Learnt, Link, PageReport, VisitEnd, VisitReport } from './report.ts'
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
  /** Apart from the rest: a page has forty, and reading them as the rest is read takes 15 % longer. */
  links(links: readonly Link[]): Link[]
}

/** What the reader is given in place of a value. */
export const NOTHING = Object.freeze({}) as never

const HOW = ['first', 'changed', 'same'] as const
const ENDS: readonly VisitEnd[] = ['done', 'slice', 'stopped', 'elsewhere', 'silent', 'given-up']

export function layReport(bytes: ReportBytes, given: VisitReport): VisitReport {
  const visit = bytes.text(given.visit)
  const fence = bytes.raw.count(given.fence)
  const part = bytes.raw.count(given.part)
  const site = bytes.word(given.site)
  const pages = layList(bytes, given.pages, layPage)
  const found = bytes.links(given.found)
  const crossSite = bytes.links(given.crossSite)
  const findings = layList(bytes, given.findings, layFinding)
  const counts = new Map(layList(bytes, given.counts && [...given.counts], layCount))
  const courtesy = layCourtesy(bytes, given.courtesy ?? NOTHING)
  const end = bytes.raw.byte(given.ended === undefined ? 0 : 1 + ENDS.indexOf(given.ended))
  if (end > ENDS.length) throw new RangeError(`no end ${end}`)
  const memory = layMemory(bytes, given.memory ?? NOTHING)
  const learnt: Learnt | undefined = bytes.json(given.learnt)
  const report: VisitReport = { visit, fence, site, part, pages, found, crossSite, findings, counts, memory, courtesy }
  if (end > 0) report.ended = ENDS[end - 1]
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

const layPage: Lay<PageReport> = (bytes, given) => {
  const flags = bytes.raw.byte(
    (given.via === undefined ? 0 : 1) |
      (given.capture === undefined ? 0 : 2) |
      (given.memory === undefined ? 0 : 4) |
      (given.ownRequest ? 8 : 0) |
      (given.sniffed === undefined ? 0 : 16) |
      (given.language === undefined ? 0 : 32) |
      (bytes.knows(given.url) ? 64 : 0) |
      (given.change === undefined ? 0 : 128),
  )
  const url = bytes.url(given.url)
  // Links found on the page will name it as their `via`.
  if (!(flags & 64)) bytes.learn(url)
  const key = bytes.raw.u64(given.key)
  const depth = bytes.raw.count(given.depth)
  const via = flags & 1 ? bytes.word(given.via!) : undefined
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
    ownRequest: (flags & 8) !== 0,
  }
  if (via !== undefined) page.via = via
  if (flags & 2) page.capture = layCapture(bytes, given.capture ?? NOTHING)
  if (flags & 4) page.memory = layPageMemory(bytes, given.memory ?? NOTHING, page.capture)
  if (flags & 16) page.sniffed = bytes.word(given.sniffed!)
  if (flags & 32) page.language = bytes.word(given.language!)
  if (flags & 128) page.change = layChange(bytes, given.change ?? NOTHING)
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

/** The first byte of an outcome. */
function codeOf(outcome: Outcome): number {
  switch (outcome.kind) {
    case 'kept':
      return HOW.indexOf(outcome.how)
    case 'moved':
      return 3
    case 'refused':
      return outcome.held ? 8 : 4
    case 'gone':
      return 5
    case 'later':
      return 6
    case 'read':
      return outcome.same ? 9 : 7
    default:
      return never(outcome)
  }
}

/** The fields of all outcomes: the code says which there are. */
type Fields = { [Field in 'to' | 'by' | 'rule' | 'why']: string } & { urls: number; notBefore: number }

function layOutcome(bytes: ReportBytes, given: Outcome | undefined): Outcome {
  const code = bytes.raw.byte(given === undefined ? 0 : codeOf(given))
  const { to, by, rule, why, urls, notBefore } = (given ?? NOTHING) as unknown as Fields
  const failure = () => oneOf(bytes.word(why), isFailureKind)
  const refusal = () => ({ by: oneOf(bytes.word(by), isRefusedBy), rule: bytes.word(rule) })
  switch (code) {
    case 0:
    case 1:
    case 2:
      return { kind: 'kept', how: HOW[code] }
    case 3:
      return { kind: 'moved', to: bytes.url(to) }
    case 4:
      return { kind: 'refused', ...refusal() }
    case 5:
      return { kind: 'gone', why: failure() }
    case 6:
      return { kind: 'later', why: failure(), notBefore: bytes.number(notBefore) }
    case 7:
      return { kind: 'read', as: 'sitemap', urls: bytes.raw.count(urls) }
    case 8:
      return { kind: 'refused', ...refusal(), held: true }
    case 9:
      return { kind: 'read', as: 'sitemap', urls: bytes.raw.count(urls), same: true }
    default:
      throw new RangeError(`no outcome ${code}`)
  }
}

const layCapture: Lay<Capture> = (bytes, given) => ({
  volume: bytes.word(given.volume),
  offset: bytes.raw.count(given.offset),
  length: bytes.raw.count(given.length),
  kind: bytes.raw.byte(given.kind === 'response' ? 0 : 1) === 0 ? 'response' : 'revisit',
  digest: bytes.text(given.digest),
})

function layPageMemory(bytes: ReportBytes, given: PageMemory, capture: Capture | undefined): PageMemory {
  const flags = bytes.raw.byte(
    (capture?.digest === given.digest ? 1 : 0) |
      (given.etag === undefined ? 0 : 2) |
      (given.lastModified === undefined ? 0 : 4) |
      (given.sketch === undefined ? 0 : 8),
  )
  if (flags & 1 && capture === undefined) throw new RangeError('the digest of no capture')
  const digest = flags & 1 ? capture!.digest : bytes.text(given.digest)
  const memory: PageMemory = {
    digest,
    textDigest: bytes.raw.u64(given.textDigest),
    simhash: bytes.raw.u64(given.simhash),
  }
  if (flags & 2) memory.etag = bytes.text(given.etag!)
  if (flags & 4) memory.lastModified = bytes.word(given.lastModified!)
  if (flags & 8) memory.sketch = bytes.raw.blob(given.sketch!)
  return memory
}

const layFinding: Lay<Finding> = (bytes, given) => {
  const [rule, evidence, at] = [bytes.word(given.rule), bytes.text(given.evidence), bytes.number(given.at)]
  const finding: Finding = { rule, evidence, at }
  const flags = bytes.raw.byte((given.pattern === undefined ? 0 : 1) | (given.withdrawn ? 2 : 0))
  if (flags & 1) finding.pattern = bytes.text(given.pattern!)
  if (flags & 2) finding.withdrawn = true
  const examples = layList(bytes, given.examples, layText)
  if (examples.length > 0) finding.examples = examples
  return finding
}

const layCourtesy: Lay<Courtesy> = (bytes, given) => {
  const flags = bytes.raw.byte(
    (given.lastAnswerAt === undefined ? 0 : 1) |
      (given.address === undefined ? 0 : 2) |
      (given.connectMs === undefined ? 0 : 4),
  )
  const courtesy: Courtesy = { pause: bytes.number(given.pause), notBefore: bytes.number(given.notBefore) }
  if (flags & 1) courtesy.lastAnswerAt = bytes.number(given.lastAnswerAt!)
  if (flags & 2) courtesy.address = bytes.text(given.address!)
  if (flags & 4) courtesy.connectMs = bytes.number(given.connectMs!)
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
