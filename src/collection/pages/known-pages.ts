/**
 * What a look is compared with (W9): of each URL on an agenda that brought something before, the validators, digests and the
 * capture that has its payload. New URLs have no such row. A page that another worker is to fetch again (`recheck`) is
 * fetched as if it were new, or the two could not be compared.
 */
import { turn } from '../../base/clock.ts'
import { signed64, unsigned64 } from '../../base/digest.ts'
import type { StoredCopy } from '../../contracts/ports.ts'
import { type AgendaItem, type KnownPage, siteKeyOf, type Visit } from '../../contracts/visit.ts'
import { bucketOf, shardOf } from '../../database/bucket.ts'
import type { Database, Tx } from '../../database/database.ts'
import { columnsOf, postgresTx } from '../../database/postgres/tx.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { NO_PAYLOAD } from '../captures/digest-filter.ts'
import { IS_WHOLE } from '../captures/read-captures.ts'
import { readByKeys, selectByKeys } from './read-pages.ts'

export const READ_LOOKED_AT = selectByKeys(
  'p.site, p.key, p.path, p.outcome, p.digest, p.text_digest, p.simhash, p.etag, p.last_modified, p.looks, p.at, s.sketch',
  'LEFT JOIN page_sketch s ON s.bucket = p.bucket AND s.page = p.id',
  `AND (p.text_digest IS NOT NULL OR p.outcome IN ('moved', 'read')) AND NOT EXISTS
    (SELECT 1 FROM recheck r WHERE r.bucket = p.bucket AND r.site = p.site AND r.key = p.key AND r.comparison IS NULL)`,
)
// A 304 is replayed with the head of the capture it refers to, which must not be that of an error page with the same bytes.
const SQLITE_CAPTURED = `
  SELECT c.url, c.at FROM capture c WHERE c.digest = ? AND c.kind = 'response' AND ${IS_WHOLE} ORDER BY c.id LIMIT 1`
export const READ_PAYLOADS_OF = `
  SELECT p.digest, p.bucket, p.capture FROM unnest($1::smallint[], $2::text[]) AS wanted(shard, digest)
  JOIN payload p ON p.shard = wanted.shard AND p.digest = wanted.digest`
export const READ_CAPTURED = `
  SELECT c.id, c.url, c.at FROM unnest($2::bigint[]) AS wanted(id) JOIN capture c ON c.bucket = $1 AND c.id = wanted.id AND ${IS_WHOLE}`

interface Row {
  site: bigint
  key: bigint
  path: string
  outcome: string
  digest: string | null
  text_digest: bigint | null
  simhash: bigint | null
  etag: string | null
  last_modified: string | null
  looks: bigint
  at: bigint
  sketch: Uint8Array | null
}

interface Wanted {
  item: AgendaItem
  site: bigint
  key: bigint
}

/** Items read at once: 5 ms on SQLite, where others wait meanwhile; 80 ms on PostgreSQL. */
const PIECE = { sqlite: 200, postgres: 2000 } as const

/** Fills `before` of the items of some visits. */
export async function fillBefore(database: Database, visits: readonly Visit[]): Promise<void> {
  const wanted = visits.flatMap(({ site: name, agenda }) => {
    const site = siteKeyOf(name)
    return agenda.map((item) => ({ item, site, key: signed64(item.key) }))
  })
  const piece = PIECE[database.dialect]
  for (let from = 0; from < wanted.length; from += piece) {
    if (from > 0) await turn()
    await database.read((tx) => fill(tx, wanted.slice(from, from + piece)))
  }
}

async function fill(tx: Tx, wanted: readonly Wanted[]): Promise<void> {
  const buckets = [...Map.groupBy(wanted, ({ site }) => bucketOf(tx.dialect, site))]
  const rows = await Promise.all(buckets.map(([bucket, some]) => readByKeys<Row>(tx, READ_LOOKED_AT, bucket, some)))
  const found = new Map(rows.flat().map((row) => [`${row.site} ${row.key}`, row]))
  if (found.size === 0) return
  const digests = new Set([...found.values()].flatMap(({ digest }) => digest ?? []))
  digests.delete(NO_PAYLOAD)
  const copies = await copiesOf(tx, digests)
  for (const { item, site, key } of wanted) {
    const row = found.get(`${site} ${key}`)
    if (row !== undefined) item.before = knownPage(row, copies.get(row.digest ?? ''))
  }
}

/** The first response of each payload, by digest. On PostgreSQL in two steps, because the two rows may be on two machines. */
async function copiesOf(tx: Tx, digests: ReadonlySet<string>): Promise<Map<string, StoredCopy | undefined>> {
  if (tx.dialect === 'sqlite')
    return new Map([...digests].map((digest) => [digest, sqliteTx(tx).get<StoredCopy>(SQLITE_CAPTURED, digest)]))
  const db = postgresTx(tx)
  const shards = [...digests].map((digest) => ({ shard: shardOf(digest), digest }))
  const payloads = await db.all<{ digest: string; bucket: number; capture: number }>(
    READ_PAYLOADS_OF,
    ...columnsOf(shards, 'shard', 'digest'),
  )
  const buckets = [...Map.groupBy(payloads, ({ bucket }) => bucket)]
  const captures = await Promise.all(
    buckets.map(([bucket, some]) =>
      db.all<StoredCopy & { id: number }>(
        READ_CAPTURED,
        bucket,
        some.map(({ capture }) => capture),
      ),
    ),
  )
  const byId = new Map(captures.flat().map(({ id, url, at }) => [id, { url, at }]))
  return new Map(payloads.map(({ digest, capture }) => [digest, byId.get(capture)]))
}

function knownPage(row: Row, captured: StoredCopy | undefined): KnownPage {
  const { path, outcome, digest, text_digest: text, simhash, etag, last_modified: lastModified } = row
  // Only sitemaps have no text.
  const was = text === null ? 'moved' : text === 0n && path.endsWith('M') ? 'read' : 'kept'
  return {
    was,
    digest: digest ?? NO_PAYLOAD,
    textDigest: unsigned64(text ?? 0n),
    simhash: unsigned64(simhash ?? 0n),
    looks: Number(row.looks),
    lookedAt: Number(row.at),
    ...(row.sketch !== null && { sketch: row.sketch }),
    ...(etag !== null && { etag }),
    ...(lastModified !== null && { lastModified }),
    // Nothing refers to a record without a payload. A page that was a redirect in between is read again: its links were replaced.
    ...(outcome !== 'moved' && captured !== undefined && digest !== NO_PAYLOAD && { captured }),
  }
}
