/**
 * Who links here (Y5). A row for every link would cost more than fetching the page, so the keeper takes a piece of the
 * pages whose links changed, sorts their links by target, and writes one row for each target of the piece, with the
 * pages that won or lost the link. Each piece is one short transaction; the rows of a target, taken together in the
 * order of pieces, are the truth as of the last piece.
 */
import { ByteReader, ByteWriter } from '../../base/bytes.ts'
import { signed64 } from '../../base/digest.ts'
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { unpackLinks } from '../../visit/adjacency.ts'

interface Change {
  page: bigint
  site: bigint
  before: Uint8Array | null
  after: Uint8Array | null
}

/** Page ids in ascending order, because pages are taken in that order. */
interface Target {
  site: bigint
  key: bigint
  won: number[]
  lost: number[]
}

/** Indexes the links of at most that many pages (50 pages of 40 links take 5–10 ms); the number that it took: 0, all is done. */
export function indexLinks(tx: Tx, atMostPages: number): number {
  const db = sqliteTx(tx)
  const changes = db.allExact<Change>(
    `SELECT c.page, p.site, c.before, l.links AS after FROM links_changed c JOIN page p ON p.id = c.page
     LEFT JOIN page_links l ON l.page = c.page ORDER BY c.page LIMIT ?`,
    atMostPages,
  )
  if (changes.length === 0) return 0
  const targets = sortedTargets(changes)
  if (targets.length > 0) writePiece(tx, targets)
  db.run('DELETE FROM links_changed WHERE page <= ?', changes[changes.length - 1].page)
  return changes.length
}

/** Pages that `indexLinks` has still to take. */
export function linksToIndex(tx: Tx): number {
  return sqliteTx(tx).get<{ n: number }>('SELECT count(*) AS n FROM links_changed')!.n
}

/** Forgets the reverse index and notes every page for a new one. */
export function rebuildInlinks(tx: Tx): void {
  const db = sqliteTx(tx)
  db.run('DELETE FROM inlink')
  db.run('DELETE FROM links_changed')
  db.run('INSERT INTO links_changed (page, before) SELECT page, NULL FROM page_links')
}

function writePiece(tx: Tx, targets: readonly Target[]): void {
  const db = sqliteTx(tx)
  const { made } = db.get<{ made: number }>('UPDATE inlink_pieces SET made = made + 1 RETURNING made')!
  for (const { site, key, won, lost } of targets) {
    db.run(
      'INSERT INTO inlink (site, key, piece, net, won, lost) VALUES (?, ?, ?, ?, ?, ?)',
      site,
      key,
      made,
      won.length - lost.length,
      packPages(won),
      packPages(lost),
    )
  }
}

/** Sorted by target: rows that come in the order of their keys cost a third of those that do not. */
function sortedTargets(changes: readonly Change[]): Target[] {
  const bySite = new Map<bigint, Map<bigint, Target>>()
  const target = (site: bigint, key: bigint): Target => {
    let keys = bySite.get(site)
    if (keys === undefined) bySite.set(site, (keys = new Map()))
    let found = keys.get(key)
    if (found === undefined) keys.set(key, (found = { site, key, won: [], lost: [] }))
    return found
  }
  for (const change of changes) {
    const page = Number(change.page)
    const before = linkSet(change.before, change.site)
    const after = linkSet(change.after, change.site)
    for (const [site, keys] of after)
      for (const key of keys) if (!before.get(site)?.has(key)) target(site, key).won.push(page)
    for (const [site, keys] of before)
      for (const key of keys) if (!after.get(site)?.has(key)) target(site, key).lost.push(page)
  }
  const all = [...bySite.values()].flatMap((keys) => [...keys.values()])
  return all.sort((a, b) => compare(a.site, b.site) || compare(a.key, b.key))
}

/** A page that names a URL twice links to it once. */
function linkSet(packed: Uint8Array | null, own: bigint): Map<bigint, Set<bigint>> {
  const sites = new Map<bigint, Set<bigint>>()
  for (const link of unpackLinks(packed ?? new Uint8Array(0))) {
    const site = link.siteKey === undefined ? own : signed64(link.siteKey)
    const keys = sites.get(site)
    if (keys === undefined) sites.set(site, new Set([signed64(link.key)]))
    else keys.add(signed64(link.key))
  }
  return sites
}

function packPages(ids: readonly number[]): Uint8Array {
  const out = new ByteWriter(ids.length * 3 + 1)
  let last = 0
  for (const id of ids) {
    out.count(id - last)
    last = id
  }
  return out.bytes()
}

export function unpackPages(packed: Uint8Array): number[] {
  const from = new ByteReader(packed)
  const ids: number[] = []
  let last = 0
  while (!from.atEnd) ids.push((last += from.count()))
  return ids
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)
