/** Exports every link as two URLs: row by row for other programs, or as a table for SQL. */
import { turn } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import { unpackLinks } from '../../contracts/adjacency.ts'
import type { Database, Migration, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { urlTexts } from '../pages/read-pages.ts'
import { pieceOf, rowOf } from '../row-id.ts'

export interface TextLink {
  from: string
  to: string
}

/** Pages read at once: their links take some milliseconds. */
const PIECE = 100

const TEXTS_AT_ONCE = 5000

/** In consistent pieces, while a crawl goes on writing. */
export async function* exportLinks(database: Database): AsyncGenerator<TextLink> {
  for await (const links of pieces(database)) yield* links
}

async function* pieces(database: Database): AsyncGenerator<TextLink[]> {
  for (let last: number | undefined = 0; last !== undefined; await turn()) {
    const after: number = last
    const piece = await database.read((tx) => linksAfter(tx, after))
    yield piece.links
    last = piece.last
  }
}

const LINK_TABLE: Migration = {
  number: 1,
  name: 'links',
  sql: 'CREATE TABLE link (from_url TEXT NOT NULL, to_url TEXT NOT NULL)',
}

/** Writes `link(from_url, to_url)` into a database file of its own, indexed both ways; its old rows are replaced. */
export async function linkTable(database: Database, into: string): Promise<{ links: number }> {
  const target = openSqlite(into, [LINK_TABLE])
  let links = 0
  try {
    await target.transact((tx) => {
      sqliteTx(tx).run('DELETE FROM link')
      sqliteTx(tx).run('DROP INDEX IF EXISTS link_from')
      sqliteTx(tx).run('DROP INDEX IF EXISTS link_to')
    })
    for await (const piece of pieces(database)) {
      await target.transact((tx) => {
        const db = sqliteTx(tx)
        for (const { from, to } of piece) db.run('INSERT INTO link VALUES (?, ?)', from, to)
      })
      links += piece.length
    }
    // Built at the end, the indexes cost a fifth of what updating them for every row would.
    await target.transact((tx) => sqliteTx(tx).run('CREATE INDEX link_from ON link (from_url)'))
    await target.transact((tx) => sqliteTx(tx).run('CREATE INDEX link_to ON link (to_url)'))
  } finally {
    await target.close()
  }
  return { links }
}

async function linksAfter(tx: Tx, page: number): Promise<{ links: TextLink[]; last: number | undefined }> {
  const { after, order } = pieceOf(tx.dialect, 'l', 'page')
  // Both tables need the condition, or PostgreSQL may scan one of them from its beginning.
  const { after: alike } = pieceOf(tx.dialect, 'p')
  const rows = await queries(tx).allExact<{ page: bigint; site: bigint; url: string; links: Uint8Array }>(
    `SELECT l.page, p.site, p.url, l.links FROM page_links l JOIN page p ON p.bucket = l.bucket AND p.id = l.page
     WHERE ${after} AND ${alike} ${order} LIMIT ?`,
    ...rowOf(page),
    PIECE,
  )
  const links = rows.flatMap(({ url: from, site: own, links: packed }) =>
    unpackLinks(packed).map(({ url, siteKey, key }) => ({
      from,
      to: url,
      site: siteKey === undefined ? own : signed64(siteKey),
      key: signed64(key),
    })),
  )
  const unnamed = links.filter(({ to }) => to === undefined)
  for (let done = 0; done < unnamed.length; done += TEXTS_AT_ONCE) {
    const asked = unnamed.slice(done, done + TEXTS_AT_ONCE)
    for (const [i, text] of (await urlTexts(tx, asked)).entries()) asked[i].to = text
  }
  // Without a text: the row was forgotten on request.
  const named = links.flatMap(({ from, to }) => (to === undefined ? [] : [{ from, to }]))
  return { links: named, last: rows.length < PIECE ? undefined : Number(rows[rows.length - 1].page) }
}
