/** The interface of intake, which both databases implement (W4): a folder for each, `open-intake.ts` chooses. */
import type { Clock, Millis } from '../base/clock.ts'
import type { Disk } from '../base/disk.ts'
import type { Journal } from '../base/journal.ts'
import type { DigestFilter } from '../collection/captures/digest-filter.ts'
import type { Event } from '../contracts/events.ts'
import type { SealedPart } from '../contracts/sealed-part.ts'
import type { Database } from '../database/database.ts'
import type { Ledger, LostVisit } from '../frontier/contract.ts'
import type { Rechecks } from './rechecks.ts'

export interface IntakeTools {
  database: Database
  ledger: Pick<Ledger, 'returning' | 'applyParts' | 'reap' | 'admit'>
  filter: DigestFilter
  disk: Disk
  /** `logs/crawl.log` of this process, for the reports that it applies. */
  logPath: string
  /** The name of this process's folder among all that share the database; SQLite's is the only one. */
  node?: string
  clock: Clock
  journal: Journal<Event>
  /** Fetches some captures again through another worker; undefined: none. */
  rechecks?: Rechecks
  /** Bytes of parts that skip the inbox, however fast they come; 0: all go through it. For simulations. */
  atOnceBytes?: number
  /** Between looks at what other servers left (PostgreSQL). For simulations. */
  lookEvery?: Millis
}

export interface Intake {
  /** Resolves when they are durable: in the inbox, or applied. */
  accept(parts: readonly SealedPart[]): Promise<void>
  /**
   * Parts that have come and can be applied; if they are many, workers should wait. Parts out of order are not counted: the
   * parts before them may never come, and a lease ends only when nothing is pending.
   */
  pending(): number
  /** Resolves when everything that has come and can be applied is; rejects when applying failed. */
  idle(): Promise<void>
  /**
   * Nothing waits that could bring the frontier anything new: asked before a crawl ends. Ask the frontier after this, since
   * an earlier answer of it may be outdated.
   */
  isSettled(): Promise<boolean>
  /** As `idle`, including the parts of an earlier process; syncs the log. Called at the start and at the end. */
  drain(): Promise<void>
  /**
   * Ends the leases that have expired, except where parts may still wait to be applied: a durable part is never lost.
   * Rejects when nothing more can be stored.
   */
  reap(): Promise<LostVisit[]>
  /** Nothing may come any more; the next process applies what waits. May be called twice. */
  close(): Promise<void>
}
