/**
 * Every page that was answered goes through here: the site's limits, then the detectors of traps, each in a file of its own.
 * A fold, (memory, page) → (memory, verdicts): nothing but the site's memory is known of what was before.
 */
import type { SiteMemory } from '../../contracts/site-memory.ts'
import { judgeSuspect } from './judge-suspect.ts'
import { judgeTraps } from './judge-traps.ts'
import { type HazardLimits, judgeSite, refusesWaiting } from './limits.ts'
import { patternOfLink } from './link-census.ts'
import type { PageFacts } from './page-facts.ts'
import { patternOf, type UrlPattern } from './pattern.ts'
import { learnAnswer } from './soft-404.ts'
import { findSuspect, isAnyones, isHeldOffspring, isNamedBySuspect, isOffspring, withSuspect } from './suspects.ts'
import { admit } from './trial.ts'

export interface HazardOptions extends HazardLimits {
  /** The operator knows better: this rule stops nothing on this site. Site limits by the name before the number. */
  trusted(rule: string): boolean
}

export interface TrapFindings {
  rule: string
  evidence: string
  pattern?: string
  examples: string[]
  /** The finding was wrong: samples contradict it. */
  withdrawn?: true
}

export interface PageJudgement {
  memory: SiteMemory
  findings: TrapFindings[]
  /** Ask once, politely, for a name that cannot exist, and hand its answer to `learnProbe`. */
  probe?: 'soft-404'
  /** False: its links are not to be followed. */
  follow: boolean
  /** What it names in other families is of generation 0. */
  lists: boolean
  /** A finding was withdrawn: what was refused is to be asked for after all. */
  requeue?: true
}

export function judgePage(memory: SiteMemory, page: PageFacts, options: HazardOptions): PageJudgement {
  // A later look at a page is the same again, and no trap.
  if (page.again) return { memory, findings: [], follow: true, lists: false }
  // What is asked for again is counted when it has its answer; only how long it took tells something now.
  const { memory: next, finding } =
    page.outcome === 'later' ? { memory: { ...memory } } : judgeSite(memory, page, options)
  const findings: TrapFindings[] = []
  if (finding !== undefined) {
    const { rule, evidence } = finding
    // Trusted: as if the limit were not there, and told of no more.
    if (options.trusted(nameOf(rule))) next.stopped = undefined
    else findings.push({ rule, evidence, examples: [page.path.slice(0, 200)] })
  }
  // One without is of an earlier version.
  const traps = next.traps?.suspects === undefined ? { suspects: [] } : next.traps
  const suspect = findSuspect(traps.suspects, page.path, options.trusted)
  // What others list of a suspect pattern is read, and says nothing of its offspring.
  if (suspect !== undefined && !isOffspring(suspect, page, traps.suspects))
    return { memory: next, findings, follow: true, lists: false }
  if (suspect !== undefined) {
    const { traps: changed, findings: told, ...judged } = judgeSuspect(next, traps, suspect, page)
    next.traps = changed
    return { ...judged, memory: next, findings: [...findings, ...told], follow: true, lists: false }
  }
  const isVain = page.generation === 0 && isNamedBySuspect(page.via, traps.suspects)
  const judged = judgeTraps(next, traps, isVain ? { ...page, generation: 1 } : page, options.trusted)
  next.traps = judged.traps
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
 * The rule by which a URL that waits is not asked for, and the pattern it belongs to, '' for the whole site; and the memory
 * that has counted it. What nobody linked to (seeds, home pages: depth 0) is asked for in any case, and so is what others list.
 */
export function admitUrl(
  memory: SiteMemory,
  url: WaitingUrl,
  options: Pick<HazardOptions, 'trusted'>,
): { memory: SiteMemory; refused?: { rule: string; pattern: string } } {
  if (url.depth <= 0) return { memory }
  const site = refusesWaiting(memory, url)
  if (site !== undefined && !options.trusted(nameOf(site))) return { memory, refused: { rule: site, pattern: '' } }
  if (memory.traps?.suspects === undefined) return { memory }
  const suspect = findSuspect(memory.traps.suspects, url.path, options.trusted)
  if (suspect === undefined || !isHeldOffspring(suspect, url, memory.traps.suspects)) return { memory }
  const { suspect: counted, refused } = admit(suspect)
  const { rule, pattern } = suspect
  const next = counted === suspect ? memory : { ...memory, traps: withSuspect(memory.traps, counted) }
  return refused ? { memory: next, refused: { rule, pattern } } : { memory: next }
}

/** It belongs to a pattern that is on trial or stopped, and of which what a page lists is asked for. */
export function isOfSuspect({ traps }: SiteMemory, path: string): boolean {
  const suspect = findSuspect(traps?.suspects ?? [], path, () => false)
  return suspect !== undefined && !isAnyones(suspect)
}

/** Held back by a finding, of one pattern: so many wait for it to be withdrawn, and of more nobody needs to know. */
const MAX_HELD = 2_000

/** It is of a stopped pattern of which enough URLs are held back already. */
export function isCrowded(
  { traps }: SiteMemory,
  url: Pick<WaitingUrl, 'path' | 'generation' | 'via'>,
  { trusted }: Pick<HazardOptions, 'trusted'>,
): boolean {
  const suspects = traps?.suspects ?? []
  const suspect = findSuspect(suspects, url.path, trusted)
  return suspect?.stopped === true && suspect.refused >= MAX_HELD && isHeldOffspring(suspect, url, suspects)
}

/**
 * A page that lists gives generation 0 to what it names in other families; more of its own kind are its offspring, and so are
 * more of the kind of the page that named it: two families that list each other would vouch for each other for ever.
 */
export function familiesBeside(page: string, via: string | undefined): (link: string) => boolean {
  const lineage = [page, ...(via === undefined ? [] : [via])].map(patternOf)
  return (link) => {
    const to = patternOfLink(link)
    return lineage.every((from) => isAnother(from, to))
  }
}

function isAnother(from: UrlPattern, to: UrlPattern): boolean {
  if (to.form === from.form || to.place === from.place) return false
  // Names that a machine throws fall into several forms of one folder.
  return !(isMade(from.form) && isMade(to.form) && to.folders[0] === from.folders[0])
}

const isMade = (form: string) => form.includes('#') || form.includes('*')

/** What the name that cannot exist gave; `path` is that name, as it was asked for. */
export function learnProbe(
  memory: SiteMemory,
  answer: { status: number; content?: PageFacts['content']; path?: string },
): SiteMemory {
  const traps = memory.traps ?? { suspects: [] }
  return { ...memory, traps: { ...traps, probe: learnAnswer(answer.status, answer.content, answer.path) } }
}

/** `site-urls>=5000` is the rule `site-urls`. */
function nameOf(rule: string): string {
  return rule.split(/[<>=]/, 1)[0]
}
