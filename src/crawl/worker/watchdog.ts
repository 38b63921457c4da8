/**
 * A page whose reading never ends holds its whole thread (V6). The pool (`worker-pool.ts`) sees it in the thread's
 * reading slot and ends the thread after ten seconds. The coordinator records the page as failed in reading and hands the thread's
 * other visits out again.
 */
import type { Clock, Instant, Millis } from '../../base/clock.ts'
import type { NowReading } from '../../contracts/calls.ts'
import { READING_HUNG } from '../../contracts/control.ts'
import type { VisitReport } from '../../contracts/report.ts'
import { OWN_REQUEST_PATH } from '../../contracts/visit.ts'
import { decideOutcome, unansweredReport } from '../page-outcome.ts'
import { nowReading } from './reading-slot.ts'

export const MAX_READING: Millis = 10_000

/** Notices that the same reading is still under way. Ask it now and then. */
export class ReadingWatchdog {
  readonly #clock: Clock
  readonly #slot: SharedArrayBuffer
  #count = -1
  #since: Millis = 0

  constructor(slot: SharedArrayBuffer, clock: Clock) {
    this.#slot = slot
    this.#clock = clock
  }

  /** The page that has been read for too long. */
  stuck(): NowReading | undefined {
    const reading = nowReading(this.#slot)
    const now = this.#clock.elapsed()
    if (reading === undefined || reading.count !== this.#count) {
      this.#count = reading?.count ?? -1
      this.#since = now
      return undefined
    }
    return now - this.#since >= MAX_READING ? reading : undefined
  }
}

const OUTCOME = decideOutcome({ kind: 'given-up', failure: 'reading' })
const ASKED: [string, number][] = [
  ['requests', 1],
  ['fetched', 1],
]

/** The last report part of a visit whose thread hung, written in its name. `site`: as the frontier has it; `parts`: received so far. */
export function unreadableReport(
  reading: NowReading,
  key: bigint,
  site: Pick<VisitReport, 'memory'> & { pause: Millis; address?: VisitReport['courtesy']['address'] },
  parts: number,
  now: Instant,
): VisitReport {
  const { item } = reading
  // An own request (robots.txt, a probe) was reported and counted when it was answered; only its reading failed.
  const isOwnRequest = item.path === OWN_REQUEST_PATH
  return {
    visit: reading.visit,
    fence: reading.fence,
    site: reading.site,
    part: parts + 1,
    pages: isOwnRequest
      ? []
      : [unansweredReport({ ...item, key }, now, 'reading', OUTCOME, item.tries + 1, [READING_HUNG])],
    found: [],
    crossSite: [],
    findings: [{ rule: READING_HUNG, evidence: item.url, at: now }],
    counts: new Map([...(isOwnRequest ? [] : ASKED), ['failure:reading', 1]]),
    memory: site.memory,
    courtesy: { pause: site.pause, lastAnswerAt: now, notBefore: now + site.pause, address: site.address },
    ended: 'stopped',
  }
}
