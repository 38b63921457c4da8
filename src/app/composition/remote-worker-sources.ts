/** The servers' doors as the threads of a volunteer see them. */
import type { Millis } from '../../base/clock.ts'
import type { RemoteServers } from '../../cluster/wire/remote-coordinator.ts'
import type { CoordinatorCalls, PlanForWorkers } from '../../contracts/calls.ts'
import type { LivePlan } from './live-plan.ts'
import type { CrawlPlan } from './plan.ts'

/** A crawl that is over may get more to do. */
const IDLE_REST: Millis = 1000

/** What is visited is visited by the servers' plan of now. Who is not to end with the crawl does not hear that it is over. */
export function remoteWorkerSources(remote: RemoteServers, live: LivePlan, endsWithCrawl: boolean): CoordinatorCalls {
  return {
    enter: (...call) => remote.enter(...call),
    renew: (...call) => remote.renew(...call),
    checkInSealed: (...call) => remote.checkInSealed(...call),
    findCopy: remote.findCopy,
    async checkOut(worker, atMost) {
      const { visits, next } = await remote.checkOut(worker, atMost)
      await live.check(visits)
      return { visits, next: next === 'over' && !endsWithCrawl ? IDLE_REST : next }
    },
  }
}

/** Reads the plan anew only when it is another: it may name millions of seeds, and is asked for every minute. */
export function planReader(
  remote: Pick<RemoteServers, 'plan'>,
  read: (plan: PlanForWorkers) => Promise<CrawlPlan>,
): () => Promise<CrawlPlan> {
  let last: { told: PlanForWorkers; plan: CrawlPlan } | undefined
  return async () => {
    const told = await remote.plan()
    if (last?.told !== told) last = { told, plan: await read(told) }
    return last.plan
  }
}
