/** Orphaned data. */
import type { Instant, Millis } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import type { OtherLocation } from '../../collection/locations/other-locations.ts'
import type { Database } from '../../database/database.ts'

export type OrphanKind = 'lease' | 'part' | 'volume' | 'file' | 'location' | 'worker' | 'server' | 'calls'

export interface Orphan {
  kind: OrphanKind
  name: string
  /** The reason, for people. */
  why: string
  bytes?: number
  /** How many items it stands for. */
  count?: number
  /** False: it is no longer an orphan, or is removed in another way. */
  remove(): Promise<boolean>
}

export interface Findings {
  orphans: Orphan[]
  /** What was not checked, and why; faults that can't be cleaned. */
  notes: string[]
}

/** The locked folder of a collection, a server or a worker. */
export interface OwnFolder {
  disk: Disk
  folder: string
  /** The server that owns the folder, if several share the database. */
  node: string | undefined
  /** The name under which its coordinator records its own volumes. */
  owner: string
}

export interface CleanerParts {
  /** Other locations of volumes; none if files must not be touched. */
  locations: readonly OtherLocation[]
  /** Undefined for a worker's folder, which has none. */
  database: Database | undefined
  /** `left`: why files must not be touched. */
  files: OwnFolder | { left: string }
  now: Instant
  /** Members silent for longer count as gone. */
  olderThan: Millis
  /** Retention of the call log. */
  keepCallsFor: Millis
  /** No process uses this database, so all leases are left over. */
  isAtRest: boolean
}

/** Maximum per kind and run; run again for more. */
export const MAX_OF_A_KIND = 10_000
