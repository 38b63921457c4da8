/**
 * A page whose reading never ends holds its whole thread (V6). The thread writes what it reads into its reading slot: memory that
 * others can see while it is stuck. The pool (`worker-pool.ts`) looks once a second, and ends the thread after ten. The coordinator
 * records the page as failed in reading and hands the thread's other visits out again.
 */
import type { Clock, Instant, Millis } from '../../base/clock.ts'
import type { NowReading } from '../../contracts/calls.ts'
import { READING_HUNG } from '../../contracts/control.ts'
import type { ReadingWatch } from '../../contracts/ports.ts'
import type { VisitReport } from '../../contracts/report.ts'
import { OWN_REQUEST_PATH } from '../../contracts/visit.ts'
import { decideOutcome, unansweredReport } from '../page-outcome.ts'

/** Two URLs of the greatest length and the rest of an item. */
const BYTES = 20_000
const COUNT = 0
const BUSY = 1
const LENGTH = 2
const TEXT_AT = 16

export function readingSlot(): SharedArrayBuffer {
  return new SharedArrayBuffer(BYTES)
}

export function watchInto(slot: SharedArrayBuffer): ReadingWatch {
  const state = new Int32Array(slot, 0, 4)
  const text = Buffer.from(slot, TEXT_AT)
  return {
    begin(visit, { url, depth, via, path, tries }) {
      const item = `${visit.id}\n${visit.fence}\n${visit.site}\n${depth}\n${tries}\n${path}\n${url}\n${via ?? ''}`
      // Writes text into shared memory in one call, and cuts what does not fit.
      state[LENGTH] = text.write(item)
      Atomics.add(state, COUNT, 1)
      Atomics.store(state, BUSY, 1)
    },
    end() {
      Atomics.store(state, BUSY, 0)
    },
  }
}

export function nowReading(slot: SharedArrayBuffer): NowReading | undefined {
  const state = new Int32Array(slot, 0, 4)
  if (Atomics.load(state, BUSY) === 0) return undefined
  const count = Atomics.load(state, COUNT)
  const [visit = '', fence, site = '', depth, tries, path = '', url = '', via] = Buffer.from(slot, TEXT_AT)
    .toString('utf8', 0, state[LENGTH])
    .split('\n')
  const item = { url, depth: Number(depth), via: via || undefined, path, tries: Number(tries) }
  return { count, visit, fence: Number(fence), site, item }
}

const MAX_READING: Millis = 10_000

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
