/**
 * What happens between a detector's suspicion and a stop. A detector judges by likeness and by counts; both err. So a suspect
 * pattern is put on trial first: a few more of its URLs are asked for and held against what the finding says. Only when they
 * confirm it is the pattern stopped. A stopped pattern is sampled now and then, ever more seldom; when samples contradict the
 * finding it is withdrawn, and the detectors must wait, each time longer, before they suspect the pattern again.
 */
import type { SiteMemory } from '../../contracts/site-memory.ts'
import type { SuspectPattern, TrapMemory } from '../../contracts/trap-memory.ts'
import type { Proof } from './finding.ts'
import { mark, ones } from './marks.ts'
import type { PageFacts } from './page-facts.ts'
import { isDateWord, looksRandom } from './segments.ts'

/**
 * Samples of a trial; each that contradicts the finding allows for two more. Fewer where pages were compared letter by letter,
 * and one or two where the same rule was confirmed on the site before.
 */
const TRIAL = 4
const TRIAL_OF_ALIASES = 2
const TRIAL_AGAIN = 1
const TRIAL_OF_TEXTS_AGAIN = 2
const MORE = 2
/** So many contradictions, and a third of all samples, clear a pattern; half of them, one that was stopped. */
const CONTRADICTIONS = 3
/** The first sample of a stopped pattern is the URL after so many; each further one after twice as many. */
const FIRST_SAMPLE = 16
const FIRST_SAMPLE_OF_ALIASES = 64
/** A pattern that was cleared may be suspected again after so many pages of the site; twice as many each time. */
const PAGES_UNTIL_SUSPECTED_AGAIN = 25
const MAX_CLEARED = 12

/** Samples for a pattern that is suspected now, beside others of its site. */
export function trialFor(proof: Proof, rule: string, others: readonly SuspectPattern[]): number {
  if (countStopped(rule, others) > 0) return proof === 'text' ? TRIAL_OF_TEXTS_AGAIN : TRIAL_AGAIN
  return proof === 'alias' ? TRIAL_OF_ALIASES : TRIAL
}

/** However many patterns a rule stops, samples of all of them are as rare. */
export function firstSample({ proof, rule }: SuspectPattern, others: readonly SuspectPattern[]): number {
  return (proof === 'alias' ? FIRST_SAMPLE_OF_ALIASES : FIRST_SAMPLE) * (1 + countStopped(rule, others))
}

function countStopped(rule: string, suspects: readonly SuspectPattern[]): number {
  return suspects.filter((one) => one.stopped && one.rule === rule).length
}

/** What a sample showed, as far as proofs ask for it. */
export interface Sample {
  /** Fresh links into the pattern. */
  fresh: number
  /** Its text is that of another URL. */
  seen: boolean
  slow: boolean
  /** It is like the answer to a name that cannot exist. */
  missing: boolean
}

export type TrialEnd = 'goes-on' | 'stopped' | 'withdrawn'

/** Holds a page of the pattern, fetched as a sample, against the finding. */
export function judgeSample(
  suspect: SuspectPattern,
  page: PageFacts,
  sample: Sample,
): { suspect: SuspectPattern; end: TrialEnd } {
  const next: SuspectPattern = { ...suspect }
  // An error says nothing; a trial of nothing else ends without a finding.
  if (page.content === undefined && page.outcome !== 'moved') {
    next.budget = Math.max(0, suspect.budget - 1)
    const isVain = next.budget === 0 && !suspect.stopped
    return { suspect: next, end: isVain ? 'withdrawn' : 'goes-on' }
  }
  const { confirms, words } = confirmation(suspect, page, sample)
  if (words !== undefined) next.words = words
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
  // One that is stopped takes the next URL as well; one on trial, two more.
  if (!suspect.stopped) next.budget = suspect.budget + MORE
  return { suspect: next, end: 'goes-on' }
}

/** A URL of the pattern, not listed elsewhere, has its turn: it is a sample, or it is refused. */
export function admit(suspect: SuspectPattern): { suspect: SuspectPattern; refused: boolean } {
  if (suspect.budget > 0) return { suspect, refused: false }
  const refused = suspect.refused + 1
  if (refused < suspect.nextSample) return { suspect: { ...suspect, refused }, refused: true }
  return { suspect: { ...suspect, budget: 1, nextSample: suspect.nextSample * 2 }, refused: false }
}

function confirmation(
  { proof, words }: SuspectPattern,
  page: PageFacts,
  { fresh, seen, slow, missing }: Sample,
): { confirms: boolean | undefined; words?: string } {
  switch (proof as Proof) {
    case 'missing':
      return { confirms: missing }
    case 'pace':
      return { confirms: slow }
    case 'growth':
      if (fresh > 0) return { confirms: true }
  }
  if (proof !== 'text' && fresh === 0 && isNamedByQuery(page.path)) return { confirms: false }
  // A text that is there already, or that has no words of its own.
  if (page.content === undefined || seen || missing) return { confirms: true }
  // The first sample of a stopped pattern: what it says is held against the next ones.
  if (words === undefined) return { confirms: undefined, words: learnWords(undefined, page).words }
  const learnt = learnWords(words, page)
  return { confirms: learnt.fresh === 0, words: learnt.words }
}

/**
 * A query without parameters names a page: `index.html?CLASS` is a frame set for each class, and all of them are one file. There
 * are as many as pages that name them. Session ids, which are written so too, lead to ever more of themselves.
 */
function isNamedByQuery(path: string): boolean {
  const query = path.indexOf('?')
  return query >= 0 && !path.includes('=', query)
}

/** The words of the page with which the suspicion arose are known in the trial. */
export function initialWords(page: PageFacts): string | undefined {
  return page.content === undefined ? undefined : learnWords(undefined, page).words
}

const BITS = 2048
/** Of a hundred, so many set: more would make every word look known. */
const MAX_SET = 60
const MAX_WORDS = 5_000
const WORD = /\p{L}{3,}/gu

/** One word is enough: of many a function or a class a manual has nothing to say but its name. Numbers, dates and throws of dice are none. */
function learnWords(known: string | undefined, page: PageFacts): { words: string; fresh: number } {
  const bits = known === undefined ? Buffer.alloc(BITS / 8) : Buffer.from(known, 'base64')
  let fresh = 0
  let read = 0
  const { title = '', text } = page.content ?? {}
  const own = `${title} ${text?.() ?? ''}`.toLowerCase()
  for (const [word] of own.matchAll(WORD)) {
    if (++read > MAX_WORDS) break
    if (isDateWord(word, 0, word.length) || looksRandom(word)) continue
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
  // Samples of so many different words are begun anew with the last of them.
  if (set * 100 > BITS * MAX_SET && known !== undefined) return { words: learnWords(undefined, page).words, fresh }
  return { words: bits.toString('base64'), fresh }
}

const isSet = (bits: Buffer, at: number) => ((bits[at >> 3] >> (at & 7)) & 1) === 1

/** The pattern was cleared not long ago: what detectors say of it does not count yet. */
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
