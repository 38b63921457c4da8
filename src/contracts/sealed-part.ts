/** A report part as it is sent and stored in the inbox: what must be known without decoding it, and the rest as bytes. */

import { encodeReport } from './encode-report.ts'
import type { VisitReport } from './report.ts'
import type { SiteName, VisitId } from './visit.ts'

export interface SealedPart {
  visit: VisitId
  fence: number
  part: number
  site: SiteName
  /** The lease ends with it. */
  last: boolean
  /** `encodeReport`. */
  body: Uint8Array
}

export function seal(report: VisitReport): SealedPart {
  return {
    visit: report.visit,
    fence: report.fence,
    part: report.part,
    site: report.site,
    last: report.ended !== undefined,
    body: encodeReport(report),
  }
}
