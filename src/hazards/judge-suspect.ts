/** A page of a suspect pattern, fetched as a sample of it: the trial goes on, ends in a stop, or clears the pattern. */
import type { SiteMemory } from '../visit/site-memory.ts'
import type { SuspectPattern, TrapMemory } from '../visit/trap-memory.ts'
import { countAliases } from './aliases.ts'
import { type Content, contentOf, textMark } from './content.ts'
import type { TrapVerdict } from './detect.ts'
import { isSlow } from './drip-feed.ts'
import { isKnown } from './known-pages.ts'
import type { PageFacts } from './page-facts.ts'
import { patternOf } from './pattern.ts'
import { isSoft404 } from './soft-404.ts'
import { compact, isOfPattern, withSuspect } from './suspects.ts'
import { clear, judgeSample, type Sample } from './trial.ts'

export interface SuspectJudgement {
  traps: TrapMemory
  verdicts: TrapVerdict[]
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
    return { traps: withSuspect(traps, compact(suspect)), verdicts: [{ rule, pattern, evidence: held, examples }] }
  }
  if (end === 'goes-on') return { traps: withSuspect(traps, suspect), verdicts: [] }
  const cleared = clear(traps, suspect, memory)
  if (!suspect.stopped)
    return suspect.refused > 0 ? { traps: cleared, verdicts: [], requeue: true } : { traps: cleared, verdicts: [] }
  const why = `withdrawn: ${contradicted} of ${confirmed + contradicted} samples contradict it`
  // Whatever was counted: a crash may have lost the count, and not what was held back.
  return { traps: cleared, verdicts: [{ rule, pattern, evidence: why, examples, withdrawn: true }], requeue: true }
}

/** As many links as `countLinks` looks at. */
const MOST_LINKS = 64

function sampleOf(traps: TrapMemory, { pattern }: SuspectPattern, page: PageFacts): Sample {
  const urlPattern = patternOf(page.path)
  const content = page.content === undefined ? undefined : contentOf(page.content)
  const fresh = page.links.filter((link) => link.fresh).slice(0, MOST_LINKS)
  return {
    fresh: fresh.filter((link) => isOfPattern(pattern, link.path)).length,
    seen: content !== undefined && isSeen(traps, page, content, urlPattern),
    slow: isSlow(page),
    missing: isSoft404(traps.probe, page, content),
  }
}

function isSeen(traps: TrapMemory, page: PageFacts, content: Content, pattern: ReturnType<typeof patternOf>): boolean {
  if (traps.texts?.includes(textMark(content))) return true
  if (pattern.names.length > 1 && isKnown(traps.known ?? '', page.path, content)) return true
  return countAliases(traps, page.path, pattern, content, page.links, true).isAlias
}
