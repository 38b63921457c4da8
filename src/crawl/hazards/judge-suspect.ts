/** A page of a suspect pattern, fetched as a sample of it: the trial goes on, ends in a stop, or clears the pattern. */
import type { SiteMemory } from '../../contracts/site-memory.ts'
import type { SuspectPattern } from '../../contracts/trap-memory.ts'
import { countAliases } from './aliases.ts'
import { type Content, contentOf, textMark } from './content.ts'
import type { TrapFindings } from './detect.ts'
import { isSlow } from './drip-feed.ts'
import type { Proof } from './finding.ts'
import type { OpenTraps } from './open-traps.ts'
import type { PageFacts } from './page-facts.ts'
import { patternOf } from './pattern.ts'
import { isAliasOfRepeats } from './repeats.ts'
import { isSoft404 } from './soft-404.ts'
import { isOfPattern, stop, withSuspect } from './suspects.ts'
import { clear, judgeSample, type Sample, trialFor } from './trial.ts'

export interface SuspectJudgement {
  findings: TrapFindings[]
  requeue?: true
}

export function judgeSuspect(
  memory: SiteMemory,
  traps: OpenTraps,
  before: SuspectPattern,
  page: PageFacts,
): SuspectJudgement {
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
