/**
 * Entry point for every answered page: first the site's limits, then the trap detectors. The only state is the site's
 * memory (counts, and the detectors' `OpenTraps`), which is changed in place.
 */
import type { SiteMemory } from '../../contracts/site-memory.ts'
import type { SuspectPattern } from '../../contracts/trap-memory.ts'
import { type Aliases, countAliases, isAliasOfRepeats } from './aliases.ts'
import { type Content, contentOf, textMark } from './content.ts'
import { isSlow } from './family-rules.ts'
import type { HazardFinding, Proof } from './finding.ts'
import { judgeTraps } from './judge-traps.ts'
import { type HazardLimits, judgeSite, refusesWaiting } from './limits.ts'
import { patternOfLink } from './link-census.ts'
import { type OpenTraps, patternOfVia } from './open-traps.ts'
import type { PageFacts } from './page-facts.ts'
import { patternOf, repeatsIn, type UrlPattern } from './pattern.ts'
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
import { admit, clear, judgeSample, type Sample, trialFor } from './trial.ts'

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
  /** False: do not follow its links. */
  follow: boolean
  /** Links from it into other families are of generation 0. */
  lists: boolean
  /** A finding was withdrawn: put the refused URLs back in the queue. */
  requeue?: true
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
  const judged = judgeTraps(next, traps, isListedBySuspect ? { ...page, generation: 1 } : page, options.trusted)
  if (judged.findings.length > 0) findings.push(...judged.findings)
  const judgement: PageJudgement = { memory: next, findings, follow: judged.follow, lists: judged.lists }
  if (judged.probe) judgement.probe = 'soft-404'
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
  const suspect = findSuspect(traps.suspects, url.path, options.trusted)
  if (suspect === undefined || !isHeldOffspring(suspect, url, traps.suspects)) return undefined
  // The site insists on a parameter that was left out: the page has no other name.
  if (url.isTarget && withoutIdleParameters(traps.suspects, url.path) === url.via) return undefined
  const { suspect: counted, refused } = admit(suspect)
  const { rule, pattern } = suspect
  if (counted !== suspect) traps.suspects = withSuspect(traps.suspects, counted)
  return refused ? { rule, pattern } : undefined
}

/** The URL belongs to a pattern on trial or stopped whose listed URLs are still fetched. */
export function isOfSuspect({ suspects }: OpenTraps, path: string): boolean {
  const suspect = findSuspect(suspects, path, () => false)
  return suspect !== undefined && !ignoresReferrer(suspect)
}

/** URLs kept back per pattern in case its finding is withdrawn; more are dropped. */
const MAX_HELD = 2_000

/** The URL belongs to a stopped pattern that already holds back `MAX_HELD` URLs. */
export function exceedsHeldLimit(
  { suspects }: OpenTraps,
  url: Pick<WaitingUrl, 'path' | 'generation' | 'via'>,
  { trusted }: Pick<HazardOptions, 'trusted'>,
): boolean {
  const suspect = findSuspect(suspects, url.path, trusted)
  return suspect?.stopped === true && suspect.refused >= MAX_HELD && isHeldOffspring(suspect, url, suspects)
}

/**
 * A listing page gives generation 0 to its links into other families. Links into its own family, or into that of the
 * page that named it, are offspring: otherwise two families that list each other would endorse each other for ever.
 */
export function familiesBeside(page: string, via: string | undefined): (link: string) => boolean {
  const from = patternOfLink(page)
  const before = via === undefined ? undefined : patternOfLink(via)
  return (link) => {
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
    traps.suspects = shortenTrials(withSuspect(traps.suspects, stop(suspect, traps.suspects)), rule)
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

/** Once a rule is confirmed on the site, running trials of the same rule need fewer samples. */
function shortenTrials(suspects: readonly SuspectPattern[], rule: string): SuspectPattern[] {
  return suspects.map((one) => {
    if (one.stopped || one.rule !== rule || one.contradicted > 0) return one
    return { ...one, budget: Math.min(one.budget, trialFor(one.proof as Proof, rule, suspects)) }
  })
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
  const compared = content === undefined ? undefined : compareWithout(traps, page, content, urlPattern)
  const name = rule === 'idle-parameter' ? idleName(pattern) : undefined
  return {
    fresh: fresh.filter((link) => isGrowth(link.path)).length,
    seen: compared !== undefined && (compared.isSeen || isLikeKnown(traps, page, content!, urlPattern)),
    without: name === undefined ? undefined : (compared?.direct?.get(`?${name}`) ?? 'unknown'),
    elsewhere: page.outcome === 'moved' && fresh.length > 0,
    slow: isSlow(page),
    missing: isSoft404(traps.probe, page, content),
  }
}

interface Compared {
  /** The page at another URL says the same. */
  isSeen: boolean
  direct: Aliases['direct']
}

function compareWithout(traps: OpenTraps, page: PageFacts, content: Content, pattern: UrlPattern): Compared {
  const { isAlias, direct } = countAliases(traps, page.path, pattern, content, page.links, true)
  return { isSeen: isAlias || traps.texts.has(textMark(content)), direct }
}

function isLikeKnown(traps: OpenTraps, page: PageFacts, content: Content, pattern: UrlPattern): boolean {
  if (isAliasOfRepeats(traps.known, page.path, repeatsIn(page.path), content)) return true
  return pattern.names.length > 1 && traps.known.hasLike(page.path, content)
}
