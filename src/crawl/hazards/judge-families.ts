/** Asks the detectors about a page's families in turn: its form, then its folders. */
import type { Family } from './family.ts'
import { judgeFolder, judgeForm, judgeFuture, judgeGrowth, judgePace } from './family-rules.ts'
import { judgeWords } from './few-words.ts'
import type { PageContext, PatternFinding } from './finding.ts'
import { judgeMaze, judgeTemplate, type TemplateCount } from './mazes.ts'
import { judgeHollow } from './soft-404.ts'

export function judgeFamilies(
  context: PageContext,
  pace: [number, number],
  template: TemplateCount | undefined,
): PatternFinding | undefined {
  const { form, folders } = context
  const byForm = isBelowAllThresholds(form)
    ? undefined
    : (judgePace(form, pace, context) ??
      judgeHollow(form) ??
      judgeForm(context) ??
      judgeEndless(form, context, template))
  const found = byForm ?? judgeMaze(context)
  if (found !== undefined) return found
  for (const folder of folders) {
    if (isBelowAllThresholds(folder)) continue
    const found =
      judgePace(folder, pace, context) ??
      judgeHollow(folder) ??
      judgeFolder(folder, context) ??
      judgeEndless(folder, context, template)
    if (found !== undefined) return found
  }
  return undefined
}

function judgeEndless(
  family: Family,
  context: PageContext,
  template: TemplateCount | undefined,
): PatternFinding | undefined {
  return (
    judgeGrowth(family, context) ??
    judgeFuture(family, context) ??
    judgeWords(family, context) ??
    (template && judgeTemplate(family, template, context))
  )
}

/** Below these counts only the maze detector can find anything. True of most families. */
const SLOW_OR_HOLLOW = 4
const MIN_PAGES = 5

function isBelowAllThresholds(family: Family): boolean {
  return (
    family.streak < MIN_PAGES &&
    family.same < MIN_PAGES &&
    family.longer < MIN_PAGES &&
    family.ahead < MIN_PAGES &&
    family.combined < MIN_PAGES &&
    family.slow < SLOW_OR_HOLLOW &&
    family.hollow < SLOW_OR_HOLLOW &&
    family.templated < 2
  )
}
