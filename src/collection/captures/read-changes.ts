/**
 * What changed, in the order in which the catalogue learnt of it: a position says what was read already, so that nothing is
 * missed and nothing comes twice, also while a crawl writes.
 *
 * The ids of a bucket's captures grow as they are applied, and one transaction at a time applies those of a bucket. So a position
 * is the last id of each bucket: one number on SQLite, 256 on PostgreSQL.
 */
import { ByteReader, ByteWriter } from '../../base/bytes.ts'
import type { Instant } from '../../base/clock.ts'
import type { ChangeClass } from '../../contracts/change.ts'
import { bucketsOf } from '../../database/bucket.ts'
import type { Database, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { firstIdOf, numberOfId } from '../row-id.ts'
import { isGoodCapture } from './read-captures.ts'

export interface PageChange {
  /** Of the capture that shows it. */
  id: number
  url: string
  at: Instant
  /** `back`: missing, gone or moved before, and as it was before that. */
  change: 'new' | 'changed' | 'back' | 'moved' | 'missing' | 'gone'
  status: number
  mediaType: string
  digest: string
  /** Of the last capture that had the page; null if there is none. */
  digestBefore: string | null
  /** How much of it changed and where, if that is known. */
  class: ChangeClass | null
  place: string | null
}

/** Captures that say what the page is now: it, a redirect, or that it is not there. Others are failures. */
const settled = (c: string) =>
  `(${isGoodCapture(c)} OR ${c}.status BETWEEN 300 AND 399 AND ${c}.status <> 304 OR ${c}.status IN (404, 410))`
const earlier = (b: string, which: string, what: string) => `
  (SELECT ${what} FROM capture ${b} WHERE ${b}.bucket = c.bucket AND ${b}.site = c.site AND ${b}.key = c.key
     AND (${b}.at, ${b}.id) < (c.at, c.id) AND ${which} ORDER BY ${b}.at DESC, ${b}.id DESC LIMIT 1)`

/** Each capture with the status of the one before and the digest of the last one that had the page: two index look-ups. */
export const READ_CHANGES = `
  SELECT c.id, c.url, c.at, c.status, c.media_type AS "mediaType", c.digest, c.change AS class, c.place,
    ${earlier('b', settled('b'), 'b.status')} AS "statusBefore",
    ${earlier('g', isGoodCapture('g'), 'g.digest')} AS "digestBefore"
  FROM capture c WHERE c.bucket = ?1 AND c.id > ?2 AND c.at >= ?3 AND ${settled('c')} ORDER BY c.id LIMIT ?4`

type Row = Omit<PageChange, 'change'> & { statusBefore: number | null }

const PIECE = 500

export type ChangeReader = ReturnType<typeof changeReader>

/** `since`: captures before that are skipped. */
export function changeReader(database: Database, from: ReadonlyMap<number, number>, since: Instant = 0) {
  /** By bucket, the last id that was read. */
  const position = new Map(from)
  let isAtEnd = false
  /** What `positionOf` reads. */
  const cursor = (): string => {
    const numbers = [...position.values()].map(numberOfId)
    return database.dialect === 'sqlite' ? `s${numbers[0]}` : `p${packed(numbers)}`
  }
  const piece = async (tx: Tx, bucket: number) => {
    const end = await endOf(tx, bucket)
    return { rows: await queries(tx).all<Row>(READ_CHANGES, bucket, position.get(bucket)!, since, PIECE), end }
  }
  return {
    cursor,
    get isAtEnd() {
      return isAtEnd
    },
    /**
     * What came since the last call; nothing when there is nothing new. Each with the position after it. `atMost`: captures that are
     * read, about; `isAtEnd` says whether there are others.
     */
    async *read(
      atMost = Number.POSITIVE_INFINITY,
    ): AsyncGenerator<{ change: PageChange; cursor: string }, void, undefined> {
      isAtEnd = false
      let left = atMost
      for (const [bucket, grown] of await lastPosition(database)) {
        while (position.get(bucket)! < grown) {
          if (left <= 0) return
          const { rows, end } = await database.read((tx) => piece(tx, bucket))
          for (const row of rows) {
            position.set(bucket, row.id)
            const change = changeOf(row)
            if (change !== undefined) yield { change, cursor: cursor() }
          }
          left -= rows.length
          if (rows.length < PIECE) position.set(bucket, end)
        }
      }
      isAtEnd = true
    },
  }
}

/** The position before all captures. */
export function firstPosition(database: Database): Map<number, number> {
  return new Map(bucketsOf(database.dialect).map((bucket) => [bucket, firstIdOf(bucket)]))
}

/** The position after all present captures. */
export function lastPosition(database: Database): Promise<Map<number, number>> {
  return database.read(async (tx) => {
    if (tx.dialect === 'sqlite') return new Map([[0, await endOf(tx, 0)]])
    const ends = await queries(tx).all<{ bucket: number; last: number }>(READ_ENDS)
    return new Map(ends.map(({ bucket, last }) => [bucket, last]))
  })
}

/** Undefined: the cursor is not of this collection. */
export async function positionOf(database: Database, cursor: string): Promise<Map<number, number> | undefined> {
  const isMine = cursor.startsWith(database.dialect === 'sqlite' ? 's' : 'p')
  const numbers = !isMine ? undefined : cursor.startsWith('s') ? [Number(cursor.slice(1))] : unpacked(cursor.slice(1))
  const ends = await lastPosition(database)
  if (numbers?.length !== ends.size) return undefined
  const position = new Map([...ends.keys()].map((bucket, i) => [bucket, firstIdOf(bucket) + numbers[i]]))
  return [...ends].every(([bucket, end]) => position.get(bucket)! <= end) ? position : undefined
}

/** No capture of the bucket has a larger id now, nor had one that was removed. */
export const READ_END = 'SELECT last FROM catalogue_row WHERE bucket = ?'
const READ_ENDS = 'SELECT bucket, last FROM catalogue_row ORDER BY bucket'
const SQLITE_END = `SELECT seq AS last FROM sqlite_sequence WHERE name = 'capture'`

async function endOf(tx: Tx, bucket: number): Promise<number> {
  const db = queries(tx)
  const row =
    tx.dialect === 'sqlite' ? db.get<{ last: number }>(SQLITE_END) : db.get<{ last: number }>(READ_END, bucket)
  return (await row)?.last ?? firstIdOf(bucket)
}

function changeOf({ statusBefore, ...row }: Row): PageChange | undefined {
  const change = whatChanged(row, statusBefore)
  // The crawler's own requests are not pages.
  return change === undefined || row.url.endsWith('/robots.txt') ? undefined : { ...row, change }
}

function whatChanged(
  { status, digest, digestBefore }: Omit<Row, 'statusBefore'>,
  before: number | null,
): PageChange['change'] | undefined {
  const [now, then] = [stateOf(status), before === null ? undefined : stateOf(before)]
  if (now === 'page') {
    if (digestBefore === null) return 'new'
    if (digestBefore !== digest) return 'changed'
    return then === 'page' ? undefined : 'back'
  }
  // A URL that never was a page is no loss.
  return digestBefore === null || now === then ? undefined : now
}

function stateOf(status: number): 'page' | 'moved' | 'missing' | 'gone' {
  if (status === 404) return 'missing'
  if (status === 410) return 'gone'
  return status >= 300 && status !== 304 ? 'moved' : 'page'
}

function packed(numbers: readonly number[]): string {
  const bytes = new ByteWriter()
  for (const number of numbers) bytes.count(number)
  return Buffer.from(bytes.bytes()).toString('base64url')
}

/** Undefined: it is no cursor. */
function unpacked(text: string): number[] | undefined {
  const bytes = new ByteReader(Buffer.from(text, 'base64url'))
  const numbers: number[] = []
  try {
    while (!bytes.atEnd) numbers.push(bytes.count())
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
  return numbers
}
