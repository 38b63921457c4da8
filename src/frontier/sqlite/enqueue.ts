import { signed64 } from '../../base/digest.ts'
import { generationOf, isByForm } from '../../contracts/generation.ts'
import type { Link } from '../../contracts/report.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { GONE, HELD, lastmodOf, WAITING } from '../rules/mark.ts'
import { compareBigints, type SiteRow } from '../rules/site.ts'
import type { Work } from './work.ts'

export const ENQUEUE = `
  INSERT OR IGNORE INTO url (site, key, url, depth, via_site, via_key, path, seq, enqueued_at, due_at, tries, mark, lastmod)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)`
export const FRESHEN = `
  UPDATE url SET lastmod = ? WHERE site = ? AND key = ? AND (lastmod IS NULL OR lastmod < ?)`
/** A link to a URL that only a form led to so far. */
export const RELINK = `
  UPDATE url SET path = substr(path, 1, length(path) - 1) || CASE substr(path, -1) WHEN 'S' THEN 'L' ELSE 'l' END
  WHERE site = ? AND key = ? AND mark = ${WAITING} AND substr(path, -1) IN ('S', 's')`

/** A page lists the URL: it is no offspring any more. If a finding held it back, it waits again, behind what was never visited. */
export const LIST_HELD = `
  UPDATE url SET via_site = ?, via_key = ?, path = ?, mark = ${WAITING}, due_at = ?
  WHERE site = ? AND key = ? AND mark = ${HELD} AND path GLOB '*[a-z]'`
export const LIST_WAITING = `
  UPDATE url SET via_site = ?, via_key = ?, path = ?
  WHERE site = ? AND key = ? AND mark = ${WAITING} AND path GLOB '*[a-z]'`

/**
 * Links of one site into its queue, in the order given (breadth first). The rows are written by key: sorted batches go in twice
 * as fast. URLs of a barred site are known and gone. Returns how many are new.
 */
export function enqueue(
  { tx, now, tools }: Work,
  site: SiteRow,
  links: readonly Link[],
  mark = site.state === 'barred' ? GONE : WAITING,
): number {
  const queued = links.map((link, index) => ({ link, key: signed64(link.key), seq: site.seq + 1 + index }))
  if (queued.length > 1) queued.sort((a, b) => compareBigints(a.key, b.key) || a.seq - b.seq)
  let fresh = 0
  for (const { link, key, seq } of queued) {
    const via = tools.pageOf(link.via)
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

/** A sitemap may say something newer of a known URL. */
export function freshen(tx: SqliteTx, site: bigint, link: Pick<Link, 'key' | 'lastmod'>): void {
  const lastmod = lastmodOf(link)
  if (lastmod !== null) tx.run(FRESHEN, lastmod, site, signed64(link.key), lastmod)
}
