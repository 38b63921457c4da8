/**
 * Every page that was answered goes through here: the site's limits, then the detectors of traps, each in a file of its own.
 * Nothing but the site's memory is known of what was before: its counts, and what the detectors keep (`open-traps.ts`), which
 * is changed in place.
 */
import type { SiteMemory } from '../../contracts/site-memory.ts'
import type { SuspectPattern } from '../../contracts/trap-memory.ts'
import { countAliases, isAliasOfRepeats } from './aliases.ts'
import { type Content, contentOf, textMark } from './content.ts'
import { isSlow } from './family-rules.ts'
import type { HazardFinding, Proof } from './finding.ts'
import { judgeTraps } from './judge-traps.ts'
import { type HazardLimits, judgeSite, refusesWaiting } from './limits.ts'
import { patternOfLink } from './link-census.ts'
import type { OpenTraps } from './open-traps.ts'
import type { PageFacts } from './page-facts.ts'
import { patternOf, type UrlPattern } from './pattern.ts'
import { isSoft404, learnAnswer } from './soft-404.ts'
import {
  findSuspect,
  ignoresReferrer,
  isHeldOffspring,
  isNamedBySuspect,
  isOffspring,
  isOfPattern,
  stop,
  withSuspect,
} from './suspects.ts'
import { admit, clear, judgeSample, type Sample, trialFor } from './trial.ts'

export interface HazardOptions extends HazardLimits {
  /** The operator knows better: this rule stops nothing on this site. Site limits by the name before the number. */
  trusted(rule: string): boolean
}

export interface PageJudgement {
  /** As it is with the page counted. */
  memory: SiteMemory
  findings: HazardFinding[]
  /** Ask once, politely, for a name that cannot exist, and hand its answer to `learnProbe`. */
  probe?: 'soft-404'
  /** False: its links are not to be followed. */
  follow: boolean
  /** What it names in other families is of generation 0. */
  lists: boolean
  /** A finding was withdrawn: what was refused is to be asked for after all. */
  requeue?: true
}

export function judgePage(
  memory: SiteMemory,
  traps: OpenTraps,
  page: PageFacts,
  options: HazardOptions,
): PageJudgement {
  // A later look at a page is the same again, and no trap.
  if (page.again) return { memory, findings: [], follow: true, lists: false }
  // What is asked for again is counted when it has its answer; only how long it took tells something now.
  const { memory: next, finding } =
    page.outcome === 'later' ? { memory: { ...memory } } : judgeSite(memory, page, options)
  const findings: HazardFinding[] = []
  if (finding !== undefined) {
    const { rule, evidence } = finding
    // Trusted: as if the limit were not there, and told of no more.
    if (options.trusted(nameOf(rule))) next.stopped = undefined
    else findings.push({ rule, evidence, examples: [page.path.slice(0, 200)] })
  }
  const suspect = findSuspect(traps.suspects, page.path, options.trusted)
  // What others list of a suspect pattern is read, and says nothing of its offspring.
  if (suspect !== undefined && !isOffspring(suspect, page, traps.suspects))
    return { memory: next, findings, follow: true, lists: false }
  if (suspect !== undefined) {
    const { findings: reported, ...judged } = judgeSuspect(next, traps, suspect, page)
    return { ...judged, memory: next, findings: [...findings, ...reported], follow: true, lists: false }
  }
  const isVain = page.generation === 0 && isNamedBySuspect(page.via, traps.suspects)
  const judged = judgeTraps(next, traps, isVain ? { ...page, generation: 1 } : page, options.trusted)
  if (judged.findings.length > 0) findings.push(...judged.findings)
  const judgement: PageJudgement = { memory: next, findings, follow: judged.follow, lists: judged.lists }
  if (judged.probe) judgement.probe = 'soft-404'
  return judgement
}

/** A URL whose turn it is. */
export interface WaitingUrl {
  path: string
  depth: number
  generation: number
  via?: string
}

/**
 * The rule by which a URL that waits is not asked for, and the pattern it belongs to, '' for the whole site. It is counted. What
 * nobody linked to (seeds, home pages: depth 0) is asked for in any case, and so is what others list.
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
  const { suspect: counted, refused } = admit(suspect)
  const { rule, pattern } = suspect
  if (counted !== suspect) traps.suspects = withSuspect(traps.suspects, counted)
  return refused ? { rule, pattern } : undefined
}

/** It belongs to a pattern that is on trial or stopped, and of which what a page lists is asked for. */
export function isOfSuspect({ suspects }: OpenTraps, path: string): boolean {
  const suspect = findSuspect(suspects, path, () => false)
  return suspect !== undefined && !ignoresReferrer(suspect)
}

/** Held back by a finding, of one pattern: so many wait for it to be withdrawn, and of more nobody needs to know. */
const MAX_HELD = 2_000

/** It is of a stopped pattern of which enough URLs are held back already. */
export function exceedsHeldLimit(
  { suspects }: OpenTraps,
  url: Pick<WaitingUrl, 'path' | 'generation' | 'via'>,
  { trusted }: Pick<HazardOptions, 'trusted'>,
): boolean {
  const suspect = findSuspect(suspects, url.path, trusted)
  return suspect?.stopped === true && suspect.refused >= MAX_HELD && isHeldOffspring(suspect, url, suspects)
}

/**
 * A page that lists gives generation 0 to what it names in other families; more of its own kind are its offspring, and so are
 * more of the kind of the page that named it: two families that list each other would vouch for each other for ever.
 */
export function familiesBeside(page: string, via: string | undefined): (link: string) => boolean {
  const from = patternOfLink(page)
  const before = via === undefined ? undefined : patternOfVia(via)
  return (link) => {
    const to = patternOfLink(link)
    return isAnother(from, to) && (before === undefined || isAnother(before, to))
  }
}

/** One page names many: that of the one before is remembered. */
let lastVia = ''
let lastPattern = patternOf(lastVia)

function patternOfVia(via: string): UrlPattern {
  if (via !== lastVia) {
    lastVia = via
    lastPattern = patternOf(via)
  }
  return lastPattern
}

function isAnother(from: UrlPattern, to: UrlPattern): boolean {
  if (to.form === from.form || to.base === from.base) return false
  // Names that a machine throws fall into several forms of one folder.
  return !(isMade(from.form) && isMade(to.form) && to.folders[0] === from.folders[0])
}

const isMade = (form: string) => form.includes('#') || form.includes('*')

/** What the name that cannot exist gave; `path` is that name, as it was asked for. */
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

/** A page of a suspect pattern, fetched as a sample of it: the trial goes on, ends in a stop, or clears the pattern. */

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
  // Whatever was counted: a crash may have lost the count, and not what was held back.
  return { findings: [{ rule, pattern, evidence: why, examples, withdrawn: true }], requeue: true }
}

/** What is on trial by the same rule needs no more samples than it would now. */
function shortenTrials(suspects: readonly SuspectPattern[], rule: string): SuspectPattern[] {
  return suspects.map((one) => {
    if (one.stopped || one.rule !== rule || one.contradicted > 0) return one
    return { ...one, budget: Math.min(one.budget, trialFor(one.proof as Proof, rule, suspects)) }
  })
}

/** As many links as `countLinks` looks at. */
const MAX_LINKS = 64

function sampleOf(traps: OpenTraps, { pattern, rule }: SuspectPattern, page: PageFacts): Sample {
  const urlPattern = patternOf(page.path)
  const content = page.content === undefined ? undefined : contentOf(page.content)
  const fresh = page.links.filter((link) => link.fresh).slice(0, MAX_LINKS)
  const via = page.via === undefined ? undefined : patternOf(page.via).form
  // Two families that name each other grow as one; one page with other names in it grows in whatever family the names lie.
  const isGrowth = (path: string) =>
    rule === 'one-cast' || isOfPattern(pattern, path) || (page.generation > 0 && patternOf(path).form === via)
  return {
    fresh: fresh.filter((link) => isGrowth(link.path)).length,
    seen: content !== undefined && isSeen(traps, page, content, urlPattern),
    slow: isSlow(page),
    missing: isSoft404(traps.probe, page, content),
  }
}

function isSeen(traps: OpenTraps, page: PageFacts, content: Content, pattern: ReturnType<typeof patternOf>): boolean {
  if (traps.texts.has(textMark(content)) || isAliasOfRepeats(traps.known, page.path, content)) return true
  if (pattern.names.length > 1 && traps.known.hasLike(page.path, content)) return true
  return countAliases(traps, page.path, pattern, content, page.links, true).isAlias
}
