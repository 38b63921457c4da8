/** The door at which reports come in: one interface, a folder for each database. */
import type { Clock } from '../base/clock.ts'
import type { Disk } from '../base/disk.ts'
import type { Journal } from '../base/journal.ts'
import type { DigestFilter } from '../collection/captures/digest-filter.ts'
import type { Event } from '../contracts/events.ts'
import type { ReportSink } from '../contracts/ports.ts'
import type { SealedPart } from '../contracts/sealed-part.ts'
import type { Database } from '../database/database.ts'
import type { Ledger, LostVisit } from '../frontier/ledger.ts'
import { PostgresIntake } from './postgres/intake.ts'
import type { Rechecks } from './rechecks.ts'
import { SqliteIntake } from './sqlite/intake.ts'

export interface IntakeTools {
  database: Database
  ledger: Pick<Ledger, 'returning' | 'applyParts' | 'reap' | 'admit'>
  filter: DigestFilter
  disk: Disk
  /** `logs/crawl.log` of this process: what it applies is told there. */
  logPath: string
  /** The name of this process's folder among all that share the database; SQLite's is the only one. */
  node?: string
  clock: Clock
  journal: Journal<Event>
  /** Captures that are asked for again through another worker; without it nobody is checked. */
  rechecks?: Rechecks
  /** Bytes of parts that are applied without the inbox, whatever the pace; 0: all go through it. For simulations. */
  atOnceBytes?: number
}

export interface Intake extends ReportSink {
  /** As `checkIn`, for parts that come as bytes, from another thread or machine. Resolves when they are durable. */
  store(parts: readonly SealedPart[]): Promise<void>
  /**
   * Parts that have come and can be applied: workers should wait when they are many. Without the early ones, whose
   * earlier parts may never come: who waits for an empty inbox before he ends a lease would wait for ever.
   */
  pending(): number
  /** Resolves when all that has come and could be applied is; rejects when applying failed. */
  idle(): Promise<void>
  /**
   * Nothing waits that could bring the frontier anything new: asked before a crawl is called over. What the frontier said
   * before this was asked may be old by then: ask it again.
   */
  isSettled(): Promise<boolean>
  /** As `idle`, also for what an earlier process left; the log is synced. At the start and at the end. */
  drain(): Promise<void>
  /**
   * Leases that have ended are lost, but for those whose parts may still wait to be applied: a durable part is never lost.
   * Rejects when nothing can be taken in any more.
   */
  reap(): Promise<LostVisit[]>
  /** Nothing may come any more; what waits is left to the next process. Twice is no harm. */
  close(): Promise<void>
}

/** Applies nothing yet: `drain` does, once the coordinator is ready for it. */
export async function openIntake(tools: IntakeTools): Promise<Intake> {
  switch (tools.database.dialect) {
    case 'sqlite':
      return SqliteIntake.open(tools)
    case 'postgres':
      return PostgresIntake.open(tools)
  }
}
