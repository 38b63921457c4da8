import { decodeReport } from '../contracts/decode-report.ts'
import type { VisitReport } from '../contracts/report.ts'
import type { VisitId } from '../contracts/visit.ts'

/** A part as it came or as it lies in the inbox. */
export interface ClosedPart {
  visit: VisitId
  part: number
  body: Uint8Array
}

/**
 * Throws a RangeError for what cannot be read, or is not what its envelope says: by that it was let in, in the name of the
 * worker that has the visit.
 */
export function openPart({ visit, part, body }: ClosedPart): VisitReport {
  const report = decodeReport(body)
  if (report.visit !== visit || report.part !== part) throw new RangeError('its envelope names another part')
  return report
}
