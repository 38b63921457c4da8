import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { SiteRow } from '../site-row.ts'
import { BUCKET } from './bucket.ts'

/**
 * One statement for new and known sites. `holder` has its own small ones: it changes without anything else.
 * Of the partial indexes only those are touched whose condition the row fulfils before or after.
 */
export const WRITE_SITE = `
  INSERT INTO site (key, bucket, name, state, reason, since, seed, rank, losses, deferral, not_before, polite_at, pause,
    address, holder, fence, worker, lease_until, entered, granted, part, seq, known, waiting)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET state = excluded.state, reason = excluded.reason, since = excluded.since,
    seed = excluded.seed, rank = excluded.rank, losses = excluded.losses, deferral = excluded.deferral,
    not_before = excluded.not_before, polite_at = excluded.polite_at, pause = excluded.pause, address = excluded.address,
    holder = excluded.holder, fence = excluded.fence, worker = excluded.worker, lease_until = excluded.lease_until,
    entered = excluded.entered, granted = excluded.granted, part = excluded.part, seq = excluded.seq,
    known = excluded.known, waiting = excluded.waiting`

export function writeSite(tx: SqliteTx, site: SiteRow): void {
  tx.run(
    WRITE_SITE,
    site.key,
    BUCKET,
    site.name,
    site.state,
    site.reason,
    site.since,
    site.seed,
    site.rank,
    site.losses,
    site.deferral,
    site.not_before,
    site.polite_at,
    site.pause,
    site.address,
    site.holder,
    site.fence,
    site.worker,
    site.lease_until,
    site.entered,
    site.granted,
    site.part,
    site.seq,
    site.known,
    site.waiting,
  )
}
