import { never } from '../../base/assert.ts'
import type { VisitReport } from '../../contracts/report.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { reasonOf } from '../end-reason.ts'
import { stateAfter } from '../site.ts'
import { ALL_PARTS, type SiteRow } from '../site-row.ts'
import { beginToWait } from './begin-to-wait.ts'
import { endLease } from './end-lease.ts'
import { FORGET_SPELLINGS_OF_SITE } from './spellings.ts'
import type { FrontierTools } from './tools.ts'

export const MARK_REST_GONE = `UPDATE url SET mark = 4 WHERE site = ? AND mark = 0`

/** The last part of a visit was applied. */
export function endVisit(tx: SqliteTx, tools: FrontierTools, site: SiteRow, last: VisitReport): void {
  const why = last.ended
  if (why === undefined) return
  const now = tools.time.now()
  endLease(tx, tools, site, now)
  site.part = ALL_PARTS
  site.losses = 0
  site.since = now
  switch (why) {
    case 'given-up':
      tx.run(MARK_REST_GONE, site.key)
      tx.run(FORGET_SPELLINGS_OF_SITE, site.key)
      site.waiting = 0
      site.state = stateAfter(site.state, { kind: 'given-up' })
      site.reason = reasonOf(last)
      return
    case 'done':
    case 'slice':
    case 'stopped':
    case 'elsewhere':
    case 'silent':
      // How long a silent site is left alone is in its courtesy, as every wait is.
      site.state = stateAfter(site.state, { kind: 'ended', left: site.waiting })
      if (site.state === 'waiting') beginToWait(tx, tools, site)
      return
    default:
      never(why, 'end of a visit')
  }
}
