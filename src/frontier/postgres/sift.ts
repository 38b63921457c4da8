/**
 * The links that matter. Most cross-site links are known: that is asked without a lock, and what turns out to be news is read
 * again when its site is locked.
 */
import { signed64, unsigned64 } from '../../base/digest.ts'
import type { Link } from '../../contracts/report.ts'
import { beginInTurns, byBucket, bySite } from '../../database/postgres/by-bucket.ts'
import { columnsOf, type PostgresTx } from '../../database/postgres/tx.ts'
import type { Replaced } from '../aliases.ts'
import { hasNewReferrer } from '../rules/domains.ts'
import { isNewer, lastmodOf } from '../rules/mark.ts'
import type { Sifted, SiteLinks } from '../rules/rows.ts'
import { sitesOf } from '../rules/site.ts'
import { isNewText } from '../rules/spellings.ts'
import { type SpellingRow, URL_SPELLING, type UrlAt } from '../rules/url-rows.ts'
import type { FrontierTools } from './tools.ts'

interface Sifting {
  readonly tx: PostgresTx
  readonly tools: FrontierTools
  breathe(): Promise<void> | undefined
}

export async function sift(
  sifting: Sifting,
  all: readonly SiteLinks[],
  replaced: readonly Replaced[],
  asSeeds: boolean,
  changing: ReadonlySet<bigint>,
): Promise<Sifted> {
  const { tx, tools } = sifting
  const { texts } = tools
  const isKnown = (link: Link) => texts.has(link.key, link.url)
  const doubtful = all.filter((site) => !isTrusted(tools, site))
  const [{ news, known, unendorsed }, elsewhere] = await Promise.all([
    readNews(sifting, all, doubtful, isKnown),
    readNews(sifting, sitesOf(replaced.map(({ link }) => link)), [], isKnown),
  ])
  const isConcerned = ({ key, members }: SiteLinks) => {
    const referrer = unendorsed.get(key)
    return referrer !== undefined && hasNewReferrer({ tools }, key, members, referrer)
  }
  const concerned = new Set(doubtful.filter(isConcerned).map(({ key }) => key))
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

/** With what is known of their sites: asked apart, that would be half of all statements of a check-in. */
export const READ_TEXTS = `
  SELECT n.site, n.key, u.url, u.mark::float8 AS mark, u.lastmod::float8 AS lastmod,
    e.site IS NOT NULL AS unendorsed, e.referrer
  FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  LEFT JOIN url u ON u.bucket = $1 AND u.site = n.site AND u.key = n.key
  LEFT JOIN unendorsed_site e ON e.bucket = $1 AND e.site = n.site`

interface Asked {
  site: bigint
  /** null: it is asked for its site only. */
  key: bigint | null
}

interface AskedRow extends Asked {
  /** null: it is unknown. */
  url: string | null
  mark: number
  lastmod: number | null
  unendorsed: boolean
  referrer: bigint | null
}

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

interface News {
  /** Links that may change something. */
  news: Set<Link>
  /** Links whose text is in the table. */
  known: Link[]
  /** The referrers of unendorsed sites. */
  unendorsed: Map<bigint, bigint | null>
}

/**
 * Of links into sites that are not locked, those that may change something: unknown, known under another text, or with a
 * newer `lastmod`. The others, most cross-site links, lock nothing. `doubtful`: sites that may be unendorsed. Where a link is
 * known, the same snapshot has its site as unendorsed, or it never will be.
 */
async function readNews(
  sifting: Sifting,
  groups: readonly Placed[],
  doubtful: readonly Placed[],
  isKnown: (link: Link) => boolean,
): Promise<News> {
  const { tx, tools } = sifting
  const bySiteAndKey = new Map<bigint, Map<bigint, Link[]>>()
  for (const { key: site, members } of groups)
    for (const link of members) {
      if (link.lastmod === undefined && isKnown(link)) continue
      const links = bySiteAndKey.get(site) ?? new Map<bigint, Link[]>()
      bySiteAndKey.set(site, links)
      const key = signed64(link.key)
      links.set(key, [...(links.get(key) ?? []), link])
    }
  const asked: Asked[] = []
  for (const [site, links] of bySiteAndKey) for (const key of links.keys()) asked.push({ site, key })
  for (const { key: site } of doubtful) if (!bySiteAndKey.has(site)) asked.push({ site, key: null })
  const news = new Set([...bySiteAndKey.values()].flatMap((links) => [...links.values()].flat()))
  const found: News = { news, known: [], unendorsed: new Map() }
  const read = async ([bucket, some]: readonly [number, readonly Asked[]]) => {
    const rows = await tx.allExact<AskedRow>(READ_TEXTS, bucket, ...columnsOf(some, 'site', 'key'))
    const indexes: { row: TextRow; link: Link }[] = []
    for (const { site, key, url, mark, lastmod, unendorsed, referrer } of rows) {
      if (unendorsed) found.unendorsed.set(site, referrer)
      if (key === null || url === null) continue
      const row = { site, key, url, mark, lastmod }
      for (const link of bySiteAndKey.get(site)?.get(key) ?? []) {
        if (url === link.url) found.known.push(link)
        const newest = lastmodOf(link)
        if (isNewText(row, link.url)) continue
        if (tools.urls.areTwoIndexes(url, link.url)) indexes.push({ row, link })
        else if (newest === null || !isNewer(newest, lastmod)) news.delete(link)
      }
    }
    for (const link of await indexesKnown(tx, bucket, indexes)) news.delete(link)
  }
  await Promise.all(await beginInTurns(() => sifting.breathe(), byBucket(asked, bySite), read))
  return found
}

/** Links that name a folder's index as an earlier one did, which is kept beside the folder's own text. */
async function indexesKnown(
  tx: PostgresTx,
  bucket: number,
  pairs: readonly { row: TextRow; link: Link }[],
): Promise<Link[]> {
  if (pairs.length === 0) return []
  const rows = pairs.map(({ row }) => row)
  const texts = await tx.allExact<SpellingRow>(URL_SPELLING.read.postgres, bucket, ...columnsOf(rows, 'site', 'key'))
  const isKept = ({ row, link }: { row: TextRow; link: Link }) =>
    link.lastmod === undefined &&
    texts.some(({ site, key, url }) => site === row.site && key === row.key && url === link.url)
  return pairs.filter(isKept).map(({ link }) => link)
}
