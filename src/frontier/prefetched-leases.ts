/**
 * Prefetched leases: a check-out is answered at once, without waiting for the transaction that is running. They are ordinary,
 * durable leases whose time runs, so they are few, and those not taken within two seconds are given back as if they had not
 * been granted. After a crash they are lost like all others.
 */
import { type Clock, type Millis, turn } from '../base/clock.ts'
import type { Visit, WorkerId } from '../contracts/visit.ts'
import type { Database } from '../database/database.ts'
import type { OpenFrontier } from './contract.ts'

/**
 * As many as the worker last asked for, within these bounds; usually it asks for one or two. At fifty check-outs per second
 * 16 last for a third of a second, in which a disk syncs the next ones.
 */
const FEWEST_AHEAD = 16
const MAX_AHEAD = 32
/** Other workers wait for these sites meanwhile. */
const LONGEST_AHEAD: Millis = 2000
/** At most this share of a lease is spent here. */
const MAX_OF_LEASE = 0.1

interface Granted {
  visit: Visit
  /** Before the check-out: the lease counts from there. */
  asked: Millis
  /** After the check-out: the site's wait counts from there. */
  answered: Millis
}

interface LeasePool {
  granted: Granted[]
  /** How many leases it should hold. */
  wanted: number
  /** The check-out that fills it now. */
  filling: Promise<void> | undefined
}

export interface LeasesAhead extends OpenFrontier {
  /** Gives back the leases that were not taken in time. */
  giveBackOld(): Promise<void>
  /**
   * Resolves when no lease is being prefetched for this worker. Await it before the worker is lost: a lease that is in the
   * database and not yet in its pool would count as lost, though no worker had it.
   */
  filled(worker: WorkerId): Promise<void>
}

export function leasesAhead(opened: OpenFrontier, database: Database, clock: Clock): LeasesAhead {
  const { frontier, ledger } = opened
  const pools = new Map<WorkerId, LeasePool>()
  let stopped = false

  const leasePoolOf = (worker: WorkerId): LeasePool => {
    let leasePool = pools.get(worker)
    if (leasePool === undefined) pools.set(worker, (leasePool = { granted: [], wanted: 0, filling: undefined }))
    return leasePool
  }
  const giveBack = async (all: readonly Granted[]): Promise<void> => {
    if (all.length === 0) return
    const visits = all.map(({ visit }) => visit.id)
    await database.transact((tx) => ledger.giveBack(tx, visits))
  }
  /** A failure here shows again at the next check-out; the leases expire by themselves. */
  const quietly = (work: Promise<void>): void => void work.catch(() => {})
  const isOld = ({ visit, asked }: Granted): boolean =>
    clock.elapsed() - asked > Math.min(LONGEST_AHEAD, visit.lease * MAX_OF_LEASE)
  const takeOld = (leasePool: LeasePool): Granted[] => {
    const old = leasePool.granted.filter(isOld)
    if (old.length > 0) leasePool.granted = leasePool.granted.filter((one) => !old.includes(one))
    return old
  }

  const fillUp = (worker: WorkerId, leasePool: LeasePool): void => {
    if (leasePool.filling !== undefined || stopped || leasePool.granted.length >= leasePool.wanted) return
    leasePool.filling = fill(worker, leasePool)
      .catch(() => {})
      .finally(() => {
        leasePool.filling = undefined
      })
  }
  const fill = async (worker: WorkerId, leasePool: LeasePool): Promise<void> => {
    // The worker gets its answer first: a transaction keeps the thread.
    await turn()
    const lacking = leasePool.wanted - leasePool.granted.length
    if (lacking <= 0 || stopped || pools.get(worker) !== leasePool) return
    const asked = clock.elapsed()
    const { visits } = await frontier.checkOut(worker, lacking)
    const answered = clock.elapsed()
    const granted = visits.map((visit) => ({ visit, asked, answered }))
    // The crawl is ending, or the worker has ended.
    if (stopped || pools.get(worker) !== leasePool) await giveBack(granted)
    else leasePool.granted.push(...granted)
  }

  return {
    ...opened,
    frontier: {
      ...frontier,
      async checkOut(worker, atMost) {
        const leasePool = leasePoolOf(worker)
        const old = takeOld(leasePool)
        if (old.length > 0) quietly(giveBack(old))
        leasePool.wanted = Math.min(Math.max(atMost, FEWEST_AHEAD), MAX_AHEAD)
        const taken = stopped ? [] : leasePool.granted.splice(0, atMost)
        if (taken.length > 0) {
          fillUp(worker, leasePool)
          return { visits: taken.map((one) => asOf(one, clock.elapsed())), next: 0 }
        }
        const answer = await frontier.checkOut(worker, atMost)
        // Only when more sites are free: otherwise it would take from others what it can't use.
        if (answer.visits.length > 0 && answer.next === 0) fillUp(worker, leasePool)
        return answer
      },
    },
    ledger: {
      ...ledger,
      async lose(tx, worker) {
        const granted = pools.get(worker)?.granted ?? []
        pools.delete(worker)
        await ledger.giveBack(
          tx,
          granted.map(({ visit }) => visit.id),
        )
        return ledger.lose(tx, worker)
      },
    },
    giveBackOld: () => giveBack([...pools.values()].flatMap(takeOld)),
    filled: async (worker) => pools.get(worker)?.filling,
    stop() {
      stopped = true
      opened.stop()
      quietly(giveBack([...pools.values()].flatMap(({ granted }) => granted.splice(0))))
    },
  }
}

/** The visit with its durations as they are at `now`. */
function asOf({ visit, asked, answered }: Granted, now: Millis): Visit {
  return { ...visit, wait: Math.max(0, visit.wait - (now - answered)), lease: visit.lease - (now - asked) }
}
