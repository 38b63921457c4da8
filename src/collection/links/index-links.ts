/**
 * Who links here (Y5). A row for every link would cost more than fetching the page, and so would one for every target. So
 * the keeper takes a piece of the pages whose links are new or others than before, and writes one row for each site that
 * they link to, with its targets and the pages that won or lost the link (`link-targets.ts`). Each piece is one short
 * transaction; the rows of a site, taken together in the order of pieces, are the truth as of the last piece.
 *
 * Pages are taken in the order in which they came, up to `inlink_upto`. Only of a page that was taken already and now has
 * other links there is a note (`links_changed`), with the links that the index knows of.
 */
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { type Change, LinkTargets } from './link-targets.ts'

const READ_CHANGED = `
  SELECT c.page, p.site, c.before, l.links AS after FROM links_changed c JOIN page p ON p.id = c.page
  LEFT JOIN page_links l ON l.page = c.page ORDER BY c.page LIMIT ?`
const READ_NEW = `
  SELECT l.page, p.site, NULL AS before, l.links AS after FROM page_links l JOIN page p ON p.id = l.page
  WHERE l.page > (SELECT page FROM inlink_upto) ORDER BY l.page LIMIT ?`

/** A page may have 50,000 links: however many pages were asked for, a piece ends with the one that reaches this. */
export const BYTES_A_PIECE = 1024 * 1024

/** Indexes the links of at most that many pages (200 pages of 40 links take 3 ms); the number that it took: 0, all is done. */
export function indexLinks(tx: Tx, atMostPages: number, atMostBytes = BYTES_A_PIECE): number {
  const db = sqliteTx(tx)
  let bytes = 0
  const taken = (sql: string, atMost: number): Change[] => {
    const changes: Change[] = []
    if (bytes >= atMostBytes) return changes
    for (const change of db.eachExact<Change>(sql, atMost)) {
      changes.push(change)
      bytes += (change.before?.length ?? 0) + (change.after?.length ?? 0)
      if (bytes >= atMostBytes) break
    }
    return changes
  }
  // Those first that the index knows: page ids come in ascending order.
  const changed = taken(READ_CHANGED, atMostPages)
  const fresh = taken(READ_NEW, atMostPages - changed.length)
  const targets = new LinkTargets(changed.length + fresh.length)
  for (const change of changed) targets.add(change)
  for (const change of fresh) targets.add(change)
  for (const { site, slot, packed } of targets.rows())
    db.run('INSERT INTO inlink (site, slot, targets) VALUES (?, ?, ?)', site, slot, packed)
  const last = changed.at(-1)
  if (last !== undefined) db.run('DELETE FROM links_changed WHERE page <= ?', last.page)
  const upto = fresh.at(-1)
  if (upto !== undefined) db.run('UPDATE inlink_upto SET page = ?', upto.page)
  return changed.length + fresh.length
}

/** Pages that `indexLinks` has still to take. */
export async function linksToIndex(tx: Tx): Promise<number> {
  // Bucket by bucket, for what is new is a small end of a large table.
  const sql = `SELECT (SELECT count(*) FROM links_changed) + (SELECT sum(fresh) FROM
      (SELECT (SELECT count(*) FROM page_links l WHERE l.bucket = u.bucket AND l.page > u.page) AS fresh
       FROM inlink_upto u) each_bucket) AS n`
  return (await queries(tx).get<{ n: number }>(sql))!.n
}

/** At least so many. */
export function hasLinksToIndex(tx: Tx, pages: number): boolean {
  const sql = `SELECT count(*) AS n FROM (SELECT page FROM links_changed UNION ALL
    SELECT page FROM page_links WHERE page > (SELECT page FROM inlink_upto) LIMIT ?)`
  return sqliteTx(tx).get<{ n: number }>(sql, pages)!.n >= pages
}

/** Forgets the reverse index: every page is new to it again. */
export function rebuildInlinks(tx: Tx): void {
  const db = sqliteTx(tx)
  db.run('DELETE FROM inlink')
  db.run('DELETE FROM links_changed')
  db.run('UPDATE inlink_upto SET page = 0')
}
