/**
 * A node's `logs/crawl.log`, each line exactly once: those of the reports that this node applied. As on SQLite the lines are
 * recorded with their pages, written to the file after that, and forgotten once they are on the disk for good. Several
 * transactions are under way at once and end in any order: so rows are forgotten one by one, as the file has them, in
 * transactions of their own.
 */
import { dirname } from 'node:path'
import type { AppendFile, Disk } from '../../base/disk.ts'
import type { Database, Tx } from '../../database/database.ts'
import { postgresTx } from '../../database/postgres/tx.ts'

const READ_SYNCED = 'SELECT synced FROM crawl_log WHERE node = $1'
const READ_TAIL = 'SELECT id, lines FROM crawl_log_tail WHERE node = $1 ORDER BY id'
const RECORD = 'INSERT INTO crawl_log_tail (node, lines) VALUES ($1, $2) RETURNING id'
const FORGET = 'DELETE FROM crawl_log_tail WHERE node = $1 AND id = ANY($2::bigint[])'
const NOTE_SYNCED = `
  INSERT INTO crawl_log (node, synced) VALUES ($1, $2) ON CONFLICT (node) DO UPDATE SET synced = excluded.synced`

export interface RecordedLines {
  id: number
  lines: string
}

export class PostgresCrawlLog {
  readonly #database: Database
  readonly #file: AppendFile
  readonly #node: string
  /** Rows that the file holds and that are not forgotten yet. */
  #written: number[]
  #syncing: Promise<void> = Promise.resolve()

  private constructor(database: Database, file: AppendFile, node: string, written: number[]) {
    this.#database = database
    this.#file = file
    this.#node = node
    this.#written = written
  }

  /** `node`: the name of this process's folder among all that share the database. */
  static async open(database: Database, disk: Disk, path: string, node: string): Promise<PostgresCrawlLog> {
    const { synced, tail } = await database.read(async (tx) => {
      const db = postgresTx(tx)
      const [row, tail] = await Promise.all([
        db.get<{ synced: number }>(READ_SYNCED, node),
        db.all<RecordedLines>(READ_TAIL, node),
      ])
      return { synced: row?.synced, tail }
    })
    disk.makeFolder(dirname(path))
    // A log that the database knows nothing of is somebody's: it is continued. One that somebody shortened is, too.
    const size = disk.size(path) ?? 0
    if ((synced !== undefined || tail.length > 0) && size > (synced ?? 0)) disk.truncate(path, synced ?? 0)
    const file = disk.append(path)
    for (const { lines } of tail) file.write(Buffer.from(lines))
    const log = new PostgresCrawlLog(
      database,
      file,
      node,
      tail.map(({ id }) => id),
    )
    await log.#syncNow()
    await disk.syncFolder(dirname(path))
    return log
  }

  /** Inside the transaction that applies them. Returns what to hand to `written` once it is durable. */
  async record(tx: Tx, lines: string): Promise<RecordedLines> {
    const { id } = (await postgresTx(tx).get<{ id: number }>(RECORD, this.#node, lines))!
    return { id, lines }
  }

  written({ id, lines }: RecordedLines): void {
    this.#file.write(Buffer.from(lines))
    this.#written.push(id)
  }

  /** Now and then: what was written so far need not stay in the database. One after the other. */
  sync(): Promise<void> {
    const next = this.#syncing.then(() => (this.#written.length === 0 ? undefined : this.#syncNow()))
    this.#syncing = next.catch(() => {})
    return next
  }

  /** When no transaction is under way. Lines of one that was done without our hearing of it are still in the database. */
  async close(): Promise<void> {
    await this.sync()
    const unheard = await this.#database.read((tx) => postgresTx(tx).all<RecordedLines>(READ_TAIL, this.#node))
    for (const recorded of unheard) this.written(recorded)
    await this.sync()
    this.#file.close()
  }

  async #syncNow(): Promise<void> {
    const ids = this.#written
    const { size } = this.#file
    this.#written = []
    try {
      await this.#file.sync()
      await this.#database.transact((tx) => {
        const db = postgresTx(tx)
        return Promise.all([db.run(FORGET, this.#node, ids), db.run(NOTE_SYNCED, this.#node, size)])
      })
    } catch (error) {
      this.#written = [...ids, ...this.#written]
      throw error
    }
  }
}
