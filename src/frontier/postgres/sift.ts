/**
 * The links that matter. Most cross-site links are known: that is asked without a lock, and what turns out to be news is read
 * again when its site is locked.
 */
import { signed64, unsigned64 } from '../../base/digest.ts'
import type { Link } from '../../contracts/report.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import type { Replaced } from '../aliases.ts'
import { isNewer, lastmodOf } from '../rules/mark.ts'
import type { Sifted, SiteLinks } from '../rules/rows.ts'
import { sitesOf } from '../rules/site.ts'
import { isNewText } from '../rules/spellings.ts'
import type { SpellingRow, UrlAt } from '../rules/url-rows.ts'
import { bySite, column, eachBucket } from './by-bucket.ts'
import { READ_SPELLINGS } from './spelling-rows.ts'
import type { FrontierTools } from './tools.ts'
import { unendorsedAmong } from './unendorsed-rows.ts'

export async function sift(
  { tx, tools }: { tx: PostgresTx; tools: FrontierTools },
  all: readonly SiteLinks[],
  replaced: readonly Replaced[],
  asSeeds: boolean,
  changing: ReadonlySet<bigint>,
): Promise<Sifted> {
  const { texts, urls } = tools
  const isKnown = (link: Link) => texts.has(link.key, link.url)
  const doubtful = all.filter((site) => !isTrusted(tools, site))
  // In this order: where a link is known, its site is unendorsed by then, or never will be.
  const [{ news, known }, elsewhere, { unendorsed, concerned }] = await Promise.all([
    readNews(tx, all, isKnown, urls),
    readNews(tx, sitesOf(replaced.map(({ link }) => link)), isKnown, urls),
    unendorsedAmong({ tx, tools }, doubtful),
  ])
  // Only rows that this transaction has not written itself: they stay, even if it is rolled back.
  if (!tools.writers.has(tx)) {
    for (const link of known) texts.note(link.key, link.url)
    for (const { key, name, members } of doubtful)
      if (!unendorsed.has(key) && members.some(isKnown)) tools.trusted.note(unsigned64(key), name)
  }
  const groups = all.map((site) =>
    // Whether they matter depends on what becomes of their rows: their site is locked anyway.
    changing.has(site.key) ? site : { ...site, news: site.members.filter((link) => news.has(link)) },
  )
  return {
    groups: groups.filter(({ key, news }) => asSeeds || news?.length !== 0 || concerned.has(key)),
    replaced: replaced.filter(({ link }) => elsewhere.news.has(link)),
  }
}

export function isTrusted(tools: FrontierTools, { key, name }: Pick<SiteLinks, 'key' | 'name'>): boolean {
  return tools.trusted.has(unsigned64(key), name)
}

export const READ_TEXTS = `
  SELECT u.site, u.key, u.url, u.mark::float8 AS mark, u.lastmod::float8 AS lastmod
  FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  JOIN url u ON u.bucket = $1 AND u.site = n.site AND u.key = n.key`

interface TextRow extends UrlAt {
  url: string
  mark: number
  lastmod: number | null
}

/** Links with the key of their site. */
interface Placed {
  readonly key: bigint
  readonly members: readonly Link[]
}

/**
 * Of links into sites that are not locked, those that may change something: unknown, known under another text, or with a
 * newer `lastmod`. The others, most cross-site links, lock nothing. `known`: links whose text is in the table.
 */
async function readNews(
  tx: PostgresTx,
  groups: readonly Placed[],
  isKnown: (link: Link) => boolean,
  urls: UrlReader,
): Promise<{ news: Set<Link>; known: Link[] }> {
  const bySiteAndKey = new Map<bigint, Map<bigint, Link[]>>()
  for (const { key: site, members } of groups)
    for (const link of members) {
      if (link.lastmod === undefined && isKnown(link)) continue
      const links = bySiteAndKey.get(site) ?? new Map<bigint, Link[]>()
      bySiteAndKey.set(site, links)
      const key = signed64(link.key)
      links.set(key, [...(links.get(key) ?? []), link])
    }
  const asked = [...bySiteAndKey].flatMap(([site, links]) => [...links.keys()].map((key): UrlAt => ({ site, key })))
  const news = new Set([...bySiteAndKey.values()].flatMap((links) => [...links.values()].flat()))
  const known: Link[] = []
  await eachBucket(asked, bySite, async (bucket, some) => {
    const rows = await tx.allExact<TextRow>(READ_TEXTS, bucket, column(some, 'site'), column(some, 'key'))
    const indexes: { row: TextRow; link: Link }[] = []
    for (const row of rows)
      for (const link of bySiteAndKey.get(row.site)?.get(row.key) ?? []) {
        if (row.url === link.url) known.push(link)
        const lastmod = lastmodOf(link)
        if (isNewText(row, link.url)) continue
        if (urls.areTwoIndexes(row.url, link.url)) indexes.push({ row, link })
        else if (lastmod === null || !isNewer(lastmod, row.lastmod)) news.delete(link)
      }
    for (const link of await indexesKnown(tx, bucket, indexes)) news.delete(link)
  })
  return { news, known }
}

/** Links that name a folder's index as an earlier one did, which is kept beside the folder's own text. */
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
