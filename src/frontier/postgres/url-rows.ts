/** The URLs of a transaction. Their sites are locked: no other transaction changes or adds any. */

import { bySite, eachBucket, readAt, runBy } from '../../database/postgres/by-bucket.ts'
import { columnsOf, type PostgresTx } from '../../database/postgres/tx.ts'
import { columnTypes, selected } from '../../database/schema/columns.ts'
import { rowWriter, updating } from '../../database/write-rows.ts'
import { GONE, NOT_FOUND, WAITING } from '../rules/mark.ts'
import type { UrlAt, UrlRow, UrlRows, UrlText } from '../rules/url-rows.ts'

const TYPES = columnTypes('url')
const NAMES = [...TYPES.keys()] as (keyof UrlRow)[]

export const URL_COLUMNS = selected(TYPES, 'u')
export const READ_URLS = `
  SELECT ${URL_COLUMNS}, EXISTS (
    SELECT FROM url_spelling s WHERE s.bucket = $1 AND s.site = u.site AND s.key = u.key) AS spelt
  FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  JOIN url u ON u.bucket = $1 AND u.site = n.site AND u.key = n.key`
export const ADD_URLS = rowWriter<UrlRow>('url', NAMES).postgres
export const WRITE_URLS = updating('url', TYPES, 'site', 'key')
export const GIVE_UP_URLS = `
  UPDATE url SET mark = ${GONE} WHERE bucket = $1 AND site = ANY($2::bigint[]) AND mark = ${WAITING}`

/** Those that were not read before. Returns those that have other spellings. */
export async function readUrls(tx: PostgresTx, urls: UrlRows, wanted: Iterable<UrlAt>): Promise<UrlAt[]> {
  const found = await readAt<UrlRow & { spelt: boolean }>(tx, READ_URLS, urls.unread(wanted))
  return found.flatMap(({ spelt, ...row }) => {
    urls.keep(row)
    return spelt ? [row] : []
  })
}

export function writeUrls(tx: PostgresTx, urls: UrlRows): Promise<unknown>[] {
  const { added, changed, givenUp } = urls.take()
  const write = (sql: string, all: readonly UrlRow[]) =>
    eachBucket(all, bySite, (bucket, rows) => tx.run(sql, bucket, ...columnsOf(rows, ...NAMES)))
  return [write(ADD_URLS, added), write(WRITE_URLS, changed), runBy(tx, GIVE_UP_URLS, givenUp)]
}

export const READ_MISSING = `
  SELECT u.site, u.key FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  JOIN url u ON u.bucket = $1 AND u.site = n.site AND u.key = n.key WHERE u.mark = ${NOT_FOUND}`

/** Those that the server said are not there, with the changes of this transaction. */
export async function readMissing(
  tx: PostgresTx,
  urls: UrlRows,
  pages: readonly UrlAt[],
): Promise<(page: UrlAt) => boolean> {
  const unread = pages.filter((at) => !urls.isRead(at))
  const missing = new Set((await readAt<UrlAt>(tx, READ_MISSING, unread)).map(nameOf))
  return (at) => (urls.isRead(at) ? urls.get(at.site, at.key)?.mark === NOT_FOUND : missing.has(nameOf(at)))
}

/** Of rows that are looked for by both. */
export function nameOf({ site, key }: UrlAt): string {
  return `${site} ${key}`
}

export const READ_URL_TEXTS = `
  SELECT u.site, u.key, u.url FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  JOIN url u ON u.bucket = $1 AND u.site = n.site AND u.key = n.key`

/** The texts of the pages on which URLs were found, wherever they are. */
export async function readVias(
  tx: PostgresTx,
  rows: readonly UrlText[],
): Promise<(row: UrlText) => string | undefined> {
  const pages = new Map<string, UrlAt>()
  for (const { via_site: site, via_key: key } of rows)
    if (site !== null && key !== null) pages.set(nameOf({ site, key }), { site, key })
  const found = await readAt<UrlAt & { url: string }>(tx, READ_URL_TEXTS, pages.values())
  const texts = new Map(found.map((row) => [nameOf(row), row.url]))
  return ({ via_site, via_key }) =>
    via_site === null || via_key === null ? undefined : texts.get(nameOf({ site: via_site, key: via_key }))
}
