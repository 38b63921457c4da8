/** A part in an envelope: what must be known of it without reading it, and the rest as bytes. So it travels and so it lies in the inbox. */

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
