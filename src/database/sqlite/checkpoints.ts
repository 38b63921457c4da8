/**
 * When the log is carried into the main file. SQLite's own way is to do it inside a commit, on the thread that serves the
 * crawl: 20 ms at 10,000 sites, over 200 at 300,000. Here a thread does it, which is started when a log first grows long;
 * until it has, and should it fail, the log grows to a bound and is then carried over in the old way.
 */
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'

export interface Checkpoints {
  /** After every commit; costs 2 µs. */
  committed(): void
  /** Before the connection is closed: the last one to close clears the log away. */
  close(): Promise<void>
}

/** In pages. A longer log holds more changes of the same page, which is written once: 16 MiB of 4 KiB. */
export const LONG_LOG = 4096
/** 256 MiB: reading a page looks it up in the index of the log, and whoever opens it after a crash reads all of it. */
export const LONGEST_LOG = 16 * LONG_LOG

export function checkpointsOf(
  database: DatabaseSync,
  path: string,
  long = LONG_LOG,
  longest = LONGEST_LOG,
): Checkpoints {
  // Before, a look at the log is not known, and asking for one carries it over: there SQLite's own way is the better one.
  if (!canLook(sqliteVersion(database))) return NO_CHECKPOINTS
  const standing = database.prepare('PRAGMA wal_checkpoint(NOOP)')
  // A database in memory has no log.
  if ((standing.get() as { log: number }).log < 0) return NO_CHECKPOINTS
  database.exec('PRAGMA wal_autocheckpoint = 0')
  const inPlace = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  let thread: Worker | undefined
  let ended: Promise<void> | undefined
  let hasEnded = false
  let isCarrying = false
  /** How long the log was when it was last to be carried over. Of what a reader still needs, nothing can be. */
  let askedAt = 0

  const start = (): Worker => {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    const started = new Worker(new URL(`./checkpoint-thread.${extension}`, import.meta.url), { workerData: path })
    started.unref()
    started.on('message', () => {
      isCarrying = false
    })
    // Its end is all that matters: from then on it is done in place.
    started.on('error', () => {})
    ended = new Promise((resolve) => {
      started.on('exit', () => {
        hasEnded = true
        resolve()
      })
    })
    return started
  }

  return {
    committed() {
      // What fails here is not the transaction, which is committed; SQLite's own checkpoints keep silent too.
      try {
        const { log } = standing.get() as { log: number }
        // It began anew.
        if (log < askedAt) askedAt = 0
        if (log - askedAt < long || (isCarrying && !hasEnded && log < longest)) return
        askedAt = log
        if (hasEnded || log >= longest) {
          inPlace.get()
          return
        }
        isCarrying = true
        thread ??= start()
        thread.postMessage('carry')
      } catch {}
    },
    async close() {
      if (thread === undefined) return
      thread.ref()
      thread.postMessage('close')
      await ended
    },
  }
}

function sqliteVersion(database: DatabaseSync): string {
  return String(database.prepare('SELECT sqlite_version() AS version').get()?.version)
}

/** SQLite has `wal_checkpoint(NOOP)` since 3.51; the first releases of Node 24 come with an older one. */
export function canLook(version: string): boolean {
  const [major, minor] = version.split('.').map(Number)
  return major > 3 || (major === 3 && minor >= 51)
}

/** For databases that have no log, and for a SQLite that carries it over by itself. */
export const NO_CHECKPOINTS: Checkpoints = { committed() {}, async close() {} }
