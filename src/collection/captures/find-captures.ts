/** Finds captures: by payload, or all of them. */
import { type Instant, turn } from '../../base/clock.ts'
import type { Capture } from '../../contracts/report.ts'
import { shardOf } from '../../database/bucket.ts'
import type { Database, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { parseUrl } from '../../web/url/web-url.ts'
import { siteAt, siteKeyOf } from '../row-id.ts'
import { capturesSince, type StoredCapture } from './read-captures.ts'

export interface LocatedCapture extends Capture {
  url: string
  at: Instant
  status: number
  mediaType: string
}

const COLUMNS = `c.url, c.at, c.status, c.media_type AS "mediaType", c.digest, c.kind, v.name AS volume, c."offset",
  c.length`
const SELECT = `SELECT ${COLUMNS} FROM capture c JOIN volume v ON v.id = c.volume`

/**
 * The capture to which a revisit refers. Found by digest, not by site: a robots.txt that another host answered is filed under the
 * site that asked. PostgreSQL indexes only the first response of a payload by digest, the others by site. When this finds none,
 * `responseWith` finds the same bytes.
 */
export async function responseAt(
  tx: Tx,
  digest: string,
  url: string,
  at: Instant,
): Promise<LocatedCapture | undefined> {
  const same = `c.digest = ? AND c.kind = 'response' AND c.url = ? AND c.at = ?`
  if (tx.dialect === 'sqlite')
    return queries(tx).get<LocatedCapture>(`${SELECT} WHERE ${same} LIMIT 1`, digest, url, at)
  const first = await responseWith(tx, digest)
  if (first?.url === url && first.at === at) return first
  const site = parseUrl(url)?.site
  if (site === undefined) return undefined
  const sql = `${SELECT} WHERE c.bucket = ? AND c.site = ? AND ${same} LIMIT 1`
  return queries(tx).get<LocatedCapture>(sql, ...siteAt(tx.dialect, siteKeyOf(site)), digest, url, at)
}

/** Any response that holds a payload. */
export function responseWith(tx: Tx, digest: string): Promise<LocatedCapture | undefined> {
  if (tx.dialect === 'sqlite') {
    const sql = `${SELECT} WHERE c.digest = ? AND c.kind = 'response' ORDER BY c.id LIMIT 1`
    return queries(tx).get<LocatedCapture>(sql, digest)
  }
  const sql = `SELECT ${COLUMNS} FROM payload p JOIN capture c ON c.bucket = p.bucket AND c.id = p.capture
    JOIN volume v ON v.id = c.volume WHERE p.shard = ? AND p.digest = ?`
  return queries(tx).get<LocatedCapture>(sql, shardOf(digest), digest)
}

const CAPTURES_AT_ONCE = 1000

/** Every capture, in short transactions, so that a crawl can write meanwhile. */
export async function* everyCapture(database: Database): AsyncGenerator<StoredCapture> {
  for (let last = 0; ; ) {
    const captures = await database.read((tx) => capturesSince(tx, last, CAPTURES_AT_ONCE))
    yield* captures
    const end = captures.at(-1)
    if (end === undefined) return
    last = end.id
    await turn()
  }
}
