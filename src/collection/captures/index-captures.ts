/**
 * Brings `index.cdxj` up to date with the captures that came since the last time. The database remembers the last capture of
 * each bucket and the length of the index. An index of another length was removed, written by another program, or left by a
 * crash: then all captures are merged again, and the merge drops duplicates. When captures were removed or moved, the database
 * says that the index is stale: then it is written anew.
 */
import type { Disk } from '../../base/disk.ts'
import { ALL_BUCKETS } from '../../database/bucket.ts'
import type { Database, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { inPieces } from '../row-id.ts'
import { cdxjLine } from './cdxj.ts'
import { INDEX, mergeIndex } from './cdxj-merge.ts'
import { capturesOfBucket, type StoredCapture } from './read-captures.ts'

/** Captures read at once: about 5 ms. */
const PIECE = 1000

type Upto = Record<'bucket' | 'capture' | 'size', number>

/** `node`: this server's name, where several share the database. */
export async function indexCaptures(database: Database, disk: Disk, folder: string, node = 'server'): Promise<void> {
  const path = `${folder}/${INDEX}`
  const size = disk.size(path) ?? 0
  const before = await readUpto(database, node)
  const isStale = before.some((upto) => upto.size === STALE)
  const isSame = !isStale && before.every((upto) => upto.size === size)
  const upto = new Map(before.map(({ bucket, capture }) => [bucket, isSame ? capture : 0]))
  const captures = newCaptures(database, upto)
  const first = await captures.next()
  if (first.done && isSame) return
  async function* lines(): AsyncGenerator<string[]> {
    for (let next = first; !next.done; next = await captures.next()) yield next.value.map(cdxjLine)
  }
  await mergeIndex(disk, folder, lines(), isStale)
  await writeUpto(database, node, upto, disk.size(path) ?? 0)
}

/** The size of an index that has lines of captures which are no longer there. */
const STALE = -1
const MARK_STALE = 'UPDATE cdxj_upto SET size = ? WHERE size <> ?'

/** In the transaction that removes or moves captures: every index of the collection must be written anew. */
export async function markIndexStale(tx: Tx): Promise<void> {
  await queries(tx).run(MARK_STALE, STALE, STALE)
}

/** An interrupted retention left it so. */
export async function isIndexStale(database: Database, node: string): Promise<boolean> {
  return (await readUpto(database, node)).some(({ size }) => size === STALE)
}

/** No capture came since the last update of the index of `node`. */
export async function isIndexCurrent(database: Database, node: string): Promise<boolean> {
  for (const { bucket, capture } of await readUpto(database, node)) {
    if ((await database.read((tx) => capturesOfBucket(tx, bucket, capture, 1))).length > 0) return false
  }
  return true
}

/** In pieces, by bucket; updates `upto`. */
async function* newCaptures(database: Database, upto: Map<number, number>): AsyncGenerator<StoredCapture[], undefined> {
  for (const [bucket, known] of upto) {
    const read = (last?: StoredCapture) => database.read((tx) => capturesOfBucket(tx, bucket, last?.id ?? known, PIECE))
    for await (const piece of inPieces(read)) {
      upto.set(bucket, piece[piece.length - 1].id)
      yield piece
    }
  }
}

const READ_UPTO = 'SELECT bucket, capture, size FROM cdxj_upto WHERE node = ?'
const WRITE_UPTO = `
  INSERT INTO cdxj_upto (node, bucket, capture, size) VALUES (?, ?, ?, ?)
  ON CONFLICT (node, bucket) DO UPDATE SET capture = excluded.capture, size = excluded.size`

/** SQLite has one bucket and one index. */
function readUpto(database: Database, node: string): Promise<Upto[]> {
  return database.read(async (tx) => {
    if (tx.dialect === 'sqlite') return queries(tx).all<Upto>('SELECT 0 AS bucket, capture, size FROM cdxj_upto')
    const known = new Map((await queries(tx).all<Upto>(READ_UPTO, node)).map((upto) => [upto.bucket, upto]))
    return ALL_BUCKETS.map((bucket) => known.get(bucket) ?? { bucket, capture: 0, size: 0 })
  })
}

async function writeUpto(
  database: Database,
  node: string,
  upto: ReadonlyMap<number, number>,
  size: number,
): Promise<void> {
  await database.transact(async (tx) => {
    const db = queries(tx)
    if (tx.dialect === 'sqlite') await db.run('UPDATE cdxj_upto SET capture = ?, size = ?', upto.get(0)!, size)
    else await Promise.all([...upto].map(([bucket, capture]) => db.run(WRITE_UPTO, node, bucket, capture, size)))
  })
}
