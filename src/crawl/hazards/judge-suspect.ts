/** A page of a suspect pattern, fetched as a sample of it: the trial goes on, ends in a stop, or clears the pattern. */
import type { SiteMemory } from '../../contracts/site-memory.ts'
import type { SuspectPattern, TrapMemory } from '../../contracts/trap-memory.ts'
import { countAliases } from './aliases.ts'
import { type Content, contentOf, textMark } from './content.ts'
import type { TrapFindings } from './detect.ts'
import { isSlow } from './drip-feed.ts'
import type { Proof } from './finding.ts'
import { isKnown } from './known-pages.ts'
import type { PageFacts } from './page-facts.ts'
import { patternOf } from './pattern.ts'
import { isAliasOfRepeats } from './repeats.ts'
import { isSoft404 } from './soft-404.ts'
import { isOfPattern, stop, withSuspect } from './suspects.ts'
import { clear, judgeSample, type Sample, trialFor } from './trial.ts'

export interface SuspectJudgement {
  traps: TrapMemory
  findings: TrapFindings[]
  requeue?: true
}

export function judgeSuspect(
  memory: SiteMemory,
  traps: TrapMemory,
  before: SuspectPattern,
  page: PageFacts,
): SuspectJudgement {
  const { suspect, end } = judgeSample(before, page, sampleOf(traps, before, page))
  const { rule, pattern, evidence, confirmed, contradicted } = suspect
  const examples = [...suspect.examples]
  if (end === 'stopped') {
    const held = `${evidence}; ${confirmed} of ${confirmed + contradicted} samples confirm it`
    const stopped = withSuspect(traps, stop(suspect, traps.suspects))
    return { traps: shortenTrials(stopped, rule), findings: [{ rule, pattern, evidence: held, examples }] }
  }
  if (end === 'goes-on') return { traps: withSuspect(traps, suspect), findings: [] }
  const cleared = clear(traps, suspect, memory)
  if (!suspect.stopped)
    return suspect.refused > 0 ? { traps: cleared, findings: [], requeue: true } : { traps: cleared, findings: [] }
  const why = `withdrawn: ${contradicted} of ${confirmed + contradicted} samples contradict it`
  // Whatever was counted: a crash may have lost the count, and not what was held back.
  return { traps: cleared, findings: [{ rule, pattern, evidence: why, examples, withdrawn: true }], requeue: true }
}

/** What is on trial by the same rule needs no more samples than it would now. */
function shortenTrials(traps: TrapMemory, rule: string): TrapMemory {
  const suspects = traps.suspects.map((one) => {
    if (one.stopped || one.rule !== rule || one.contradicted > 0) return one
    return { ...one, budget: Math.min(one.budget, trialFor(one.proof as Proof, rule, traps.suspects)) }
  })
  return { ...traps, suspects }
}

/** As many links as `countLinks` looks at. */
const MAX_LINKS = 64

function sampleOf(traps: TrapMemory, { pattern, rule }: SuspectPattern, page: PageFacts): Sample {
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

function isSeen(traps: TrapMemory, page: PageFacts, content: Content, pattern: ReturnType<typeof patternOf>): boolean {
  if (traps.texts?.includes(textMark(content)) || isAliasOfRepeats(traps.known ?? '', page.path, content)) return true
  if (pattern.names.length > 1 && isKnown(traps.known ?? '', page.path, content)) return true
  return countAliases(traps, page.path, pattern, content, page.links, true).isAlias
}
