import type { VisitReport } from '../contracts/report.ts'
import type { PartResult } from './ledger.ts'
import type { SiteRow } from './site-row.ts'
import { visitId } from './visit-id.ts'

/** What becomes of a part whose site stands so. */
export function partResultOf(
  site: Pick<SiteRow, 'key' | 'fence' | 'part'>,
  { visit, fence, part }: Pick<VisitReport, 'visit' | 'fence' | 'part'>,
): PartResult {
  if (fence === 0 || fence !== site.fence || visit !== visitId(site.key, fence)) return 'stale'
  if (part <= site.part) return 'again'
  return part === site.part + 1 ? 'applied' : 'out-of-order'
}
