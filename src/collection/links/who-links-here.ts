/** Answers of the reverse index: the pages that link to a URL, and the URLs that most pages link to. */
import { signed64 } from '../../base/digest.ts'
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { SiteName, UrlKey } from '../../visit/visit.ts'
import { siteKeyOf } from '../site-key.ts'
import { linksToIndex, unpackPages } from './index-links.ts'
import { urlText } from './url-text.ts'

export interface Inlinks {
  /** Pages that link here. */
  count: number
  /** Their URLs, in the order in which the pages came; as many as were asked for. */
  from: string[]
  /** Pages whose links the index has not seen yet: 0, the answer is whole. */
  behind: number
}

export function whoLinksHere(tx: Tx, site: SiteName, key: UrlKey, atMost = 1000): Inlinks {
  const db = sqliteTx(tx)
  const pages = new Set<number>()
  const rows = db.each<{ won: Uint8Array; lost: Uint8Array }>(
    'SELECT won, lost FROM inlink WHERE site = ? AND key = ? ORDER BY piece',
    siteKeyOf(site),
    signed64(key),
  )
  for (const { won, lost } of rows) {
    for (const page of unpackPages(won)) pages.add(page)
    for (const page of unpackPages(lost)) pages.delete(page)
  }
  const from: string[] = []
  for (const page of pages) {
    if (from.length >= atMost) break
    const row = db.get<{ url: string }>('SELECT url FROM page WHERE id = ?', page)
    if (row !== undefined) from.push(row.url)
  }
  return { count: pages.size, from, behind: linksToIndex(tx) }
}

export interface Referenced {
  url: string
  pages: number
}

/** References to each URL (C10), the most referenced first. Reads the whole index: for reports. */
export function mostReferenced(tx: Tx, atMost: number): Referenced[] {
  const rows = sqliteTx(tx).allExact<{ site: bigint; key: bigint; pages: bigint }>(
    'SELECT site, key, sum(net) AS pages FROM inlink GROUP BY site, key ORDER BY pages DESC, site, key LIMIT ?',
    atMost,
  )
  return rows.flatMap(({ site, key, pages }) => {
    const url = urlText(tx, site, key)
    return url === undefined ? [] : [{ url, pages: Number(pages) }]
  })
}
