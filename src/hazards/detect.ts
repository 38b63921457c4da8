/** All detectors together, as one fold over the site's memory: (memory, page) → (memory, verdicts). */
import type { SiteMemory } from '../visit/site-memory.ts'
import { type HazardLimits, judgeSite } from './limits.ts'
import type { PageFacts } from './page-facts.ts'

export interface HazardOptions extends HazardLimits {
  /** The operator overrules this rule for the site. */
  trusted(rule: string): boolean
}

export interface TrapVerdict {
  rule: string
  evidence: string
  pattern?: string
  examples: string[]
}

export interface Judged {
  memory: SiteMemory
  verdicts: TrapVerdict[]
  follow: boolean
  probe?: 'soft-404'
}

export function judgePage(memory: SiteMemory, page: PageFacts, options: HazardOptions): Judged {
  const { memory: after, verdict } = judgeSite(memory, page, options)
  return { memory: after, verdicts: verdict === undefined ? [] : [{ ...verdict, examples: [page.url] }], follow: true }
}

export function refusalOf(
  memory: SiteMemory,
  _path: string,
  depth: number,
  _options: HazardOptions,
): { rule: string; pattern: string } | undefined {
  return depth > 0 && memory.stopped !== undefined ? { rule: memory.stopped, pattern: '' } : undefined
}

export function learnProbe(
  memory: SiteMemory,
  _answer: { status: number; content?: PageFacts['content'] },
): SiteMemory {
  return memory
}

export function countRefused(memory: SiteMemory, _pattern: string): SiteMemory {
  return memory
}
