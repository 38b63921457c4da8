/** Every link with its texts: row by row for other programs, or as an ordinary table for those who ask in SQL. */
import { turn } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import { unpackLinks } from '../../contracts/adjacency.ts'
import type { Database, Tx } from '../../database/database.ts'
import type { Migration } from '../../database/migrations/migration.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { urlTexts } from '../pages/read-pages.ts'
import { pieceOf, placeOf } from '../row-id.ts'

export interface TextLink {
  from: string
  to: string
}

/** Pages read at once: their links come in some milliseconds. */
const PIECE = 100

const TEXTS_AT_ONCE = 5000

/** In pieces, each one consistent: a crawl that writes meanwhile goes on. */
export async function* exportLinks(database: Database): AsyncGenerator<TextLink> {
  let last = 0
  for (;;) {
    const piece = await database.read((tx) => linksAfter(tx, last))
    yield* piece.links
    if (piece.last === undefined) return
    last = piece.last
    await turn()
  }
}

const LINK_TABLE: Migration = {
  number: 1,
  name: 'links',
  sql: 'CREATE TABLE link (from_url TEXT NOT NULL, to_url TEXT NOT NULL)',
}

/** Makes `link(from_url, to_url)` in a database file of its own, indexed both ways; what it held before is replaced. */
export async function linkTable(database: Database, into: string): Promise<{ links: number }> {
  const target = openSqlite(into, [LINK_TABLE])
  let links = 0
  try {
    await target.transact((tx) => {
      sqliteTx(tx).run('DELETE FROM link')
      sqliteTx(tx).run('DROP INDEX IF EXISTS link_from')
      sqliteTx(tx).run('DROP INDEX IF EXISTS link_to')
    })
    for (let last: number | undefined = 0; last !== undefined; ) {
      const after: number = last
      const piece = await database.read((tx) => linksAfter(tx, after))
      await target.transact((tx) => {
        const db = sqliteTx(tx)
        for (const { from, to } of piece.links) db.run('INSERT INTO link VALUES (?, ?)', from, to)
      })
      links += piece.links.length
      last = piece.last
      await turn()
    }
    // Made last, from a sort, they cost a fifth of what growing with every row would.
    await target.transact((tx) => sqliteTx(tx).run('CREATE INDEX link_from ON link (from_url)'))
    await target.transact((tx) => sqliteTx(tx).run('CREATE INDEX link_to ON link (to_url)'))
  } finally {
    await target.close()
  }
  return { links }
}

async function linksAfter(tx: Tx, page: number): Promise<{ links: TextLink[]; last: number | undefined }> {
  const { after, order } = pieceOf(tx.dialect, 'l', 'page')
  // Said of both, or PostgreSQL may go through one of them from its beginning.
  const { after: alike } = pieceOf(tx.dialect, 'p')
  const rows = await queries(tx).allExact<{ page: bigint; site: bigint; url: string; links: Uint8Array }>(
    `SELECT l.page, p.site, p.url, l.links FROM page_links l JOIN page p ON p.bucket = l.bucket AND p.id = l.page
     WHERE ${after} AND ${alike} ${order} LIMIT ?`,
    ...placeOf(page),
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
  return { links: links.flatMap(named), last: rows.length < PIECE ? undefined : Number(rows[rows.length - 1].page) }
}

/** No text: its row was forgotten on request, or the page was read by a version before this that did not keep it. */
function named({ from, to }: { from: string; to: string | undefined }): TextLink[] {
  return to === undefined ? [] : [{ from, to }]
}
