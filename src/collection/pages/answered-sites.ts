/** The sites of which a document was kept, with the URL by which each is best entered again. */
import { hash64, signed64 } from '../../base/digest.ts'
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { homeOf, parseUrl } from '../../web/url/web-url.ts'

const READ_SERVERS = `SELECT site, name FROM server WHERE documents > 0 AND site > ? ORDER BY site LIMIT ?`
const READ_IS_KEPT = `SELECT 1 FROM page WHERE site = ? AND key = ? AND outcome = 'kept'`
const READ_ANY_KEPT = `SELECT url FROM page WHERE site = ? AND outcome = 'kept' LIMIT 1`
const BEFORE_ALL = -(2n ** 63n)

export interface AnsweredSites {
  /** Home pages. */
  urls: string[]
  /** For the next call; undefined when there are no more. */
  last: bigint | undefined
}

/** In the order of the sites' keys, page by page: a collection may have millions. */
export function answeredSites(tx: Tx, after: bigint | undefined, atMost: number): AnsweredSites {
  const open = sqliteTx(tx)
  const servers = open.allExact<{ site: bigint; name: string }>(READ_SERVERS, after ?? BEFORE_ALL, atMost)
  const isKept = (site: bigint, url: string) => {
    const key = parseUrl(url)?.key ?? hash64(url)
    return open.get(READ_IS_KEPT, site, signed64(key)) !== undefined
  }
  const urls = servers.flatMap(({ site, name }): string[] => {
    const home = [`https://${name}/`, `http://${name}/`].find((url) => isKept(site, url))
    if (home !== undefined) return [home]
    // Its home page moved, or was never asked for: the scheme of a page that did answer.
    const any = open.get<{ url: string }>(READ_ANY_KEPT, site)
    const page = any === undefined ? undefined : parseUrl(any.url)
    return page === undefined ? [] : [homeOf(page).href]
  })
  return { urls, last: servers.at(-1)?.site }
}
