/**
 * Volumes in the archive folder in which the catalogue names nothing. A report may still be on its way: as long as anything lies
 * in the inbox no volume is judged, and one that a worker sent is nobody's only when that worker was silent for very long.
 */
import { join } from 'node:path'
import type { Instant } from '../base/clock.ts'
import { knownEnd } from '../collection/captures/read-captures.ts'
import { isOpenVolume, isVolume, OPEN } from '../collection/volumes/volume-name.ts'
import type { Database, Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'
import { onlyCopies } from './only-copies.ts'
import { type Findings, MOST_OF_A_KIND, type OwnFolder } from './orphan.ts'

const COUNT_INBOX = 'SELECT count(*) AS n FROM inbox'
/** Who sent it, wherever it lies, and when he was seen last; null: nobody knows him any more. */
const READ_OWNERS = `SELECT p.worker, w.seen_at AS "seenAt" FROM volume_place p LEFT JOIN worker w ON w.id = p.worker
  WHERE p.name = ?`
const FORGET_PLACE = 'DELETE FROM volume_place WHERE name = ? AND node = ?'

export async function orphanVolumes(
  database: Database,
  { disk, folder, node }: OwnFolder,
  silentSince: Instant,
): Promise<Findings> {
  const archive = join(folder, 'archive')
  const files = disk.list(archive).filter((file) => isVolume(file) || isOpenVolume(file))
  const waiting = await database.read(async (tx) => (await queries(tx).get<{ n: number }>(COUNT_INBOX))!.n)
  if (waiting > 0 && files.length > 0)
    return {
      orphans: [],
      notes: [`volumes were not looked at: ${waiting} parts in the inbox may name what is in them`],
    }
  const unnamed: string[] = []
  for (const file of files) {
    if (unnamed.length >= MOST_OF_A_KIND) break
    if (await database.read((tx) => isUnnamed(tx, nameOf(file), silentSince))) unnamed.push(file)
  }
  const needed = await onlyCopies(
    database,
    disk,
    unnamed.map((file) => join(archive, file)),
  )
  const notes = [...needed].map((path) => `${path} stays: no capture names it, but revisits refer to payloads in it`)
  const orphans = unnamed
    .filter((file) => !needed.has(join(archive, file)))
    .map((file) => ({
      kind: 'volume' as const,
      name: file,
      why: 'no capture names anything in it, and no report of it can come any more',
      bytes: disk.size(join(archive, file)) ?? 0,
      async remove() {
        if (!(await database.read((tx) => isUnnamed(tx, nameOf(file), silentSince)))) return false
        disk.remove(join(archive, file))
        // Durable before the table forgets it: a row without a file is found next time, a file without a row is anybody's.
        await disk.syncFolder(archive)
        if (node !== undefined) await database.transact((tx) => queries(tx).run(FORGET_PLACE, nameOf(file), node))
        return true
      },
    }))
  return { orphans, notes }
}

async function isUnnamed(tx: Tx, name: string, silentSince: Instant): Promise<boolean> {
  if ((await knownEnd(tx, name)) > 0) return false
  const owners = await queries(tx).all<{ worker: string; seenAt: Instant | null }>(READ_OWNERS, name)
  return owners.every(({ seenAt }) => seenAt === null || seenAt < silentSince)
}

const nameOf = (file: string): string => (isOpenVolume(file) ? file.slice(0, -OPEN.length) : file)
