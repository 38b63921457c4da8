/** Answers of the reverse index: the pages that link to a URL, and the URLs that most pages link to. */
import { signed64 } from '../../base/digest.ts'
import type { SiteName, UrlKey } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { placeOf } from '../row-id.ts'
import { siteKeyOf } from '../site-key.ts'
import { linksToIndex } from './index-links.ts'
import { type CountedTarget, countedTargets, pagesLinkingTo } from './read-targets.ts'
import { urlTexts } from './url-texts.ts'

export interface Inlinks {
  /** Pages that link here. */
  count: number
  /** Their URLs, in the order in which the pages came; as many as were asked for. */
  from: string[]
  /** Pages whose links the index has not seen yet: 0, the answer is whole. */
  behind: number
}

export async function whoLinksHere(tx: Tx, site: SiteName, key: UrlKey, atMost = 1000): Promise<Inlinks> {
  const pages = await pagesLinkingTo(tx, siteKeyOf(site), signed64(key))
  const sql = 'SELECT url FROM page WHERE bucket = ? AND id = ?'
  const rows = [...pages].slice(0, atMost).map((page) => queries(tx).get<{ url: string }>(sql, ...placeOf(page)))
  const from = (await Promise.all(rows)).flatMap((row) => (row === undefined ? [] : [row.url]))
  return { count: pages.size, from, behind: await linksToIndex(tx) }
}

export interface Referenced {
  url: string
  pages: number
}

/** References to each URL (C10), the most referenced first. Reads the whole index: for reports. */
export async function mostReferenced(tx: Tx, atMost: number): Promise<Referenced[]> {
  let max: CountedTarget[] = []
  for await (const target of countedTargets(tx)) {
    max.push(target)
    // Sorted now and then, so that the many that are not among the most referenced are soon forgotten.
    if (max.length >= 2 * atMost + KEPT_UNSORTED) max = leading(max, atMost)
  }
  const first = leading(max, atMost)
  const texts = await urlTexts(tx, first)
  return first.flatMap(({ pages }, i) => {
    const url = texts[i]
    return url === undefined ? [] : [{ url, pages }]
  })
}

const KEPT_UNSORTED = 10_000

function leading(targets: CountedTarget[], atMost: number): CountedTarget[] {
  return targets.sort((a, b) => b.pages - a.pages || compare(a.site, b.site) || compare(a.key, b.key)).slice(0, atMost)
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)
