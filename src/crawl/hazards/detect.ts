/**
 * Entry point for every answered page: first the site's limits, then the trap detectors. The only state is the site's
 * memory (counts, and the detectors' `OpenTraps`), which is changed in place.
 */
import type { SiteMemory } from '../../contracts/site-memory.ts'
import type { SuspectPattern } from '../../contracts/trap-memory.ts'
import { type Aliases, countAliases, isAliasOfRepeats } from './aliases.ts'
import { type Content, contentOf, textMark } from './content.ts'
import { isSlow } from './family-rules.ts'
import type { HazardFinding } from './finding.ts'
import type { Invention } from './invented.ts'
import { judgeTraps, type PageNews } from './judge-traps.ts'
import { type HazardLimits, judgeSite, refusesWaiting } from './limits.ts'
import { patternOfLink } from './link-census.ts'
import { type OpenTraps, patternOfVia } from './open-traps.ts'
import type { PageFacts } from './page-facts.ts'
import { patternOf, repeatsIn, type UrlPattern } from './pattern.ts'
import { weightOf } from './quiet.ts'
import { isStale } from './shingles.ts'
import { isSoft404, learnAnswer } from './soft-404.ts'
import {
  findSuspect,
  idleName,
  ignoresReferrer,
  isHeldOffspring,
  isNamedBySuspect,
  isOffspring,
  isOfPattern,
  stop,
  withoutIdleParameters,
  withSuspect,
} from './suspects.ts'
import { admit, clear, judgeSample, type Sample } from './trial.ts'

export interface HazardOptions extends HazardLimits {
  /** Rules that the operator has overruled for this site. Site limits go by the name before the number. */
  trusted(rule: string): boolean
}

export interface PageJudgement {
  /** The memory with this page counted. */
  memory: SiteMemory
  findings: HazardFinding[]
  /** Request a name that cannot exist, once, and pass the answer to `learnProbe`. */
  probe?: 'soft-404'
  /** Request an invented name of its family, and pass the answer to `learnInvention`. */
  invention?: Invention
  /** False: do not follow its links. */
  follow: boolean
  /** Links from it into other families are of generation 0. */
  lists: boolean
  /** A finding was withdrawn: put the refused URLs back in the queue. */
  requeue?: true
  /** Undefined: it was not compared, because it is of a suspect pattern. */
  news?: PageNews
}

export function judgePage(
  memory: SiteMemory,
  traps: OpenTraps,
  page: PageFacts,
  options: HazardOptions,
): PageJudgement {
  // A retry is counted when its final answer arrives; for now only the time it took matters.
  const { memory: next, finding } =
    page.outcome === 'later' ? { memory: { ...memory } } : judgeSite(memory, page, options)
  const findings: HazardFinding[] = []
  if (finding !== undefined) {
    const { rule, evidence } = finding
    // Trusted: ignore the limit, and do not report it.
    if (options.trusted(nameOf(rule))) next.stopped = undefined
    else findings.push({ rule, evidence, examples: [page.path.slice(0, 200)] })
  }
  const suspect = findSuspect(traps.suspects, page.path, options.trusted)
  // Pages of the pattern that other pages list are read, but say nothing about its offspring.
  if (suspect !== undefined && !isOffspring(suspect, page, traps.suspects))
    return { memory: next, findings, follow: true, lists: false }
  if (suspect !== undefined) {
    const { findings: sampled, ...judged } = judgeSuspect(next, traps, suspect, page)
    return { ...judged, memory: next, findings: [...findings, ...sampled], follow: true, lists: false }
  }
  const isListedBySuspect = page.generation === 0 && isNamedBySuspect(page.via, traps.suspects)
  const weight = page.outcome === 'later' ? 1 : weightOf(traps, page, next.fetched)
  // Its text is not among the last ones.
  if (weight === 0) return { memory: next, findings, follow: true, lists: true, ...(page.content && { news: 'new' }) }
  const facts = isListedBySuspect ? { ...page, generation: 1 } : page
  const judged = judgeTraps(next, traps, facts, weight, options.trusted)
  if (judged.findings.length > 0) findings.push(...judged.findings)
  const { follow, lists, news } = judged
  const isBack = page.isInferred === true && countInferred(traps, page, news)
  const judgement: PageJudgement = { memory: next, findings, follow, lists, news }
  if (judged.probe) judgement.probe = 'soft-404'
  if (judged.invention !== undefined) judgement.invention = judged.invention
  if (isBack) judgement.requeue = true
  return judgement
}

/** A queued URL that is about to be fetched. */
export interface WaitingUrl {
  path: string
  depth: number
  generation: number
  via?: string
  /** The page that named it redirects to it. */
  isTarget?: boolean
  /** As in `PageFacts`. */
  isInferred?: boolean
}

/**
 * The rule that refuses a queued URL, and its pattern ('' for the whole site). The refusal is counted. Seeds and home
 * pages (depth 0) and listed URLs are never refused.
 */
export function admitUrl(
  memory: SiteMemory,
  traps: OpenTraps,
  url: WaitingUrl,
  options: Pick<HazardOptions, 'trusted'>,
): { rule: string; pattern: string } | undefined {
  if (url.depth <= 0) return undefined
  const site = refusesWaiting(memory, url)
  if (site !== undefined && !options.trusted(nameOf(site))) return { rule: site, pattern: '' }
  const idle = url.isInferred ? passedOver(traps, options.trusted) : undefined
  if (idle !== undefined) return { rule: idle.rule, pattern: idle.pattern }
  const suspect = findSuspect(traps.suspects, url.path, options.trusted)
  if (suspect === undefined || !isHeldOffspring(suspect, url, traps.suspects)) return undefined
  // The site insists on a parameter that was left out: the page has no other name.
  if (url.isTarget && withoutIdleParameters(traps.suspects, url.path) === url.via) return undefined
  const { suspect: counted, refused } = admit(suspect)
  const { rule, pattern } = suspect
  if (counted !== suspect) traps.suspects = withSuspect(traps.suspects, counted)
  return refused ? { rule, pattern } : undefined
}

/** After so many URLs in a row that do not exist without their idle parameter, only the 8th, 16th, 32nd … is asked for. */
const MAX_VAIN = 8

/** A difference of two versions is none without one of them. True if those passed over are wanted after all. */
function countInferred(traps: OpenTraps, { outcome, links }: PageFacts, news: PageNews): boolean {
  const [vain, passed] = traps.inferred
  if (outcome === 'gone') traps.inferred = [vain + 1, passed]
  else if (outcome === 'moved' ? links.some(({ fresh }) => fresh) : news === 'new') traps.inferred = [0, 0]
  return traps.inferred[1] < passed
}

/** The finding by which a URL without an idle parameter is not asked for. */
function passedOver(traps: OpenTraps, trusted: HazardOptions['trusted']): SuspectPattern | undefined {
  const [vain, passed] = traps.inferred
  const idle = traps.suspects.find(({ pattern, rule }) => idleName(pattern) !== undefined && !trusted(rule))
  if (vain < MAX_VAIN || idle === undefined) return undefined
  traps.inferred = [vain, passed + 1]
  return passed + 1 >= MAX_VAIN && ((passed + 1) & passed) === 0 ? undefined : idle
}

/** The URL belongs to a pattern on trial or stopped whose listed URLs are still fetched. */
export function isOfSuspect({ suspects }: OpenTraps, path: string): boolean {
  // Most suspects are aliases, and this is asked of every link.
  if (suspects.every(ignoresReferrer)) return false
  const suspect = findSuspect(suspects, path, () => false)
  return suspect !== undefined && !ignoresReferrer(suspect)
}

/** URLs kept back per pattern in case its finding is withdrawn; more are dropped. */
const MAX_HELD = 2_000

/** A stopped pattern already holds back `MAX_HELD` URLs. */
export function hasFullPattern(suspects: OpenTraps['suspects']): boolean {
  return suspects.some(isFull)
}

const isFull = ({ stopped, refused }: SuspectPattern) => stopped && refused >= MAX_HELD

/** The URL belongs to such a pattern. */
export function exceedsHeldLimit(
  { suspects }: OpenTraps,
  url: Pick<WaitingUrl, 'path' | 'generation' | 'via'>,
  { trusted }: Pick<HazardOptions, 'trusted'>,
): boolean {
  const suspect = findSuspect(suspects, url.path, trusted)
  return suspect !== undefined && isFull(suspect) && isHeldOffspring(suspect, url, suspects)
}

/**
 * A listing page gives generation 0 to its links into other families. Links into its own family, or into that of the
 * page that named it, are offspring: otherwise two families that list each other would endorse each other for ever.
 */
export function familiesBeside(page: string, via: string | undefined): (link: string) => boolean {
  let from: UrlPattern | undefined
  let before: UrlPattern | undefined
  return (link) => {
    // On demand: most pages name nothing unknown.
    from ??= patternOfLink(page)
    if (via !== undefined) before ??= patternOfLink(via)
    const to = patternOfLink(link)
    return isAnother(from, to) && (before === undefined || isAnother(before, to))
  }
}

function isAnother(from: UrlPattern, to: UrlPattern): boolean {
  if (to.form === from.form || to.base === from.base) return false
  // Random names fall into several forms of one folder.
  return !(isMade(from.form) && isMade(to.form) && to.folders[0] === from.folders[0])
}

const isMade = (form: string) => form.includes('#') || form.includes('*')

/** Learns from the answer to the probe. `path` is the name that was requested. */
export function learnProbe(
  traps: OpenTraps,
  answer: { status: number; content?: PageFacts['content']; path?: string },
): void {
  traps.probe = learnAnswer(answer.status, answer.content, answer.path)
}

/** `site-urls>=5000` is the rule `site-urls`. */
function nameOf(rule: string): string {
  return rule.split(/[<>=]/, 1)[0]
}

/** Judges a page of a suspect pattern as a sample: the trial goes on, ends in a stop, or clears the pattern. */

interface SuspectJudgement {
  findings: HazardFinding[]
  requeue?: true
}

function judgeSuspect(memory: SiteMemory, traps: OpenTraps, before: SuspectPattern, page: PageFacts): SuspectJudgement {
  const { suspect, end } = judgeSample(before, page, sampleOf(traps, before, page))
  const { rule, pattern, evidence, confirmed, contradicted } = suspect
  const examples = [...suspect.examples]
  if (end === 'stopped') {
    const held = `${evidence}; ${confirmed} of ${confirmed + contradicted} samples confirm it`
    traps.suspects = withSuspect(traps.suspects, stop(suspect, traps.suspects))
    return { findings: [{ rule, pattern, evidence: held, examples }] }
  }
  if (end === 'goes-on') {
    traps.suspects = withSuspect(traps.suspects, suspect)
    return { findings: [] }
  }
  clear(traps, suspect, memory)
  if (!suspect.stopped) return suspect.refused > 0 ? { findings: [], requeue: true } : { findings: [] }
  const why = `withdrawn: ${contradicted} of ${confirmed + contradicted} samples contradict it`
  // Always requeue: a crash may have lost the count, but not the URLs held back.
  return { findings: [{ rule, pattern, evidence: why, examples, withdrawn: true }], requeue: true }
}

/** As many links as `countLinks` counts. */
const MAX_LINKS = 64

function sampleOf(traps: OpenTraps, { pattern, rule }: SuspectPattern, page: PageFacts): Sample {
  const urlPattern = patternOf(page.path)
  const content = page.content === undefined ? undefined : contentOf(page.content)
  const fresh = page.links.filter((link) => link.fresh).slice(0, MAX_LINKS)
  const via = page.via === undefined ? undefined : patternOfVia(traps, page.via).form
  // Two families that link to each other grow as one. Pages of one template grow in any family.
  const isGrowth = (path: string) =>
    rule === 'one-cast' || isOfPattern(pattern, path) || (page.generation > 0 && patternOf(path).form === via)
  const isKnown = isStale(traps, page) === true
  const compared = content === undefined ? undefined : compareWithout(traps, page, content, urlPattern, isKnown)
  const name = rule === 'idle-parameter' ? idleName(pattern) : undefined
  const direct = name === undefined ? undefined : compared?.direct?.get(`?${name}`)
  return {
    fresh: fresh.filter((link) => isGrowth(link.path)).length,
    seen: isKnown || (compared !== undefined && (compared.isSeen || isLikeKnown(traps, page, content!, urlPattern))),
    without: name === undefined ? undefined : (direct ?? 'unknown'),
    elsewhere: page.outcome === 'moved' && (fresh.length > 0 || page.isBlind === true),
    slow: isSlow(page),
    missing: isSoft404(traps.probe, page, content),
  }
}

interface Compared {
  /** The page at another URL says the same. */
  isSeen: boolean
  direct: Aliases['direct']
}

function compareWithout(
  traps: OpenTraps,
  page: PageFacts,
  content: Content,
  pattern: UrlPattern,
  isKnown: boolean,
): Compared {
  const { isAlias, direct } = countAliases(traps, page.path, pattern, content, page.links, true, isKnown)
  return { isSeen: isAlias || traps.texts.has(textMark(content)), direct }
}

function isLikeKnown(traps: OpenTraps, page: PageFacts, content: Content, pattern: UrlPattern): boolean {
  if (isAliasOfRepeats(traps.known, page.path, repeatsIn(page.path), content)) return true
  return pattern.names.length > 1 && traps.known.hasLike(page.path, content)
}
