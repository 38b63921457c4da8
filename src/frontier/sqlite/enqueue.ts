import { signed64 } from '../../base/digest.ts'
import { generationOf, isByForm } from '../../contracts/generation.ts'
import type { Link } from '../../contracts/report.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { siteKey } from '../../web/url/web-url.ts'
import { GONE, HELD, lastmodOf, WAITING } from '../rules/mark.ts'
import type { SiteRow } from '../rules/site.ts'
import { agreedUrls } from './meta.ts'

export const ENQUEUE = `
  INSERT OR IGNORE INTO url (site, key, url, depth, via_site, via_key, path, seq, enqueued_at, due_at, tries, mark, lastmod)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)`
export const FRESHEN = `
  UPDATE url SET lastmod = ? WHERE site = ? AND key = ? AND (lastmod IS NULL OR lastmod < ?)`
/** A link to what only a form led to. */
export const RELINK = `
  UPDATE url SET path = substr(path, 1, length(path) - 1) || CASE substr(path, -1) WHEN 'S' THEN 'L' ELSE 'l' END
  WHERE site = ? AND key = ? AND mark = ${WAITING} AND substr(path, -1) IN ('S', 's')`

/** A page lists it: it is no offspring any more, and if a finding held it back, it waits again behind what was never asked for. */
export const LIST_HELD = `
  UPDATE url SET via_site = ?, via_key = ?, path = ?, mark = ${WAITING}, due_at = ?
  WHERE site = ? AND key = ? AND mark = ${HELD} AND path GLOB '*[a-z]'`
export const LIST_WAITING = `
  UPDATE url SET via_site = ?, via_key = ?, path = ?
  WHERE site = ? AND key = ? AND mark = ${WAITING} AND path GLOB '*[a-z]'`

/**
 * Links of one site into its queue: places by the order given (first come, first served: breadth first), rows by key
 * (sorted batches go in twice as fast). Of a barred site they are known and gone. Says how many are new.
 */
export function enqueue(
  tx: SqliteTx,
  site: SiteRow,
  links: readonly Link[],
  now: number,
  mark = site.state === 'barred' ? GONE : WAITING,
): number {
  const places = links.map((link, index) => ({ link, key: signed64(link.key), seq: site.seq + 1 + index }))
  if (places.length > 1) places.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.seq - b.seq))
  let fresh = 0
  for (const { link, key, seq } of places) {
    const via = pageOf(tx, link.via)
    const from = [via.site, via.key, link.path]
    const lastmod = lastmodOf(link)
    const isNew = tx.run(ENQUEUE, site.key, key, link.url, link.depth, ...from, seq, now, mark, lastmod) === 1
    if (isNew) {
      fresh++
      continue
    }
    freshen(tx, site.key, link)
    if (!isByForm(link.path)) tx.run(RELINK, site.key, key)
    if (generationOf(link.path) > 0) continue
    site.waiting += tx.run(LIST_HELD, ...from, Math.max(1, now), site.key, key)
    tx.run(LIST_WAITING, ...from, site.key, key)
  }
  site.seq += links.length
  site.known += fresh
  if (mark === WAITING) site.waiting += fresh
  return fresh
}

/** A known URL of which a sitemap now says something newer. */
export function freshen(tx: SqliteTx, site: bigint, link: Pick<Link, 'key' | 'lastmod'>): void {
  const lastmod = lastmodOf(link)
  if (lastmod !== null) tx.run(FRESHEN, lastmod, site, signed64(link.key), lastmod)
}

interface PageKeys {
  site: bigint | null
  key: bigint | null
  /** Of its site. */
  name?: SiteName
}

const NOWHERE: PageKeys = { site: null, key: null }
const MAX_PAGES = 1000
let lastTx: SqliteTx | undefined
const lastPages = new Map<string, PageKeys>()

/** A page's keys take 16 bytes where its URL takes 60. A report's links come from few pages, many from each. */
export function pageOf(tx: SqliteTx, url: string | undefined): PageKeys {
  if (url === undefined || url === '') return NOWHERE
  if (tx !== lastTx || lastPages.size >= MAX_PAGES) lastPages.clear()
  lastTx = tx
  const known = lastPages.get(url)
  if (known !== undefined) return known
  const read = agreedUrls(tx).parse(url)
  const page =
    read === undefined ? NOWHERE : { site: signed64(siteKey(read.site)), key: signed64(read.key), name: read.site }
  lastPages.set(url, page)
  return page
}
