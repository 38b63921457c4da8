/**
 * Every page that was answered goes through here: the site's limits, then the detectors of traps, each in a file of its own.
 * A fold, (memory, page) → (memory, verdicts): nothing but the site's memory is known of what was before.
 */
import type { SiteMemory } from '../visit/site-memory.ts'
import { judgeTraps } from './judge-traps.ts'
import { type HazardLimits, judgeSite, refusesWaiting } from './limits.ts'
import type { PageFacts } from './page-facts.ts'
import { learnAnswer } from './soft-404.ts'
import { countStopped, findStopped } from './stopped.ts'

export interface HazardOptions extends HazardLimits {
  /** The operator knows better: this rule stops nothing on this site. Site limits by the name before the number. */
  trusted(rule: string): boolean
}

export interface TrapVerdict {
  rule: string
  evidence: string
  pattern?: string
  examples: string[]
}

export interface PageJudgement {
  memory: SiteMemory
  verdicts: TrapVerdict[]
  /** Ask once, politely, for a name that cannot exist, and hand its answer to `learnProbe`. */
  probe?: 'soft-404'
  /** False: its links are not to be followed. */
  follow: boolean
}

export function judgePage(memory: SiteMemory, page: PageFacts, options: HazardOptions): PageJudgement {
  // A later look at a page is the same again, and no trap.
  if (page.again) return { memory, verdicts: [], follow: true }
  // What is asked for again is counted when it has its answer; only how long it took tells something now.
  const { memory: next, verdict } =
    page.outcome === 'later' ? { memory: { ...memory } } : judgeSite(memory, page, options)
  const verdicts: TrapVerdict[] = []
  if (verdict !== undefined) {
    const { rule, evidence } = verdict
    // Trusted: as if the limit were not there, and told of no more.
    if (options.trusted(nameOf(rule))) next.stopped = undefined
    else verdicts.push({ rule, evidence, examples: [page.path.slice(0, 200)] })
  }
  const traps = next.traps ?? { stopped: [] }
  // A page of a trap that was on its way when the trap was found says nothing more.
  if (findStopped(traps.stopped, page.path, options.trusted) !== undefined)
    return { memory: next, verdicts, follow: true }
  const judged = judgeTraps(next, traps, page, options.trusted)
  next.traps = judged.traps
  if (judged.verdicts.length > 0) verdicts.push(...judged.verdicts)
  const judgement: PageJudgement = { memory: next, verdicts, follow: judged.follow }
  if (judged.probe) judgement.probe = 'soft-404'
  return judgement
}

/**
 * The rule by which a URL that waits, or a link before it is queued, is not asked for; and the pattern it belongs to, '' for
 * the whole site. What nobody linked to (seeds, home pages: depth 0) is asked for in any case.
 */
export function refusalOf(
  memory: SiteMemory,
  path: string,
  depth: number,
  options: Pick<HazardOptions, 'trusted'>,
): { rule: string; pattern: string } | undefined {
  if (depth <= 0) return undefined
  const site = refusesWaiting(memory, { depth })
  if (site !== undefined && !options.trusted(nameOf(site))) return { rule: site, pattern: '' }
  if (memory.traps === undefined) return undefined
  const stopped = findStopped(memory.traps.stopped, path, options.trusted)
  return stopped === undefined ? undefined : { rule: stopped.rule, pattern: stopped.pattern }
}

/** What the name that cannot exist gave; `path` is that name, as it was asked for. */
export function learnProbe(
  memory: SiteMemory,
  answer: { status: number; content?: PageFacts['content']; path?: string },
): SiteMemory {
  const traps = memory.traps ?? { stopped: [] }
  return { ...memory, traps: { ...traps, probe: learnAnswer(answer.status, answer.content, answer.path) } }
}

/** A URL of a stopped pattern was not asked for. */
export function countRefused(memory: SiteMemory, pattern: string): SiteMemory {
  if (memory.traps === undefined || pattern === '') return memory
  return { ...memory, traps: countStopped(memory.traps, pattern) }
}

/** `site-urls>=5000` is the rule `site-urls`. */
function nameOf(rule: string): string {
  return rule.split(/[<>=]/, 1)[0]
}
