import type { PageReport } from '../../contracts/report.ts'

/** A page that was not read this time (304, a failure that passes) has the links it had; one that is gone has none. */
export function endsItsLinks({ outcome }: PageReport): boolean {
  if (outcome.kind === 'kept') return outcome.how === 'changed'
  return outcome.kind === 'gone' || outcome.kind === 'moved'
}
