/** The interfaces of a worker: everything it may ask of the coordinator. It receives them as arguments. */
import type { Instant, Millis } from '../base/clock.ts'
import type { Exchange } from './exchange.ts'
import type { Capture, VisitReport } from './report.ts'
import type { AgendaItem, Visit, VisitId, WorkerId } from './visit.ts'

export interface Frontier {
  /** `next`: when to ask again if there are no visits, or that the crawl is over. `heldMs`: of the call, waiting for a free site. */
  checkOut(worker: WorkerId, atMost: number): Promise<{ visits: Visit[]; next: Millis | 'over'; heldMs?: Millis }>
  /** An address belongs to one worker at a time, until its visits there have ended, plus one address pause. */
  enter(worker: WorkerId, visit: VisitId, address: string): Promise<'here' | 'elsewhere'>
  /** One call for all visits of the worker; the leases of those in `lost` have ended. */
  renew(worker: WorkerId, visits: VisitId[]): Promise<{ lease: Millis; lost: VisitId[] }>
}

export interface ReportSink {
  /** Resolves when the parts are durable. */
  send(worker: WorkerId, parts: VisitReport[]): Promise<void>
}

/** An earlier response with the same payload: in the catalogue, or reported earlier in the same visit. */
export interface StoredCopy {
  url: string
  at: Instant
}

export interface Archive {
  /**
   * Writes at once (to a buffer and the file); durable only after `synced`. With a copy it writes a revisit record. So
   * it does for a 304, whose copy and digest are those of the page as it was.
   */
  keep(exchange: Exchange, digest: string, copy: StoredCopy | undefined): Capture
  /** Records that were read back since the last call, and how many of them were wrong and written again. */
  checks(): { checked: number; wrong: number }
  /** Resolves when everything kept before the call is durable, file and folder. */
  synced(): Promise<void>
  close(): Promise<void>
}

/** Among the payloads of applied reports. A filter answers most calls locally. */
export type FindCopy = (digest: string) => Promise<StoredCopy | undefined>

/** Called around reading a page, so that the coordinator knows which page hangs. */
export interface ReadingWatch {
  begin(visit: Visit, item: AgendaItem): void
  end(): void
}
