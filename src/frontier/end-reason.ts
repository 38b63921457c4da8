import type { VisitReport } from '../contracts/report.ts'

/** `given-up: no-such-name`: with the failure that used up the last try, when the part has it. */
export function reasonOf(last: Pick<VisitReport, 'pages'>): string {
  const failure = last.pages.findLast((page) => page.outcome.kind === 'gone')?.outcome
  return failure?.kind === 'gone' ? `given-up: ${failure.why}` : 'given-up'
}
