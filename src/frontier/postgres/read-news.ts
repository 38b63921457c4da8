import { signed64 } from '../../base/digest.ts'
import type { Link } from '../../contracts/report.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { lastmodOf } from '../lastmod.ts'
import { isNewText } from '../spellings.ts'
import { byBucket, column, eachBucket } from './by-bucket.ts'
import { isNewer } from './enqueue.ts'
import { READ_SPELLINGS, type SpellingRow } from './spelling-rows.ts'
import type { UrlPlace } from './url-rows.ts'

export const READ_TEXTS = `
  SELECT u.site, u.key, u.url, u.mark::float8 AS mark, u.lastmod::float8 AS lastmod
  FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  JOIN url u ON u.bucket = $1 AND u.site = n.site AND u.key = n.key`

interface TextRow extends UrlPlace {
  url: string
  mark: number
  lastmod: number | null
}

/** Links with the key of their site. */
export interface Placed {
  readonly key: bigint
  readonly members: readonly Link[]
}

/**
 * Of links into sites that are not locked, those that may change something: unknown, known under another text, with a newer
 * `lastmod`. The others, most links abroad, lock nothing. Says which texts are in the table as they are offered.
 */
export async function readNews(
  tx: PostgresTx,
  groups: readonly Placed[],
  isKnown: (link: Link) => boolean,
  urls: UrlReader,
): Promise<{ news: Set<Link>; known: Link[] }> {
  const places = new Map<bigint, Map<bigint, Link[]>>()
  for (const { key: site, members } of groups)
    for (const link of members) {
      if (link.lastmod === undefined && isKnown(link)) continue
      const links = places.get(site) ?? new Map<bigint, Link[]>()
      places.set(site, links)
      const key = signed64(link.key)
      links.set(key, [...(links.get(key) ?? []), link])
    }
  const asked = [...places].flatMap(([site, links]) => [...links.keys()].map((key): UrlPlace => ({ site, key })))
  const news = new Set([...places.values()].flatMap((links) => [...links.values()].flat()))
  const known: Link[] = []
  await eachBucket(
    byBucket(asked, ({ site }) => site),
    async (bucket, some) => {
      const rows = await tx.allExact<TextRow>(READ_TEXTS, bucket, column(some, 'site'), column(some, 'key'))
      const indexes: { row: TextRow; link: Link }[] = []
      for (const row of rows)
        for (const link of places.get(row.site)?.get(row.key) ?? []) {
          if (row.url === link.url) known.push(link)
          const lastmod = lastmodOf(link)
          if (isNewText(row, link.url)) continue
          if (urls.areTwoIndexes(row.url, link.url)) indexes.push({ row, link })
          else if (lastmod === null || !isNewer(lastmod, row.lastmod)) news.delete(link)
        }
      for (const link of await indexesKnown(tx, bucket, indexes)) news.delete(link)
    },
  )
  return { news, known }
}

/** Links that name a folder's index as one before them did: that is kept beside the folder's own text. */
async function indexesKnown(
  tx: PostgresTx,
  bucket: number,
  pairs: readonly { row: TextRow; link: Link }[],
): Promise<Link[]> {
  if (pairs.length === 0) return []
  const rows = pairs.map(({ row }) => row)
  const texts = await tx.allExact<SpellingRow>(READ_SPELLINGS, bucket, column(rows, 'site'), column(rows, 'key'))
  const isKept = ({ row, link }: { row: TextRow; link: Link }) =>
    link.lastmod === undefined &&
    texts.some(({ site, key, url }) => site === row.site && key === row.key && url === link.url)
  return pairs.filter(isKept).map(({ link }) => link)
}
