/**
 * `logs/crawl.log`, each line exactly once. The transaction that applies a page records its lines; they are written to the
 * file after it, and stay in the database until a sync has made them durable. So opening can cut off whatever a crash left
 * at the end of the file, and write it again.
 *
 * Several transactions may run at once and end in any order, so rows are forgotten one by one, in transactions of their own.
 */
import { dirname } from 'node:path'
import type { Disk } from '../../base/disk.ts'
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

export type CrawlLog = Awaited<ReturnType<typeof openCrawlLog>>

/** `node`: this process's folder among all that share the database; SQLite has one log. */
export async function openCrawlLog(database: Database, disk: Disk, path: string, node: string) {
  const { synced, tail } = await database.read(async (tx) => ({
    synced: await readSynced(tx, node),
    tail: await readTail(tx, node),
  }))
  disk.makeFolder(dirname(path))
  // A log that the database does not know is continued, and so is one that was shortened.
  const before = disk.size(path) ?? 0
  if ((synced !== undefined || tail.length > 0) && before > (synced ?? 0)) disk.truncate(path, synced ?? 0)
  const file = disk.append(path)
  /** Rows that the file holds and the database has not forgotten. */
  let held: number[] = []

  const written = ({ id, lines }: RecordedLines): void => {
    const { size } = file
    try {
      file.write(Buffer.from(lines))
    } catch (error) {
      // A full disk may have taken some of them. The database keeps them until `close`, or until the next process.
      disk.truncate(path, size)
      throw error
    }
    held.push(id)
  }
  const syncNow = async (): Promise<void> => {
    const ids = held
    const { size } = file
    held = []
    try {
      await file.sync()
      await database.transact((tx) => forget(tx, node, ids, size))
    } catch (error) {
      held = [...ids, ...held]
      throw error
    }
  }
  const inTurn = inOrder()
  const sync = () => inTurn(() => (held.length === 0 ? undefined : syncNow()))

  for (const recorded of tail) written(recorded)
  await syncNow()
  await disk.syncFolder(dirname(path))
  return {
    /** Inside the transaction that applies the pages. Pass what it returns to `written` once that is durable. */
    async record(tx: Tx, lines: string): Promise<RecordedLines> {
      const row = await queries(tx).get<{ id: number }>(RECORD[tx.dialect], ...ofNode(tx, node), lines)
      return { id: row!.id, lines }
    },
    written,
    /** Now and then, so that the database need not hold the written lines. One sync at a time. */
    sync,
    /** When no transaction is under way. */
    async close(): Promise<void> {
      if (database.dialect === 'postgres') {
        await sync()
        // Lines of transactions that committed, but whose answer was lost.
        for (const recorded of await database.read((tx) => readTail(tx, node))) written(recorded)
        await sync()
      } else await file.sync()
      file.close()
    },
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
