/** The frontier on PostgreSQL: the operations of this folder behind the two interfaces. */

import type { Instant } from '../../base/clock.ts'
import type { Frontier } from '../../contracts/ports.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import type { Database, Tx } from '../../database/database.ts'
import { byKey, column, eachBucket } from '../../database/postgres/by-bucket.ts'
import { type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
import type { FrontierOptions, Ledger, OpenFrontier } from '../contract.ts'
import { giveBack } from '../rules/leases.ts'
import { ledgerOf } from '../rules/ledger.ts'
import { openWith } from '../rules/open.ts'
import type { InTransaction } from '../rules/rows.ts'
import type { Lease } from '../rules/site.ts'
import { readTotals } from '../rules/totals.ts'
import { leaseOf, visitId } from '../rules/visit.ts'
import { freeAddresses } from './addresses.ts'
import { FORGET_OLD_CHANGES } from './aliases.ts'
import { type CheckedOut, checkOut } from './check-out.ts'
import { lookAround, refreshReserved } from './look-around.ts'
import { type FrontierTools, toolsOf } from './tools.ts'
import { WorkingSet } from './working-set.ts'

/** Calls per transaction: they lock their sites for some milliseconds. */
const MAX_ENTERING = 200
/** Check-outs under one budget run one at a time, over all servers. */
const ONE_AT_A_TIME = `SELECT pg_advisory_xact_lock(hashtext('orbweaver frontier budget'))`

export function openPostgresFrontier(db: Database, options: FrontierOptions): OpenFrontier {
  const tools = toolsOf(options)
  const { time, dueCache, clock } = tools
  const rowsOf = (tx: Tx) => new WorkingSet(postgresTx(tx), tools)
  const transact: InTransaction = (work) => db.transact((tx) => work(rowsOf(tx)))

  let looking: Promise<unknown> | undefined
  /** Resolves when it has looked what other servers did; undefined: it knows already. */
  const lookIfOld = (isWanting: boolean): Promise<unknown> | undefined => {
    if (looking !== undefined || !dueCache.isOld(clock.elapsed(), isWanting)) return looking
    looking = db
      .transact((tx) => lookAround(postgresTx(tx), tools))
      .finally(() => {
        looking = undefined
      })
    // Nothing may await it. If the database cannot be reached, the check-out itself fails.
    looking.catch(() => {})
    return looking
  }
  /** For a worker that found nothing; otherwise the tick does it. Returns whether there may be something now. */
  const freeIdle = async (): Promise<boolean> => {
    const isIdle = dueCache.idleShards(time.now()).length > 0
    if (isIdle) await db.transact((tx) => freeAddresses(postgresTx(tx), dueCache, time.now()))
    return isIdle
  }

  const checkOutOnce = async (worker: WorkerId, atMost: number, isLastTry = false): Promise<CheckedOut> => {
    const { answer, granted } = await db.transact(async (given) => {
      const tx = postgresTx(given)
      const { budget } = options
      const working = new WorkingSet(tx, tools)
      if (budget === undefined) return checkOut(working, options, worker, atMost, Number.POSITIVE_INFINITY)
      await tx.get(ONE_AT_A_TIME)
      // In this order: what a report moves from one to the other meanwhile counts twice, not never.
      const { granted } = await readTotals(tx)
      return checkOut(working, options, worker, atMost, Math.floor(await budget.left(tx)) - granted)
    })
    try {
      return await answer
    } catch (error) {
      // The COMMIT was done, and the connection was lost before the last answers came: no worker will ever have these
      // visits.
      await transact((rows) => giveBack(rows, granted))
      if (isLastTry) throw error
      return checkOutOnce(worker, atMost, true)
    }
  }

  const checkOutHere: Frontier['checkOut'] = async (worker, atMost) => {
    let look = lookIfOld(false)
    // The tick is late, and takes longer than a check-out: only a worker for which nothing is known waits for it.
    if (look !== undefined && !Number.isFinite(dueCache.nextDue(worker))) {
      await look
      look = undefined
    }
    // The leases are durable when this resolves.
    const first = await checkOutOnce(worker, atMost)
    const late = first.visits.length === 0 ? (look ?? lookIfOld(true)) : undefined
    await late
    const isAgain = late !== undefined || (first.visits.length === 0 && (await freeIdle()))
    const { visits, next, short } = isAgain ? await checkOutOnce(worker, atMost) : first
    if (next === 'over' || !dueCache.areReservationsOld(worker, clock.elapsed(), short)) return { visits, next }
    // Others may have reserved sites for this worker.
    await db.transact((tx) => refreshReserved(postgresTx(tx), dueCache, worker))
    return { visits, next: dueCache.hasReserved(worker) ? 0 : next }
  }

  return openWith(options, {
    transact,
    time,
    ledger: lookingAround(ledgerOf(rowsOf), tools),
    maxEntering: MAX_ENTERING,
    checkOut: checkOutHere,
    renew: (worker, visits) => db.transact((tx) => renew(postgresTx(tx), worker, visits, time.now() + tools.leaseMs)),
    tidy: () => db.transact((tx) => postgresTx(tx).run(FORGET_OLD_CHANGES)),
  })
}

/** The tick also looks what other servers have changed. */
function lookingAround(ledger: Ledger, tools: FrontierTools): Ledger {
  return {
    ...ledger,
    async reap(tx, now, settled) {
      const lost = await ledger.reap(tx, now, settled)
      await lookAround(postgresTx(tx), tools)
      return lost
    },
  }
}

/** Never to an earlier end: a server that was suspended may come late with a renewal, after another server renewed. */
export const RENEW = `
  WITH mine AS (
    SELECT site.key FROM unnest($2::bigint[], $3::bigint[]) AS n (key, fence)
    JOIN site ON site.bucket = $1 AND site.key = n.key AND site.fence = n.fence
    WHERE site.worker = $4 AND site.state IN ('leased', 'returning') ORDER BY site.key FOR UPDATE OF site)
  UPDATE site SET lease_until = greatest(site.lease_until, $5) FROM mine
  WHERE site.bucket = $1 AND site.key = mine.key RETURNING site.key, site.fence::float8 AS fence`

/**
 * Returns the visits that have no lease any more. A lease that expired and was not reaped yet is renewed: no other worker
 * had the site. A visit whose last part is in the inbox is not lost, it has ended.
 */
async function renew(tx: PostgresTx, worker: WorkerId, visits: readonly VisitId[], until: Instant): Promise<VisitId[]> {
  const renewed = new Set<VisitId>()
  // A list may name two visits to one site, of which one has the lease.
  const leases = visits.flatMap((visit) => leaseOf(visit) ?? [])
  await eachBucket(leases, byKey, async (bucket, some) => {
    const columns = [column(some, 'key'), column(some, 'fence')] as const
    const rows = await tx.allExact<Lease>(RENEW, bucket, ...columns, worker, until)
    for (const { key, fence } of rows) renewed.add(visitId(key, fence))
  })
  return visits.filter((visit) => !renewed.has(visit))
}
