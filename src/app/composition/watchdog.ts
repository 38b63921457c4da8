/**
 * A page whose reading never ends holds its whole thread (V6). The coordinator sees it in the thread's reading slot: after ten
 * seconds the thread is ended, the page recorded as failed in reading, its other visits lost and handed out again.
 */
import type { Clock, Instant, Millis } from '../../base/clock.ts'
import type { NowReading } from '../../contracts/calls.ts'
import type { PageReport, VisitReport } from '../../contracts/report.ts'
import { statusOfFailure } from '../../contracts/status-codes.ts'
import { OWN_REQUEST_PATH } from '../../contracts/visit.ts'
import { nowReading } from '../../crawl/worker/reading-slot.ts'
import type { Database } from '../../database/database.ts'
import type { Ledger } from '../../frontier/ledger.ts'
import type { Intake } from '../../intake/intake.ts'
import type { UrlReader } from '../../web/url/web-url.ts'

export const LONGEST_READING: Millis = 10_000

/** Notices that the same reading is still under way. Asked now and then; remembers since when. */
export class ReadingWatchdog {
  readonly #clock: Clock
  readonly #slot: SharedArrayBuffer
  #count = -1
  #since: Millis = 0

  constructor(slot: SharedArrayBuffer, clock: Clock) {
    this.#slot = slot
    this.#clock = clock
  }

  /** The page that has been under way for too long. */
  stuck(): NowReading | undefined {
    const reading = nowReading(this.#slot)
    const now = this.#clock.elapsed()
    if (reading === undefined || reading.count !== this.#count) {
      this.#count = reading?.count ?? -1
      this.#since = now
      return undefined
    }
    return now - this.#since >= LONGEST_READING ? reading : undefined
  }
}

export interface Recorder {
  database: Database
  ledger: Ledger
  intake: Intake
  clock: Clock
  urls: UrlReader
}

const ASKED: [string, number][] = [
  ['requests', 1],
  ['fetched', 1],
]

/** Told in the name of the visit that the thread can no longer tell of; its lease is still open. */
export async function recordUnreadable(reading: NowReading, coordinator: Recorder): Promise<void> {
  // Parts of the visit that are still in the inbox come first: ours follows the last of them.
  await coordinator.intake.idle()
  const site = await coordinator.database.read((tx) => coordinator.ledger.view.site(tx, reading.site))
  const { item } = reading
  const key = coordinator.urls.parse(item.url)?.key
  if (site?.lease?.visit !== reading.visit || key === undefined) return
  const now = coordinator.clock.now()
  // The answer to an errand has been told and counted; only its reading has not.
  const isOwnRequest = item.path === OWN_REQUEST_PATH
  const report: VisitReport = {
    visit: reading.visit,
    fence: reading.fence,
    site: reading.site,
    part: site.lease.parts + 1,
    pages: isOwnRequest ? [] : [unreadable(item, key, now)],
    found: [],
    crossSite: [],
    findings: [{ rule: 'reading-hung', evidence: item.url, at: now }],
    counts: new Map([...(isOwnRequest ? [] : ASKED), ['failure:reading', 1]]),
    memory: site.memory,
    courtesy: { pause: site.pause, lastAnswerAt: now, notBefore: now + site.pause, address: site.address },
    ended: 'stopped',
  }
  await coordinator.intake.checkIn('watchdog', [report])
  await coordinator.intake.idle()
}

function unreadable(item: NowReading['item'], key: bigint, at: Instant): PageReport {
  return {
    url: item.url,
    key,
    depth: item.depth,
    via: item.via,
    path: item.path,
    at,
    status: statusOfFailure('reading'),
    mediaType: '',
    bytes: 0,
    tookMs: 0,
    tries: item.tries + 1,
    outcome: { kind: 'gone', why: 'reading' },
    title: '',
    links: new Uint8Array(0),
    annotations: ['reading-hung'],
    ownRequest: false,
  }
}
