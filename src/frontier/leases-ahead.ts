/**
 * Leases granted ahead, so that a check-out is answered at once and not after the transaction that happens to be under
 * way. They are leases like any others, durable, and their time runs: so they are few, and who does not take them within
 * two seconds has them given back, as if they had not been handed out. After a crash they are lost like all that was out.
 */
import { type Clock, type Millis, turn } from '../base/clock.ts'
import type { Visit, WorkerId } from '../contracts/visit.ts'
import type { Database } from '../database/database.ts'
import type { OpenFrontier } from './options.ts'

/**
 * As many as were last asked for, but at least and at most so many: most often a worker asks for one or two. At fifty a second 16 last
 * for a third of a second, in which a disk syncs what fills the shelf again.
 */
const FEWEST_AHEAD = 16
const MAX_AHEAD = 32
/** Other workers wait for these sites meanwhile. */
const LONGEST_AHEAD: Millis = 2000
/** Of a short lease, at most this share is spent here. */
const MAX_OF_LEASE = 0.1

interface Granted {
  visit: Visit
  /** Before the check-out was asked for: the lease counts from there. */
  asked: Millis
  /** After it was answered: what is to be waited counts from there. */
  answered: Millis
}

interface LeasePool {
  granted: Granted[]
  /** How many are to be there. */
  wanted: number
  /** What is being granted for it now. */
  filling: Promise<void> | undefined
}

export interface LeasesAhead extends OpenFrontier {
  /** Now and then: what nobody took is given back. */
  giveBackOld(): Promise<void>
  /**
   * Nothing is being granted ahead for this worker any more. To be waited for before it is lost: what is in the database and not yet on
   * its shelf would count as lost with it, though nobody was given it.
   */
  filled(worker: WorkerId): Promise<void>
}

export function leasesAhead(opened: OpenFrontier, database: Database, clock: Clock): LeasesAhead {
  const { frontier, ledger } = opened
  const shelves = new Map<WorkerId, LeasePool>()
  let stopped = false

  const leasePoolOf = (worker: WorkerId): LeasePool => {
    let leasePool = shelves.get(worker)
    if (leasePool === undefined) shelves.set(worker, (leasePool = { granted: [], wanted: 0, filling: undefined }))
    return leasePool
  }
  const giveBack = async (all: readonly Granted[]): Promise<void> => {
    if (all.length === 0) return
    const visits = all.map(({ visit }) => visit.id)
    await database.transact((tx) => ledger.giveBack(tx, visits))
  }
  /** What fails here fails again for whoever asks next, and then somebody hears of it; the leases run out by themselves. */
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
    // Whoever has just been given one is told so first: a transaction keeps the thread.
    await turn()
    const lacking = leasePool.wanted - leasePool.granted.length
    if (lacking <= 0 || stopped || shelves.get(worker) !== leasePool) return
    const asked = clock.elapsed()
    const { visits } = await frontier.checkOut(worker, lacking)
    const answered = clock.elapsed()
    const granted = visits.map((visit) => ({ visit, asked, answered }))
    // The crawl is ending, or the worker is no more.
    if (stopped || shelves.get(worker) !== leasePool) await giveBack(granted)
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
        // Only where more are free now: else it would take from others what it has no use for.
        if (answer.visits.length > 0 && answer.next === 0) fillUp(worker, leasePool)
        return answer
      },
    },
    ledger: {
      ...ledger,
      async lose(tx, worker) {
        const granted = shelves.get(worker)?.granted ?? []
        shelves.delete(worker)
        await ledger.giveBack(
          tx,
          granted.map(({ visit }) => visit.id),
        )
        return ledger.lose(tx, worker)
      },
    },
    giveBackOld: () => giveBack([...shelves.values()].flatMap(takeOld)),
    filled: async (worker) => shelves.get(worker)?.filling,
    stop() {
      stopped = true
      opened.stop()
      quietly(giveBack([...shelves.values()].flatMap(({ granted }) => granted.splice(0))))
    },
  }
}

/** Its durations, as they are at `now`. */
function asOf({ visit, asked, answered }: Granted, now: Millis): Visit {
  return { ...visit, wait: Math.max(0, visit.wait - (now - answered)), lease: visit.lease - (now - asked) }
}
