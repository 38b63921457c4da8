/**
 * Trials, between a detector's finding and a stop. Likeness and counts can mislead, so a few more URLs of a suspect
 * pattern are fetched and compared with the finding. Only if they confirm it is the pattern stopped. A stopped pattern
 * is sampled ever more rarely; if samples contradict the finding it is withdrawn, and detectors must wait longer each
 * time before they suspect the pattern again.
 */
import type { SiteMemory } from '../../contracts/site-memory.ts'
import type { SuspectPattern, TrapMemory } from '../../contracts/trap-memory.ts'
import type { Proof } from './finding.ts'
import { mark, ones } from './marks.ts'
import type { PageFacts } from './page-facts.ts'
import { isDateWord, looksRandom } from './segments.ts'

/**
 * Samples of a trial; each contradiction adds two. Fewer where pages were compared exactly, and one or two where the
 * same rule was confirmed on the site before.
 */
const TRIAL = 4
const TRIAL_OF_ALIASES = 2
const TRIAL_AGAIN = 1
const TRIAL_OF_TEXTS_AGAIN = 2
const MORE = 2
/** Contradictions that clear a pattern, if they are a third of all samples (half for a stopped one). */
const CONTRADICTIONS = 3
/** Samples of a trial with which nothing can be compared; then the pages that were compared decide. */
const MAX_UNKNOWN = 16
/** A stopped pattern is first sampled after this many URLs, then after twice as many each time. */
const FIRST_SAMPLE = 16
const FIRST_SAMPLE_OF_ALIASES = 64
/** Pages that are gone often redirect, while others of their form are there. */
const FIRST_SAMPLE_OF_REDIRECTS = 4
/** Pages of the site until a cleared pattern may be suspected again; doubles each time. */
const PAGES_UNTIL_SUSPECTED_AGAIN = 25
const MAX_CLEARED = 12

/** Samples that a new suspect needs, given the other suspects of its site. */
export function trialFor(proof: Proof, rule: string, others: readonly SuspectPattern[]): number {
  if (countStopped(rule, others) > 0) return proof === 'text' ? TRIAL_OF_TEXTS_AGAIN : TRIAL_AGAIN
  return proof === 'alias' ? TRIAL_OF_ALIASES : TRIAL
}

/** Sampling gets rarer as a rule stops more patterns, so the total stays constant. */
export function firstSample({ proof, rule, pattern }: SuspectPattern, others: readonly SuspectPattern[]): number {
  const isOfRedirects = rule === 'same-content' && proof === 'alias' && !pattern.endsWith('?**')
  if (isOfRedirects) return FIRST_SAMPLE_OF_REDIRECTS
  return (proof === 'alias' ? FIRST_SAMPLE_OF_ALIASES : FIRST_SAMPLE) * (1 + countStopped(rule, others))
}

function countStopped(rule: string, suspects: readonly SuspectPattern[]): number {
  return suspects.filter((one) => one.stopped && one.rule === rule).length
}

/** What a sample showed. */
export interface Sample {
  /** Fresh links into the pattern. */
  fresh: number
  /** Another URL gave the same text. */
  seen: boolean
  /** What the page says without the parameter of the pattern, or with another value. */
  without?: 'same' | 'other' | 'unknown' | undefined
  /** It redirects to an unknown page. */
  elsewhere?: boolean
  slow: boolean
  /** Like the answer to a name that cannot exist. */
  missing: boolean
}

export type TrialEnd = 'goes-on' | 'stopped' | 'withdrawn'

/** Compares a sample page of the pattern with the finding. */
export function judgeSample(
  suspect: SuspectPattern,
  page: PageFacts,
  sample: Sample,
): { suspect: SuspectPattern; end: TrialEnd } {
  // A URL whose request began before.
  if (suspect.isConfirmed) return { suspect, end: 'goes-on' }
  const next: SuspectPattern = { ...suspect }
  // Errors prove nothing; a trial with only errors ends without a finding.
  if (page.content === undefined && page.outcome !== 'moved') {
    next.budget = Math.max(0, suspect.budget - 1)
    const hasOnlyErrors = next.budget === 0 && !suspect.stopped
    return { suspect: next, end: hasOnlyErrors ? 'withdrawn' : 'goes-on' }
  }
  const { confirms, words, unknown } = confirmation(suspect, page, sample)
  if (words !== undefined) next.words = words
  if (unknown !== undefined) next.unknown = unknown
  if (confirms === undefined) return { suspect: next, end: 'goes-on' }
  if (confirms) {
    next.confirmed++
    next.budget = Math.max(0, suspect.budget - 1)
    if (next.budget > 0 || suspect.stopped) return { suspect: next, end: 'goes-on' }
    next.stopped = true
    return { suspect: next, end: 'stopped' }
  }
  next.contradicted++
  const outweigh = suspect.stopped ? 1 : 2
  if (next.contradicted >= CONTRADICTIONS && next.contradicted * outweigh >= next.confirmed)
    return { suspect: next, end: 'withdrawn' }
  // A trial gets two more samples.
  if (!suspect.stopped) next.budget = suspect.budget + MORE
  return { suspect: next, end: 'goes-on' }
}

/** Decides whether a queued URL of the pattern is fetched as a sample or refused. */
export function admit(suspect: SuspectPattern): { suspect: SuspectPattern; refused: boolean } {
  if (suspect.budget > 0 && !suspect.isConfirmed) return { suspect, refused: false }
  const refused = suspect.refused + 1
  if (suspect.isConfirmed || refused < suspect.nextSample) return { suspect: { ...suspect, refused }, refused: true }
  return { suspect: { ...suspect, budget: 1, nextSample: suspect.nextSample * 2 }, refused: false }
}

function confirmation(
  { pattern, proof, words, stopped, unknown = 0 }: SuspectPattern,
  page: PageFacts,
  { fresh, seen, slow, missing, without, elsewhere }: Sample,
): { confirms: boolean | undefined; words?: string; unknown?: number } {
  switch (proof as Proof) {
    case 'missing':
      return { confirms: missing }
    case 'invented':
      return { confirms: fresh > 0 }
    case 'pace':
      return { confirms: slow }
    case 'growth':
      if (fresh > 0) return { confirms: true }
  }
  if (proof === 'alias' && elsewhere) return { confirms: false }
  // Only where one page has the queries: `?print` on every article is a page that is known without it.
  const isNamed = !/[#*{]/.test(pattern.split('?', 1)[0]) && isNamedByQuery(page.path)
  if (proof !== 'text' && fresh === 0 && !missing && isNamed) return { confirms: false }
  // A known text, or one without words of its own.
  if (page.content === undefined || seen || missing) return { confirms: true }
  // Nothing to compare with: it is fetched with its usual value, or without the parameter, so it says nothing.
  if (without === 'unknown' && !stopped && unknown < MAX_UNKNOWN) return { confirms: undefined, unknown: unknown + 1 }
  if (without !== undefined) return { confirms: without !== 'other' }
  // The first sample of a stopped pattern: its words are compared with the next ones.
  if (words === undefined) return { confirms: undefined, words: learnWords(undefined, page).words }
  const learnt = learnWords(words, page)
  return { confirms: learnt.fresh === 0, words: learnt.words }
}

/**
 * A query without parameters names a page: `index.html?CLASS` is a frame set per class, all of them one file. Their
 * number is limited. Session ids look the same, but lead to ever more of themselves.
 */
function isNamedByQuery(path: string): boolean {
  const query = path.indexOf('?')
  return query >= 0 && !path.includes('=', query)
}

/** The words of the page that caused the suspicion: a trial starts with them. */
export function initialWords(page: PageFacts): string | undefined {
  return page.content === undefined ? undefined : learnWords(undefined, page).words
}

const BITS = 2048
/** Percentage of bits set, above which every word looks known. */
const MAX_SET = 60
const MAX_WORDS = 5_000
const WORD = /\p{L}{3,}/gu

/**
 * One new word is enough: a manual may say no more than the name of a function. Numbers, dates and random words don't
 * count, nor does what a page with parameters repeats of its own query.
 */
function learnWords(known: string | undefined, page: PageFacts): { words: string; fresh: number } {
  const bits = known === undefined ? Buffer.alloc(BITS / 8) : Buffer.from(known, 'base64')
  let fresh = 0
  let read = 0
  const { title = '', text } = page.content ?? {}
  const own = `${title} ${text?.() ?? ''}`.toLowerCase()
  const from = page.path.indexOf('?')
  const query = from < 0 ? '' : page.path.slice(from).toLowerCase()
  for (const [word] of own.matchAll(WORD)) {
    if (++read > MAX_WORDS) break
    if (isDateWord(word, 0, word.length) || looksRandom(word) || query.includes(word)) continue
    const hash = mark(word)
    const first = hash % BITS
    const second = (hash >>> 16) % BITS
    const isKnown = isSet(bits, first) && isSet(bits, second)
    if (isKnown) continue
    fresh++
    bits[first >> 3] |= 1 << (first & 7)
    bits[second >> 3] |= 1 << (second & 7)
  }
  let set = 0
  for (const byte of bits) set += ones(byte)
  // Too many different words: start again with the last sample's.
  if (set * 100 > BITS * MAX_SET && known !== undefined) return { words: learnWords(undefined, page).words, fresh }
  return { words: bits.toString('base64'), fresh }
}

const isSet = (bits: Buffer, at: number) => ((bits[at >> 3] >> (at & 7)) & 1) === 1

/** The pattern was cleared recently, so findings don't count yet. */
export function isRecentlyCleared(
  { cleared }: Pick<TrapMemory, 'cleared'>,
  pattern: string,
  { fetched }: SiteMemory,
): boolean {
  const entry = cleared?.find(([hash]) => hash === mark(pattern))
  return entry !== undefined && fetched < entry[2] + PAGES_UNTIL_SUSPECTED_AGAIN * 2 ** entry[1]
}

/** How often samples have cleared the pattern. */
export function timesCleared({ cleared }: Pick<TrapMemory, 'cleared'>, pattern: string): number {
  return cleared?.find(([hash]) => hash === mark(pattern))?.[1] ?? 0
}

export function clear(
  traps: Pick<TrapMemory, 'suspects' | 'cleared'>,
  { pattern, rule }: SuspectPattern,
  { fetched }: SiteMemory,
): void {
  const hash = mark(pattern)
  const before = traps.cleared?.find(([one]) => one === hash)
  const others = (traps.cleared ?? []).filter(([one]) => one !== hash).slice(1 - MAX_CLEARED)
  const times = Math.min((before?.[1] ?? 0) + 1, 8)
  traps.suspects = traps.suspects.filter((one) => one.pattern !== pattern || one.rule !== rule)
  traps.cleared = [...others, [hash, times, fetched]]
}
