import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { stateAfter } from '../site.ts'
import type { SiteRow } from '../site-row.ts'
import { beginToWait } from './begin-to-wait.ts'
import type { FrontierTools } from './tools.ts'

/**
 * A site got something to ask: a crawled one waits again, one that waited for a URL to be due may have less to wait.
 * Says whether that changed anything.
 */
export function wake(tx: SqliteTx, tools: FrontierTools, site: SiteRow): boolean {
  const before = site.state
  site.state = stateAfter(before, { kind: 'urls' })
  if (site.state !== 'waiting') return false
  if (before === 'crawled') site.since = tools.time.now()
  else if (site.not_before <= site.polite_at) return false
  beginToWait(tx, tools, site)
  return true
}
