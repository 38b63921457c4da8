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
import type { Database } from '../../database/database.ts'
import { columnsOf, type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { NO_PAYLOAD } from '../captures/digest-filter.ts'
import { IS_WHOLE } from '../captures/read-captures.ts'

const COLUMNS =
  'p.site, p.key, p.path, p.outcome, p.digest, p.text_digest, p.simhash, p.etag, p.last_modified, p.looks, p.at, s.sketch'
const WAS_THERE = `(p.text_digest IS NOT NULL OR p.outcome IN ('moved', 'read'))`
// A 304 is replayed with the head of the capture it refers to, which must not be that of an error page with the same bytes.
const SQLITE_KNOWN = `SELECT ${COLUMNS}, c.url AS captured_url, c.at AS captured_at FROM page p
  LEFT JOIN page_sketch s ON s.page = p.id
  LEFT JOIN capture c ON c.id = (SELECT c.id FROM capture c WHERE c.digest = p.digest AND c.kind = 'response' AND ${IS_WHOLE} ORDER BY c.id LIMIT 1)
  WHERE p.site = ? AND p.key = ? AND ${WAS_THERE}
    AND NOT EXISTS (SELECT 1 FROM recheck r WHERE r.site = p.site AND r.key = p.key AND r.comparison IS NULL)`
export const READ_LOOKED_AT = `
  SELECT ${COLUMNS} FROM unnest($2::bigint[], $3::bigint[]) AS wanted(site, key)
  JOIN page p ON p.bucket = $1 AND p.site = wanted.site AND p.key = wanted.key
  LEFT JOIN page_sketch s ON s.bucket = $1 AND s.page = p.id
  WHERE ${WAS_THERE} AND NOT EXISTS
    (SELECT 1 FROM recheck r WHERE r.bucket = $1 AND r.site = wanted.site AND r.key = wanted.key AND r.comparison IS NULL)`
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
  const fill = database.dialect === 'postgres' ? fillOnPostgres : fillOnSqlite
  const piece = PIECE[database.dialect]
  for (let from = 0; from < wanted.length; from += piece) {
    if (from > 0) await turn()
    await fill(database, wanted.slice(from, from + piece))
  }
}

function fillOnSqlite(database: Database, wanted: readonly Wanted[]): Promise<void> {
  return database.read((tx) => {
    const db = sqliteTx(tx)
    for (const { item, site, key } of wanted) {
      type Found = Row & { captured_url: string | null; captured_at: bigint | null }
      const row = db.getExact<Found>(SQLITE_KNOWN, site, key)
      if (row === undefined) continue
      const { captured_url: url, captured_at: at } = row
      item.before = knownPage(row, url === null ? undefined : { url, at: Number(at) })
    }
  })
}

function fillOnPostgres(database: Database, wanted: readonly Wanted[]): Promise<void> {
  return database.read(async (tx) => {
    const db = postgresTx(tx)
    const buckets = [...Map.groupBy(wanted, ({ site }) => bucketOf('postgres', site))]
    const rows = await Promise.all(
      buckets.map(([bucket, some]) => db.allExact<Row>(READ_LOOKED_AT, bucket, ...columnsOf(some, 'site', 'key'))),
    )
    const found = new Map(rows.flat().map((row) => [`${row.site} ${row.key}`, row]))
    if (found.size === 0) return
    const copies = await copiesOf(
      db,
      [...found.values()].map(({ digest }) => digest),
    )
    for (const { item, site, key } of wanted) {
      const row = found.get(`${site} ${key}`)
      if (row !== undefined) item.before = knownPage(row, copies.get(row.digest))
    }
  })
}

/** The first response of each payload, by digest. Two steps, because the two rows may be on two machines. */
async function copiesOf(db: PostgresTx, digests: readonly (string | null)[]): Promise<Map<string | null, StoredCopy>> {
  const shards = [...new Set(digests)].flatMap((digest) =>
    digest === null || digest === NO_PAYLOAD ? [] : [{ shard: shardOf(digest), digest }],
  )
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
  return new Map(
    payloads.flatMap(({ digest, capture }) => {
      const copy = byId.get(capture)
      return copy === undefined ? [] : [[digest, copy]]
    }),
  )
}

function knownPage(row: Row, captured: StoredCopy | undefined): KnownPage {
  const { path, outcome, digest, text_digest: text, simhash, etag, last_modified: lastModified } = row
  // Only what is read as a sitemap has no text.
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
