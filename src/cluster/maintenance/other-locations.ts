/**
 * Volumes outside the archive folder: in another folder or a store. Only volumes in this collection's table are judged,
 * and only its own or those of workers silent for very long. A folder or bucket may hold volumes of other collections;
 * they are counted and left alone.
 */
import type { Instant } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import { knownEnd } from '../../collection/captures/read-captures.ts'
import type { Database, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { type Findings, MAX_OF_A_KIND, type Orphan, type OtherLocation } from './orphan.ts'
import { onlyCopies } from './orphan-volumes.ts'

export interface Owners {
  /** The name under which this folder's coordinator records its own volumes. */
  own: string
  silentSince: Instant
}

interface Row {
  name: string
  worker: string
  /** When its worker was last seen; null: an unknown worker. */
  seenAt: Instant | null
}

const READ_NODES = `SELECT DISTINCT node FROM volume_location WHERE node LIKE 'dir:%' OR node LIKE 's3:%' ORDER BY node`
const READ_ROWS = `SELECT p.name, p.worker, w.seen_at AS "seenAt" FROM volume_location p LEFT JOIN worker w ON w.id = p.worker
  WHERE p.node = ? AND p.name > ? ORDER BY p.name LIMIT ?`
const FORGET = 'DELETE FROM volume_location WHERE name = ? AND node = ?'
const COUNT_INBOX = 'SELECT count(*) AS n FROM inbox'
const PIECE = 1000

/** The locations in the table, except servers. */
export async function locationNodes(database: Database): Promise<string[]> {
  const rows = await database.read((tx) => queries(tx).all<{ node: string }>(READ_NODES))
  return rows.map(({ node }) => node)
}

export async function orphansAt(
  database: Database,
  disk: Disk,
  location: OtherLocation,
  owners: Owners,
): Promise<Findings> {
  let there: ReadonlyMap<string, number>
  try {
    there = await location.list()
  } catch (error) {
    return { orphans: [], notes: [`${location.node} was not checked: ${messageOf(error)}`] }
  }
  const found: Findings = { orphans: [], notes: [] }
  const waiting = await database.read(async (tx) => (await queries(tx).get<{ n: number }>(COUNT_INBOX))!.n)
  let known = 0
  for await (const row of rowsAt(database, location.node)) {
    const bytes = there.get(row.name)
    if (bytes !== undefined) known++
    if (found.orphans.length >= MAX_OF_A_KIND || !isJudged(row, owners)) continue
    const isNamed = (await database.read((tx) => knownEnd(tx, row.name))) > 0
    if (isNamed && bytes === undefined && row.worker === owners.own)
      found.notes.push(`${row.name} is missing in ${location.node}, though captures are in it`)
    // A report may still arrive.
    if (isNamed || waiting > 0) continue
    const stays = bytes === undefined ? undefined : await whyNeeded(database, disk, location, row.name)
    if (stays === undefined) found.orphans.push(orphanOf(database, location, row.name, bytes))
    else found.notes.push(`${row.name} in ${location.node} stays: no capture names it, but ${stays}`)
  }
  const unknown = there.size - known
  if (unknown > 0)
    found.notes.push(
      `${unknown} volumes in ${location.node} are not in this collection's table and stay: they belong to another collection, or a killed worker began them`,
    )
  return found
}

async function* rowsAt(database: Database, node: string): AsyncGenerator<Row> {
  for (let last = ''; ; ) {
    const piece = await database.read((tx) => queries(tx).all<Row>(READ_ROWS, node, last, PIECE))
    yield* piece
    if (piece.length < PIECE) return
    last = piece[piece.length - 1].name
  }
}

/** An unknown worker may still come back: it may belong to another server's crawl. */
function isJudged({ worker, seenAt }: Row, { own, silentSince }: Owners): boolean {
  return worker === own || (seenAt !== null && seenAt < silentSince)
}

async function whyNeeded(
  database: Database,
  disk: Disk,
  location: OtherLocation,
  volume: string,
): Promise<string | undefined> {
  const opened = await location.open(volume).catch((error: unknown) => ({ why: messageOf(error) }))
  if ('why' in opened) return `it cannot be read (${opened.why})`
  using file = opened
  return (await onlyCopies(database, disk, [file.path])).size > 0 ? 'revisits reference payloads in it' : undefined
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function orphanOf(database: Database, location: OtherLocation, volume: string, bytes: number | undefined): Orphan {
  const forget = (tx: Tx) => queries(tx).run(FORGET, volume, location.node)
  const isThere = bytes !== undefined
  return {
    kind: isThere ? 'volume' : 'location',
    name: `${volume} in ${location.node}`,
    why: `no capture is in it, and no report about it can arrive any more${isThere ? '' : '; it does not exist'}`,
    bytes: bytes ?? 0,
    async remove() {
      if ((await database.read((tx) => knownEnd(tx, volume))) > 0) return false
      // Remove the volume first: a row without a volume is found next time; a volume without a row has no known owner.
      if (isThere) await location.remove(volume)
      await database.transact(forget)
      return true
    },
  }
}
