/**
 * Who is at work, and where: what check-out must know to send a site to whoever had it before (Y1), or is near it (C13).
 * A worker of the frontier is a thread; those of one process stand at one post.
 */
import type { WorkerId } from '../contracts/visit.ts'

export interface Post {
  process: string
  /** Of one region: near the same sites. A process that was given none is a region of its own. */
  region: string
}

export interface KnownWorkers {
  /** All that are at work now, whichever server they ask; another array when that has changed. */
  present(): readonly Post[]
  /** Undefined: nothing is known of it (yet), and it waits for nobody. */
  postOf(worker: WorkerId): Post | undefined
}

export const NO_WORKERS: KnownWorkers = { present: () => [], postOf: () => undefined }
