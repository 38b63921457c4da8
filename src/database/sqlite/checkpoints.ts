/**
 * Checkpoints: copying the log into the main file. SQLite does that inside a commit, on the thread that serves the crawl: 20 ms
 * at 10,000 sites, over 200 at 300,000. Here a thread does it, started when the log first grows long. If it fails, the log
 * grows to a bound and is then checkpointed in a commit after all.
 */
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'

export interface Checkpoints {
  /** After every commit; costs 2 µs. */
  committed(): void
  /** Before the connection is closed: the last one to close removes the log. */
  close(): Promise<void>
}

/** In pages of 4 KiB: 16 MiB. In a longer log more changes of the same page are written at once. */
export const LONG_LOG = 4096
/** 256 MiB. Every read looks the page up in the log's index, and recovery reads the whole log. */
export const LONGEST_LOG = 16 * LONG_LOG

export function checkpointsOf(
  database: DatabaseSync,
  path: string,
  long = LONG_LOG,
  longest = LONGEST_LOG,
): Checkpoints {
  // An older SQLite has no NOOP and would checkpoint instead.
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
  /** The log's length at the last request. Pages that a reader still needs cannot be checkpointed. */
  let askedAt = 0

  const start = (): Worker => {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    const started = new Worker(new URL(`./checkpoint-thread.${extension}`, import.meta.url), { workerData: path })
    started.unref()
    started.on('message', () => {
      isCarrying = false
    })
    // Only its end matters: from then on checkpoints run in a commit.
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
      // Failures are ignored, as SQLite does, because the transaction is committed.
      try {
        const { log } = standing.get() as { log: number }
        // The log was restarted.
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

/** For databases without a log, and for a SQLite that checkpoints by itself. */
export const NO_CHECKPOINTS: Checkpoints = { committed() {}, async close() {} }
