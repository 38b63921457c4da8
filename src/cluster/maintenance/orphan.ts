/** What nobody owns any more. */
import type { Instant, Millis } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import type { Database } from '../../database/database.ts'

export type OrphanKind = 'lease' | 'part' | 'volume' | 'file' | 'place' | 'worker' | 'server' | 'calls'

export interface Orphan {
  kind: OrphanKind
  name: string
  /** Why it is one, for people. */
  why: string
  bytes?: number
  /** It stands for so many. */
  count?: number
  /** False: it is none any more, or it is removed in another way. */
  remove(): Promise<boolean>
}

export interface Findings {
  orphans: Orphan[]
  /** What was not looked at, and why; what is wrong and cannot be cleaned. */
  notes: string[]
}

/** The folder of a collection, of a server or of a worker, held by nobody else. */
export interface OwnFolder {
  disk: Disk
  folder: string
  /** The server whose folder it is, where several share the database. */
  node: string | undefined
  /** Under which its house notes where volumes of its own lie. */
  owner: string
}

/** Another folder, or a store, as the cleaner sees it. */
export interface OtherLocation {
  /** As in `volume_place`: `dir:/PATH`, `s3://BUCKET/PREFIX`. */
  readonly node: string
  /** All volumes there, with their bytes. Throws when it cannot be looked at. */
  list(): Promise<ReadonlyMap<string, number>>
  /** For as long as it is read. */
  open(volume: string): Promise<{ path: string } & Disposable>
  remove(volume: string): Promise<void>
}

export interface CleanerParts {
  /** Where else volumes lie. None, when files are not to be touched. */
  locations: readonly OtherLocation[]
  /** Undefined: the folder is a worker's, which has none. */
  database: Database | undefined
  /** Why files are not to be touched, when they are not. */
  files: OwnFolder | { left: string }
  now: Instant
  /** Who was silent for longer does not come back. */
  olderThan: Millis
  /** How long the record of the workers' calls is kept. */
  keepCallsFor: Millis
  /** No process holds leases of this database: all that are left are of the dead. */
  isAtRest: boolean
}

/** Of one kind in one run: who has more runs it again. */
export const MAX_OF_A_KIND = 10_000
