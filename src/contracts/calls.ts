/** The calls of a worker to the coordinator, between threads or over HTTP. */
import type { Orders } from './control.ts'
import type { Event } from './events.ts'
import type { Frontier, StoredCopy } from './ports.ts'
import type { SealedPart } from './sealed-part.ts'
import type { AgendaItem, SiteName, VisitId, WorkerId } from './visit.ts'

/** What the coordinator offers to its workers. */
export interface CoordinatorCalls extends Frontier {
  /** Resolves when the parts are durable. */
  accept(worker: WorkerId, parts: SealedPart[]): Promise<void>
  findCopy(digest: string): Promise<StoredCopy | undefined>
}

/** What a worker on another machine needs to crawl as the coordinator would. */
export interface PlanForWorkers {
  /** Of the program: a worker with another version is refused. */
  version: string
  /** As `orbweaver.yaml` of the collection would have it. */
  settings: string
  seeds: readonly string[]
  alternates: readonly string[]
  /** Files that the settings name, by the key of the setting: `blacklist-urls` and the like. */
  files: Readonly<Record<string, string>>
}

/** What a worker thread is reading right now. */
export interface NowReading {
  /** Distinguishes this reading from the one before. */
  count: number
  visit: VisitId
  fence: number
  site: SiteName
  item: Pick<AgendaItem, 'url' | 'depth' | 'via' | 'path' | 'tries'>
}

/** What a server also offers to workers on other machines. */
export interface ServerCalls extends CoordinatorCalls {
  plan(): Promise<PlanForWorkers>
  /** The thread that read this page has been ended: the page is recorded as one that cannot be read. */
  unreadable(worker: WorkerId, reading: NowReading): Promise<void>
  /** The worker is certainly dead or has ended: its leases are lost now, not when they expire. Returns them. */
  leave(worker: WorkerId): Promise<VisitId[]>
  /** Visits of a worker that disconnected before it received them. */
  giveBack(visits: readonly VisitId[]): Promise<void>
  /** The worker has only these: takes back and returns what else it was granted and has not begun. */
  takeBack(worker: WorkerId, has: readonly VisitId[]): Promise<VisitId[]>
}

export type Call = {
  [Name in keyof CoordinatorCalls]: { name: Name; args: Parameters<CoordinatorCalls[Name]> }
}[keyof CoordinatorCalls]

/** How a worker is doing. */
export interface Pulse {
  visits: number
  /** How late its event loop is: pauses and leases depend on it. */
  lateMs: number
  slow: readonly { site: string; why: string }[]
}

export type ToCoordinator =
  | { kind: 'call'; id: number; call: Call }
  | { kind: 'event'; event: Event }
  | ({ kind: 'pulse' } & Pulse)

export type ToWorker =
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'fault'; id: number; message: string }
  | { kind: 'stop' }
  | { kind: 'orders'; orders: Orders }
