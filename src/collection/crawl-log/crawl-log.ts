/**
 * `logs/crawl.log`, each line exactly once. The lines are recorded in the transaction that applies their pages and
 * written to the file after it; those that no sync has made durable yet stay in the database. So whatever a crash or a
 * loss of power leaves of the file's end, opening cuts it off and writes it again.
 */
import { dirname } from 'node:path'
import type { AppendFile, Disk } from '../../base/disk.ts'
import type { Database, Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'

export class CrawlLog {
  readonly #file: AppendFile
  /** Rows of `crawl_log_tail` that the file holds, and how long it is with them. */
  #written = { id: 0, size: 0 }
  /** The same as of the last sync: what the next transaction may forget. */
  #synced = { id: 0, size: -1 }
  /** Of it, what a durable transaction has forgotten. */
  #forgotten = -1

  private constructor(file: AppendFile, lastId: number) {
    this.#file = file
    this.#written = { id: lastId, size: file.size }
  }

  static async open(database: Database, disk: Disk, path: string): Promise<CrawlLog> {
    const { synced, tail } = await database.read((tx) => {
      const db = sqliteTx(tx)
      return {
        synced: db.get<{ synced: number }>('SELECT synced FROM crawl_log')!.synced,
        tail: db.all<{ id: number; lines: string }>('SELECT id, lines FROM crawl_log_tail ORDER BY id'),
      }
    })
    disk.makeFolder(dirname(path))
    const size = disk.size(path) ?? 0
    // A log that this database knows nothing of is somebody's: it is continued. One that somebody shortened is, too.
    const begun = synced > 0 || tail.length > 0
    if (begun && size > synced) disk.truncate(path, synced)
    const file = disk.append(path)
    for (const { lines } of tail) file.write(Buffer.from(lines))
    const log = new CrawlLog(file, tail.at(-1)?.id ?? 0)
    await log.sync()
    await disk.syncFolder(dirname(path))
    await database.transact((tx) => log.#forget(tx))
    return log
  }

  /** Inside the transaction that applies them. Returns what to hand to `written` once it is durable. */
  record(tx: Tx, lines: string): RecordedLines | undefined {
    this.#forget(tx)
    if (lines === '') return undefined
    const sql = 'INSERT INTO crawl_log_tail (lines) VALUES (?) RETURNING id'
    return { id: sqliteTx(tx).get<{ id: number }>(sql, lines)!.id, lines, forgot: this.#synced.size }
  }

  written(recorded: RecordedLines): void {
    this.#file.write(Buffer.from(recorded.lines))
    this.#written = { id: recorded.id, size: this.#file.size }
    this.#forgotten = recorded.forgot
  }

  /** Now and then: what was written so far need not stay in the database. */
  async sync(): Promise<void> {
    const reached = this.#written
    if (reached.size === this.#synced.size) return
    await this.#file.sync()
    this.#synced = reached
  }

  async close(): Promise<void> {
    await this.sync()
    this.#file.close()
  }

  /** Repeated until a transaction that did it is durable: it is cheap when nothing is left to forget. */
  #forget(tx: Tx): void {
    if (this.#synced.size <= this.#forgotten) return
    const db = sqliteTx(tx)
    db.run('DELETE FROM crawl_log_tail WHERE id <= ?', this.#synced.id)
    db.run('UPDATE crawl_log SET synced = ?', this.#synced.size)
  }
}

export interface RecordedLines {
  id: number
  lines: string
  /** Up to where the transaction forgot what was synced. */
  forgot: number
}
