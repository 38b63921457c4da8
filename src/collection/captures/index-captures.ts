/**
 * Brings `index.cdxj` up to date with the captures that came since the last time. The database remembers the last of them
 * and how long the index was with it: an index of another length was removed, or made by others, or the power went between
 * the two, and then every capture is given to the merge once more, which drops what is there.
 */
import { turn } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import type { Database } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { cdxjLine } from './cdxj.ts'
import { INDEX, mergeIndex } from './cdxj-merge.ts'
import { capturesSince } from './read-captures.ts'

/** Captures read at once: some 5 ms. */
const PIECE = 1000

export async function indexCaptures(database: Database, disk: Disk, folder: string): Promise<void> {
  const path = `${folder}/${INDEX}`
  const before = await database.read(
    (tx) => sqliteTx(tx).get<{ capture: number; size: number }>('SELECT capture, size FROM cdxj_upto')!,
  )
  let last = disk.size(path) === before.size ? before.capture : 0
  const from = last
  const next = () => database.read((tx) => capturesSince(tx, last, PIECE))
  let piece = await next()
  if (piece.length === 0 && from === before.capture) return
  async function* lines(): AsyncGenerator<string> {
    for (; piece.length > 0; piece = await next()) {
      for (const capture of piece) yield cdxjLine({ ...capture, filename: capture.volume })
      last = piece[piece.length - 1].id
      await turn()
    }
  }
  await mergeIndex(disk, folder, lines())
  const size = disk.size(path) ?? 0
  await database.transact((tx) => sqliteTx(tx).run('UPDATE cdxj_upto SET capture = ?, size = ?', last, size))
}
