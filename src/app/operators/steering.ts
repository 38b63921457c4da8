/** Brings operators' decisions to this process: its own actions at once, those of other processes within a second. */
import { type Clock, type Millis, realClock } from '../../base/clock.ts'
import { tellingOnce } from '../../base/journal.ts'
import type { CoordinatorCalls } from '../../contracts/calls.ts'
import type { Orders } from '../../contracts/control.ts'
import type { AgendaItem } from '../../contracts/visit.ts'
import type { Decisions } from '../../frontier/decisions.ts'
import type { Coordinator } from '../composition/coordinator.ts'
import type { CrawlPlan } from '../composition/plan.ts'
import { scopeSeeds } from '../seeds/stored-seeds.ts'
import { answerAsked, openActions } from './act.ts'

/**
 * The plan of a crawl's threads. Seeds may be added while it runs, and scopes follow seeds: a thread that began before would take the
 * pages of a new seed for out of scope. So they begin with new threads.
 */
export type LiveScope = ReturnType<typeof liveScope>

/** `renewThreads` tells all threads to end, and starts others. */
export function liveScope(first: CrawlPlan, { decisions, frontier, parts }: Coordinator, renewThreads: () => void) {
  let plan = first
  /** The version of the seeds that `plan` has. */
  let known = decisions.crawl.seeded
  let renewing: Promise<void> | undefined

  const renewNow = async (): Promise<void> => {
    const { seeded } = decisions.crawl
    if (seeded === known) return
    plan = { ...plan, ...(await scopeSeeds(parts)) }
    // Set only now: until then no thread may get a visit to a new seed.
    known = seeded
    renewThreads()
  }
  /** Calls meanwhile wait for the same one. After a failure the next call tries again. */
  const renew = (): Promise<void> => {
    renewing ??= renewNow().finally(() => {
      renewing = undefined
    })
    return renewing
  }
  return {
    get plan() {
      return plan
    },
    renew,
    /**
     * The coordinator as threads see it. A visit to a new seed is given back: its thread may have begun before. The scope itself is
     * never asked here: its patterns are the operator's, and one that backtracks without end would hang the coordinator.
     */
    over: (calls: CoordinatorCalls): CoordinatorCalls => ({
      ...calls,
      async checkOut(worker, atMost) {
        const before = known
        const answer = await calls.checkOut(worker, atMost)
        if (!answer.visits.some(({ agenda }) => agenda.some(isNewSeed))) return answer
        if (decisions.mayBeOld) await decisions.refresh()
        if (decisions.crawl.seeded === before) return answer
        const visits = answer.visits.map(({ id }) => id)
        await parts.database.transact((tx) => frontier.ledger.giveBack(tx, visits))
        // `keepSteering` reports a failure and tries again.
        await renew().catch(() => {})
        return { visits: [], next: LOOK_EVERY }
      },
    }),
  }
}

const isNewSeed = ({ path, before }: AgendaItem) => path === '' && before === undefined

const LOOK_EVERY: Millis = 1000
const NO_ACTIONS = "operators' actions cannot be taken from the folder `actions`"

export interface Steered {
  /** For its workers: what they do not know yet. */
  order(orders: Orders): void
  /** An operator stopped the crawl since this process began, or before its supervisor started it again. */
  stop(): void
  /** There may be new seeds, and the scope may follow them. */
  seeded?(): Promise<void>
}

/** Sends what was decided after `since`. Returns up to which decision. */
export function sendOrders(decisions: Decisions, since: number, order: Steered['order']): number {
  let sent = since
  while (sent < decisions.version) {
    const orders = decisions.ordersSince(sent)
    order(orders)
    sent = orders.version
  }
  return sent
}

/** `since`: what its workers know already. */
export async function keepSteering(
  { control, decisions, parts: { database, disk, folder, journal } }: Coordinator,
  steered: Steered,
  since: number,
  over: AbortSignal,
  clock: Clock = realClock,
): Promise<void> {
  let sent = since
  const attempt = tellingOnce(journal)
  const isAlone = database.dialect === 'sqlite'
  if (isAlone) await attempt(NO_ACTIONS, () => openActions(disk, folder))
  while (!over.aborted) {
    const rung = AbortSignal.any([decisions.changed.signal(), over])
    // A folder of another user, or a full disk: the crawl goes on.
    if (isAlone) await attempt(NO_ACTIONS, () => answerAsked(disk, folder, control, clock))
    // A shared database comes back, or the operator reads this; its workers go on as they are.
    if (isAlone) await decisions.refresh()
    else await attempt("operators' decisions cannot be read", () => decisions.refresh())
    sent = sendOrders(decisions, sent, steered.order)
    // A process that a person started ignores an earlier stop; one that its supervisor restarted does not.
    if (decisions.crawl.stopped !== undefined || (decisions.crawl.stopVersion ?? 0) > since) steered.stop()
    await attempt('the scope cannot follow new seeds', () => steered.seeded?.())
    await clock.sleep(LOOK_EVERY, rung)
  }
}
