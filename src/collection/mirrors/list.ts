/**
 * The list of mirrors: a text file that a person may edit. A line is `replica original  # why`; `! replica original` says that
 * these two are not mirrors, whatever is found; `#` begins a comment. Rewriting the list keeps what a person wrote: comments,
 * blank lines, the order, and lines whose comment is not ours.
 */
import type { Instant } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import type { DecidedMirrors } from '../../contracts/control.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { parseUrl } from '../../web/url/web-url.ts'
import { dayOf } from '../counters/counters.ts'
import { HEURISTICS, type Heuristic, type MirrorPair } from './heuristics.ts'

export interface NamedPair {
  replica: SiteName
  original: SiteName
}

export type ListLine =
  | { kind: 'text'; text: string }
  | ({ kind: 'pair'; text: string; ours: boolean } & NamedPair)
  | ({ kind: 'never'; text: string } & NamedPair)

export const MAX_LINES = 1_000_000
const LONGEST_LINE = 2000
const MAX_FAULTS = 10

/** Throws a Problem that names the faulty lines. `file`: for its message. */
export function parseList(text: string, file: string): ListLine[] {
  const faults: string[] = []
  const lines: ListLine[] = []
  const seen = new Map<SiteName, { original: SiteName; number: number }>()
  const fault = (number: number, why: string) => {
    if (faults.length < MAX_FAULTS) faults.push(`line ${number}: ${why}`)
  }
  for (const [index, raw] of linesOf(text, file).entries()) {
    const line = parseLine(raw)
    if (typeof line === 'string') {
      fault(index + 1, line)
      continue
    }
    if (line.kind === 'pair') {
      const before = seen.get(line.replica)
      if (before !== undefined && before.original !== line.original) {
        fault(index + 1, `${line.replica} is a replica of ${before.original} already, in line ${before.number}`)
        continue
      }
      seen.set(line.replica, { original: line.original, number: index + 1 })
    }
    lines.push(line)
  }
  if (faults.length > 0) throw new Problem('unreadable', `list of mirrors ${file}: ${faults.join('; ')}`)
  return lines
}

function linesOf(text: string, file: string): string[] {
  const plain = text.startsWith('\ufeff') ? text.slice(1) : text
  const lines = plain.split('\n', MAX_LINES + 2)
  if (lines.at(-1) === '') lines.pop()
  if (lines.length > MAX_LINES) throw new Problem('unreadable', `list of mirrors ${file}: over ${MAX_LINES} lines`)
  return lines
}

function parseLine(raw: string): ListLine | string {
  const text = raw.endsWith('\r') ? raw.slice(0, -1) : raw
  if (text.length > LONGEST_LINE) return `longer than ${LONGEST_LINE} characters`
  const hash = text.indexOf('#')
  const names = (hash < 0 ? text : text.slice(0, hash)).split(/\s+/).filter((word) => word !== '')
  if (names.length === 0) return { kind: 'text', text }
  const never = names[0] === '!'
  if (never) names.shift()
  if (names.length !== 2) return `two names expected, 'replica original', but found ${names.length}`
  const [replica, original] = names.map(siteName)
  if (replica === undefined) return `'${names[0].slice(0, 100)}' is not a site name`
  if (original === undefined) return `'${names[1].slice(0, 100)}' is not a site name`
  if (replica === original) return `${replica} cannot be a replica of itself`
  if (never) return { kind: 'never', text, replica, original }
  return { kind: 'pair', text, replica, original, ours: hash >= 0 && OURS.test(text.slice(hash)) }
}

function siteName(word: string): SiteName | undefined {
  if (/[/?@\\]/.test(word)) return undefined
  return parseUrl(`http://${word}/`)?.site
}

const USED = 'used by the crawl'
const OURS = new RegExp(`^# (?:(?:${HEURISTICS.join('|')}), \\d+/\\d+|${USED}), \\d{4}-\\d\\d-\\d\\d$`)
const LEFT = /^# left (\d{4}-\d\d-\d\d): (\S+) (\S+): (.*)$/
/** Our own notes about pairs that left the list; the oldest are removed. */
const MAX_LEFT = 1000

/**
 * The pairs of a list without those that a `!` forbids anywhere in it. Replicas of a replica belong to its original; a circle
 * is a Problem.
 */
export function pairsOf(lines: readonly ListLine[], file: string): NamedPair[] {
  const isNever = forbidden(lines)
  const originals = new Map<SiteName, SiteName>()
  for (const line of lines) if (line.kind === 'pair' && !isNever(line)) originals.set(line.replica, line.original)
  const endOf = (replica: SiteName): SiteName => {
    const path = new Set<SiteName>()
    let at = replica
    for (let next = originals.get(at); next !== undefined; next = originals.get(at)) {
      path.add(at)
      at = next
      if (!path.has(at)) continue
      throw new Problem(
        'unreadable',
        `list of mirrors ${file}: ${at} is a replica of itself through a circle of lines. Remove one of them.`,
      )
    }
    // A long chain is walked once.
    for (const one of path) originals.set(one, at)
    return at
  }
  const pairs = [...originals.keys()].map((replica) => ({ replica, original: endOf(replica) }))
  return pairs.filter((pair) => !isNever(pair))
}

/** Whether a pair is one of these, whichever is the original. */
export function among(pairs: readonly NamedPair[]): (pair: NamedPair) => boolean {
  const names = new Set(pairs.map(bothNames))
  return (pair) => names.has(bothNames(pair))
}

/** Operators' decisions override the list. */
export function withDecided(listed: readonly NamedPair[], { confirmed, overruled }: DecidedMirrors): NamedPair[] {
  const isNever = among(overruled)
  const stay = listed.filter((pair) => !isNever(pair))
  const originals = new Map([...stay, ...confirmed].map(({ replica, original }) => [replica, original]))
  return [...originals].map(([replica, original]) => ({ replica, original }))
}

export interface Renewal {
  heuristic: Heuristic
  pairs: readonly MirrorPair[]
  /** Pairs that the crawl used and confirmed by their home pages, the only pages it has of the replicas. */
  used?: readonly NamedPair[]
  /** Pairs that operators overruled in the crawl: the list forbids them. */
  overruled?: readonly NamedPair[]
  at: Instant
  /** Names that no longer resolve. */
  gone: ReadonlySet<SiteName>
}

/** The list with the new findings; `left`: the number of pairs that were removed. */
export function renewed(given: readonly ListLine[], renewal: Renewal): { lines: ListLine[]; left: number } {
  const isNever = forbidden(given)
  const denied = (renewal.overruled ?? []).filter((pair) => !isNever(pair))
  const lines = [...given, ...denied.map((pair) => neverLine(pair, renewal.at))]
  const found = new Map(acceptable(lines, wanted(renewal)).map((pair) => [pair.replica, pair]))
  const stays: ListLine[] = []
  let left = 0
  for (const line of lines) {
    if (line.kind !== 'pair') {
      stays.push(line)
      continue
    }
    const dead = [line.replica, line.original].find((name) => renewal.gone.has(name))
    const now = found.get(line.replica)
    if (dead === undefined && !line.ours) stays.push(line)
    else if (dead === undefined && now?.original === line.original) {
      stays.push('shared' in now ? pairLine(now, renewal) : line)
      found.delete(line.replica)
    } else {
      left++
      if (dead !== undefined && !line.ours) stays.push(leftLine(line, `${dead} does not resolve`, renewal.at))
    }
  }
  const fresh = [...found.values()].sort((a, b) => order(a.original, b.original) || order(a.replica, b.replica))
  return { lines: [...stays, ...fresh.map((pair) => pairLine(pair, renewal))], left }
}

/** Used pairs first, because the search may find them reversed. Its evidence is newer, where there is any. */
function wanted({ pairs, used = [], gone }: Renewal): (NamedPair | MirrorPair)[] {
  const evidence = new Map(pairs.map((pair) => [`${pair.replica} ${pair.original}`, pair]))
  const stay = used.filter(({ replica, original }) => !gone.has(replica) && !gone.has(original))
  return [...stay.map((pair) => evidence.get(`${pair.replica} ${pair.original}`) ?? pair), ...pairs]
}

/** Steps from original to original; people write one or two. */
const MAX_STEPS = 100

const forbidden = (lines: readonly ListLine[]) => among(lines.flatMap((line) => (line.kind === 'never' ? [line] : [])))

/** The found pairs that do not contradict a person: not forbidden, no other original given, no circle. */
function acceptable<Pair extends NamedPair>(lines: readonly ListLine[], pairs: readonly Pair[]): Pair[] {
  const isNever = forbidden(lines)
  const originals = new Map<SiteName, SiteName>()
  for (const line of lines) if (line.kind === 'pair' && !line.ours) originals.set(line.replica, line.original)
  return pairs.filter((pair) => {
    if (isNever(pair) || originals.has(pair.replica)) return false
    let at: SiteName | undefined = pair.original
    for (let step = 0; at !== undefined && at !== pair.replica && step < MAX_STEPS; step++) at = originals.get(at)
    if (at !== undefined) return false
    originals.set(pair.replica, pair.original)
    return true
  })
}

/** Replaces pairs that turned out not to be mirrors by a comment that says why. */
export function withoutPairs(
  lines: readonly ListLine[],
  gone: readonly (NamedPair & { why: string })[],
  at: Instant,
): ListLine[] {
  const why = new Map(gone.map((pair) => [pair.replica, pair.why]))
  const after = lines.map((line): ListLine => {
    const reason = line.kind === 'pair' ? why.get(line.replica) : undefined
    return line.kind === 'pair' && reason !== undefined ? leftLine(line, reason, at) : line
  })
  let surplus = after.filter(isLeft).length - MAX_LEFT
  return after.filter((line) => !(isLeft(line) && surplus-- > 0))
}

export interface LeftPair extends NamedPair {
  /** The day, `2026-05-01`. */
  on: string
  why: string
}

/** The last note that this site left the list; undefined while it is still listed. */
export function leftPairOf(lines: readonly ListLine[], replica: SiteName): LeftPair | undefined {
  if (lines.some((line) => line.kind === 'pair' && line.replica === replica)) return undefined
  const notes = lines.flatMap((line) => (line.kind === 'text' ? [LEFT.exec(line.text)] : []))
  const last = notes.findLast((note) => note?.[2] === replica)
  return last ? { replica, original: last[3], on: last[1], why: last[4] } : undefined
}

const isLeft = (line: ListLine) => line.kind === 'text' && LEFT.test(line.text)

const HEADER = [
  '# Sites that are copies of others: REPLICA ORIGINAL. A crawl enters links to the replica at the original.',
  '# Edit as you like: what you write stays. "! REPLICA ORIGINAL" says that these two are not mirrors.',
]

export function formatList(lines: readonly ListLine[]): string {
  const texts = lines.map(({ text }) => text)
  return [...(texts.length === 0 || lines[0].kind !== 'text' ? HEADER : []), ...texts, ''].join('\n')
}

function pairLine(pair: NamedPair | MirrorPair, { heuristic, at }: Renewal): ListLine {
  const { replica, original } = pair
  const why = 'shared' in pair ? `${heuristic}, ${pair.shared}/${pair.total}` : USED
  return { kind: 'pair', text: `${replica} ${original}  # ${why}, ${dayOf(at)}`, replica, original, ours: true }
}

function neverLine({ replica, original }: NamedPair, at: Instant): ListLine {
  return { kind: 'never', text: `! ${replica} ${original}  # overruled, ${dayOf(at)}`, replica, original }
}

function leftLine({ replica, original }: NamedPair, why: string, at: Instant): ListLine {
  return { kind: 'text', text: `# left ${dayOf(at)}: ${replica} ${original}: ${why}` }
}

const bothNames = ({ replica, original }: NamedPair) => [replica, original].sort().join(' ')
const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
