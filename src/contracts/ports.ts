/** The doors of a worker: all that it may ask of the coordinator. It receives them as arguments and cannot tell who made them. */
import type { Instant, Millis } from '../base/clock.ts'
import type { Exchange } from './exchange.ts'
import type { Capture, VisitReport } from './report.ts'
import type { AgendaItem, Visit, VisitId, WorkerId } from './visit.ts'

export interface Frontier {
  /** Empty → when to ask again, or the crawl is over. */
  checkOut(worker: WorkerId, atMost: number): Promise<{ visits: Visit[]; next: Millis | 'over' }>
  /** An address belongs to one worker at a time, until its visits there have ended, plus one address pause. */
  enter(worker: WorkerId, visit: VisitId, address: string): Promise<'here' | 'elsewhere'>
  /** One call for all visits of the worker; those in `lost` have no lease any more. */
  renew(worker: WorkerId, visits: VisitId[]): Promise<{ lease: Millis; lost: VisitId[] }>
}

export interface ReportSink {
  /** Returns when the parts are durable. */
  checkIn(worker: WorkerId, parts: VisitReport[]): Promise<void>
}

/** An earlier capture of the same payload, durable and in the collection. */
export interface StoredCopy {
  url: string
  at: Instant
}

export interface Archive {
  /** Written at once (to a buffer and the file); durable only after `synced`. With a twin it becomes a revisit record. */
  keep(exchange: Exchange, digest: string, copy: StoredCopy | undefined): Capture
  /** Of the payloads in this worker's own volumes; durable ones only. */
  copyOf(digest: string): StoredCopy | undefined
  /** All that was kept before the call is durable, file and folder. */
  synced(): Promise<void>
  close(): Promise<void>
}

/** Payloads of applied reports, wherever they lie. A filter answers most questions without a journey. */
export type FindCopy = (digest: string) => Promise<StoredCopy | undefined>

/** Told by the worker's thread before a page is read, so that the coordinator knows what hangs. */
export interface ReadingWatch {
  begin(visit: Visit, item: AgendaItem): void
  end(): void
}
