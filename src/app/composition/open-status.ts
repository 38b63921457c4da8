/** Where a collection stands: complete, unfinished, or being crawled at this moment. */
import type { Clock, Instant, Millis } from '../../base/clock.ts'
import type { Progress } from '../../collection/counters/counters.ts'
import { readCounter } from '../../collection/counters/counters.ts'
import { progressSince } from '../../collection/figures.ts'
import type { Tx } from '../../database/database.ts'
import type { FrontierViews, Totals } from '../../frontier/views.ts'
import { partsWaiting } from '../../intake/report-parts.ts'
import { type ClusterStanding, clusterStanding } from './cluster-status.ts'
import { spanOf } from './open-queries.ts'

export interface Standing {
  state: 'running' | 'complete' | 'unfinished'
  begunAt: Instant | undefined
  lastAt: Instant | undefined
  documents: number
  bytes: number
  urls: { known: number; done: number; waiting: number }
  sites: Totals['sites']
  heldDomains: number
  trend: Progress[]
  nextDueMs: Millis | undefined
  /** Parts that are durable and not yet applied. */
  inbox: number
  /** Undefined when no server was ever started on it. */
  cluster: ClusterStanding | undefined
}

/** The trend is that of the last hour in which the crawl ran: an older one says nothing of now. */
const TREND_SPAN: Millis = 3_600_000

export async function standing(tx: Tx, looks: FrontierViews, running: boolean, clock: Clock): Promise<Standing> {
  const { sites: asWritten, urls } = await looks.totals(tx)
  const sites = running ? asWritten : atRest(asWritten)
  const inbox = await partsWaiting(tx)
  const over = urls.waiting === 0 && asWritten.leased + asWritten.returning === 0 && inbox === 0
  const [due] = await looks.nextDue(tx, 1)
  const untilDue = due === undefined ? undefined : Math.max(0, due.notBefore - clock.now())
  return {
    state: running ? 'running' : over ? 'complete' : 'unfinished',
    ...(await spanOf(tx)),
    documents: await readCounter(tx, 'documents'),
    bytes: await readCounter(tx, 'bytes'),
    urls: { known: urls.known, done: urls.marked, waiting: urls.waiting },
    sites,
    heldDomains: asWritten.held === 0 ? 0 : await looks.heldDomains(tx),
    trend: await trendOf(tx),
    nextDueMs: sites.free > 0 ? 0 : untilDue,
    inbox,
    cluster: await clusterStanding(tx, clock.now()),
  }
}

/** A lease without a crawl is one that a crash left: nobody is there, and the site waits. */
function atRest({ leased, returning, ...sites }: Totals['sites']): Totals['sites'] {
  return { ...sites, waiting: sites.waiting + leased + returning, leased: 0, returning: 0 }
}

async function trendOf(tx: Tx): Promise<Progress[]> {
  const last = (await progressSince(tx, 0, 1)).at(0)
  return last === undefined ? [] : progressSince(tx, last.at - TREND_SPAN)
}
