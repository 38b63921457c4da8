/**
 * `logs/crawl.log`, each line exactly once. The transaction that applies a page records its lines; they are written to the
 * file after it, and stay in the database until a sync has made them durable. So opening can cut off whatever a crash left
 * at the end of the file, and write it again.
 *
 * Several transactions may run at once and end in any order, so rows are forgotten one by one, in transactions of their own.
 */
import { dirname } from 'node:path'
import type { AppendFile, Disk } from '../../base/disk.ts'
import { inOrder } from '../../base/in-order.ts'
import type { Database, Tx } from '../../database/database.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import { queries } from '../../database/queries.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'

const RECORD = {
  sqlite: 'INSERT INTO crawl_log_tail (lines) VALUES (?) RETURNING id',
  postgres: 'INSERT INTO crawl_log_tail (node, lines) VALUES (?, ?) RETURNING id',
}
const FORGET = 'DELETE FROM crawl_log_tail WHERE node = $1 AND id = ANY($2::bigint[])'
const NOTE_SYNCED = `
  INSERT INTO crawl_log (node, synced) VALUES ($1, $2) ON CONFLICT (node) DO UPDATE SET synced = excluded.synced`

export interface RecordedLines {
  id: number
  lines: string
}

export class CrawlLog {
  readonly #database: Database
  readonly #file: AppendFile
  /** Cuts the file to this size. */
  readonly #cut: (size: number) => void
  readonly #node: string
  /** Rows that the file holds and the database has not forgotten. */
  #written: number[]
  readonly #inTurn = inOrder()

  private constructor(
    database: Database,
    file: AppendFile,
    cut: (size: number) => void,
    node: string,
    written: number[],
  ) {
    this.#database = database
    this.#file = file
    this.#cut = cut
    this.#node = node
    this.#written = written
  }

  /** `node`: this process's folder among all that share the database; SQLite has one log. */
  static async open(database: Database, disk: Disk, path: string, node: string): Promise<CrawlLog> {
    const { synced, tail } = await database.read(async (tx) => ({
      synced: await readSynced(tx, node),
      tail: await readTail(tx, node),
    }))
    disk.makeFolder(dirname(path))
    // A log that the database does not know is continued, and so is one that was shortened.
    const size = disk.size(path) ?? 0
    if ((synced !== undefined || tail.length > 0) && size > (synced ?? 0)) disk.truncate(path, synced ?? 0)
    const file = disk.append(path)
    for (const { lines } of tail) file.write(Buffer.from(lines))
    const ids = tail.map(({ id }) => id)
    const log = new CrawlLog(database, file, (end) => disk.truncate(path, end), node, ids)
    await log.#syncNow()
    await disk.syncFolder(dirname(path))
    return log
  }

  /** Inside the transaction that applies the pages. Pass what it returns to `written` once that is durable. */
  async record(tx: Tx, lines: string): Promise<RecordedLines> {
    const row = await queries(tx).get<{ id: number }>(RECORD[tx.dialect], ...ofNode(tx, this.#node), lines)
    return { id: row!.id, lines }
  }

  written({ id, lines }: RecordedLines): void {
    const { size } = this.#file
    try {
      this.#file.write(Buffer.from(lines))
    } catch (error) {
      // A full disk may have taken some of them. The database keeps them until `close`, or until the next process.
      this.#cut(size)
      throw error
    }
    this.#written.push(id)
  }

  /** Now and then, so that the database need not hold the written lines. One sync at a time. */
  sync(): Promise<void> {
    return this.#inTurn(() => (this.#written.length === 0 ? undefined : this.#syncNow()))
  }

  /** When no transaction is under way. */
  async close(): Promise<void> {
    if (this.#database.dialect === 'postgres') {
      await this.sync()
      // Lines of transactions that committed, but whose answer was lost.
      for (const recorded of await this.#database.read((tx) => readTail(tx, this.#node))) this.written(recorded)
      await this.sync()
    } else await this.#file.sync()
    this.#file.close()
  }

  async #syncNow(): Promise<void> {
    const ids = this.#written
    const { size } = this.#file
    this.#written = []
    try {
      await this.#file.sync()
      await this.#database.transact((tx) => forget(tx, this.#node, ids, size))
    } catch (error) {
      this.#written = [...ids, ...this.#written]
      throw error
    }
  }
}

/** SQLite has one log, and its rows name no node. */
const isShared = (tx: Tx) => tx.dialect === 'postgres'
const ofNode = (tx: Tx, node: string) => (isShared(tx) ? [node] : [])
const WHOSE = { sqlite: '', postgres: 'WHERE node = ?' }

/** Undefined where the database knows of no log; SQLite's one row begins with 0. */
async function readSynced(tx: Tx, node: string): Promise<number | undefined> {
  const sql = `SELECT synced FROM crawl_log ${WHOSE[tx.dialect]}`
  const synced = (await queries(tx).get<{ synced: number }>(sql, ...ofNode(tx, node)))?.synced
  return synced === 0 && !isShared(tx) ? undefined : synced
}

function readTail(tx: Tx, node: string): Promise<RecordedLines[]> {
  const sql = `SELECT id, lines FROM crawl_log_tail ${WHOSE[tx.dialect]} ORDER BY id`
  return queries(tx).all<RecordedLines>(sql, ...ofNode(tx, node))
}

async function forget(tx: Tx, node: string, ids: readonly number[], size: number): Promise<void> {
  if (tx.dialect === 'postgres') {
    const db = postgresTx(tx)
    await Promise.all([db.run(FORGET, node, ids), db.run(NOTE_SYNCED, node, size)])
  } else {
    const db = sqliteTx(tx)
    for (const id of ids) db.run('DELETE FROM crawl_log_tail WHERE id = ?', id)
    db.run('UPDATE crawl_log SET synced = ?', size)
  }
}
