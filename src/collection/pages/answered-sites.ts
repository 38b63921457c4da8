/** The sites of which a document was kept, with the URL by which each is best entered again. */
import { hash64, signed64 } from '../../base/digest.ts'
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { homeOf, parseUrl } from '../../web/url/web-url.ts'
import { pieceOf } from '../row-id.ts'
import { siteAt } from '../site-key.ts'

const READ_IS_KEPT = `SELECT 1 FROM page WHERE bucket = ? AND site = ? AND key = ? AND outcome = 'kept'`
const READ_ANY_KEPT = `SELECT url FROM page WHERE bucket = ? AND site = ? AND outcome = 'kept' LIMIT 1`

export interface AnsweredSites {
  /** Home pages. */
  urls: string[]
  /** For the next call; undefined when there are no more. */
  last: bigint | undefined
}

/** In the order of the sites' buckets and keys, page by page: a collection may have millions. */
export async function answeredSites(tx: Tx, after: bigint | undefined, atMost: number): Promise<AnsweredSites> {
  const servers = await serversAfter(tx, after, atMost)
  const homes = await Promise.all(servers.map(({ site, name }) => homeUrl(tx, site, name)))
  return { urls: homes.filter((url) => url !== undefined), last: servers.at(-1)?.site }
}

async function homeUrl(tx: Tx, site: bigint, name: string): Promise<string | undefined> {
  const db = queries(tx)
  for (const url of [`https://${name}/`, `http://${name}/`]) {
    const key = parseUrl(url)?.key ?? hash64(url)
    if ((await db.get(READ_IS_KEPT, ...siteAt(tx.dialect, site), signed64(key))) !== undefined) return url
  }
  // Its home page moved, or was never asked for: the scheme of a page that did answer.
  const any = await db.get<{ url: string }>(READ_ANY_KEPT, ...siteAt(tx.dialect, site))
  const page = any === undefined ? undefined : parseUrl(any.url)
  return page === undefined ? undefined : homeOf(page).href
}

const BEFORE_ALL = -(2n ** 63n)

function serversAfter(tx: Tx, last: bigint | undefined, atMost: number): Promise<{ site: bigint; name: string }[]> {
  const { after, order } = pieceOf(tx.dialect, 'site_stats', 'site')
  const place: [number, bigint] = last === undefined ? [0, BEFORE_ALL] : siteAt(tx.dialect, last)
  const sql = `SELECT site, name FROM site_stats WHERE documents > 0 AND ${after} ${order} LIMIT ?`
  return queries(tx).allExact<{ site: bigint; name: string }>(sql, ...place, atMost)
}
