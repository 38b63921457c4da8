/**
 * Copies the contents of every site from the catalogue into scratch tables: one pass over the pages in the order of the file,
 * then sorts on the disk. Following the index from digest to digest reads each page from elsewhere in the file: a million
 * pages took 5.9 s instead of 1.5 s with the file in memory, and a disk needs a seek per page.
 */
import { hash64, signed64 } from '../../base/digest.ts'
import type { Database, Dialect, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { siteName } from '../pages/read-pages.ts'
import { inPieces, pieceOf, rowOf } from '../row-id.ts'
import { homeOf } from './homes.ts'

export const SCRATCH_SCHEMA = `
CREATE TABLE holding (site INTEGER NOT NULL, content INTEGER NOT NULL, https INTEGER NOT NULL);
CREATE TABLE has (                 -- the contents of a site
  site INTEGER NOT NULL,
  content INTEGER NOT NULL,        -- 64 bits of the payload's digest
  home INTEGER NOT NULL,           -- 1: it is its home page
  PRIMARY KEY (site, content)
) WITHOUT ROWID;
CREATE TABLE size (site INTEGER PRIMARY KEY, contents INTEGER NOT NULL, https INTEGER NOT NULL);
CREATE TABLE too_common (content INTEGER PRIMARY KEY);
CREATE TABLE content (content INTEGER PRIMARY KEY, sites INTEGER NOT NULL);
CREATE TABLE holder (              -- the sites of a content, the smallest first
  content INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  home_nth INTEGER,
  site INTEGER NOT NULL,
  PRIMARY KEY (content, nth)
) WITHOUT ROWID;
CREATE TABLE candidate (a INTEGER NOT NULL, b INTEGER NOT NULL);
CREATE TABLE voter (site INTEGER PRIMARY KEY, name TEXT, https INTEGER NOT NULL, linked INTEGER NOT NULL DEFAULT 0);
CREATE TABLE member (              -- sites that may be mirrors, the best original first
  rank INTEGER PRIMARY KEY,
  site INTEGER NOT NULL UNIQUE,
  name TEXT NOT NULL
);
CREATE TABLE compared (            -- a < b, by rank
  a INTEGER NOT NULL,
  b INTEGER NOT NULL,
  shared INTEGER NOT NULL,
  telling INTEGER NOT NULL,
  same_home INTEGER NOT NULL,
  total INTEGER NOT NULL,
  PRIMARY KEY (a, b)
) WITHOUT ROWID;
`

/** Pages read at once: about 10 ms. */
const PIECE = 5000

/** `outcome || ''` keeps the database from using the index on outcomes, which is not in the order of the file. */
export function scan(dialect: Dialect): string {
  const { after, order } = pieceOf(dialect, 'page')
  return `SELECT id, site, digest, substr(url, 1, 8) AS scheme FROM page
    WHERE ${after} AND outcome || '' = 'kept' AND digest IS NOT NULL AND bytes > 0 ${order} LIMIT ?`
}

interface Row {
  id: bigint
  site: bigint
  digest: string
  scheme: string
}

export async function gather(catalogue: Database, urls: UrlReader, scratch: Database): Promise<void> {
  const sql = scan(catalogue.dialect)
  const read = (last?: Row) =>
    catalogue.read((tx) => queries(tx).allExact<Row>(sql, ...rowOf(Number(last?.id ?? 0)), PIECE))
  for await (const rows of inPieces(read))
    await scratch.transact((tx) => {
      const db = sqliteTx(tx)
      for (const { site, digest, scheme } of rows)
        db.run('INSERT INTO holding VALUES (?, ?, ?)', site, contentOf(digest), scheme === 'https://' ? 1 : 0)
    })
  await scratch.transact((tx) => {
    const db = sqliteTx(tx)
    db.run(`INSERT INTO has (site, content, home)
            SELECT DISTINCT site, content, 0 FROM holding ORDER BY site, content`)
    db.run('INSERT INTO size (site, contents, https) SELECT site, count(*), 0 FROM has GROUP BY site')
    db.run('UPDATE size SET https = 1 WHERE site IN (SELECT site FROM holding WHERE https = 1)')
    db.run('DROP TABLE holding')
  })
  await markHomes(catalogue, urls, scratch)
}

/** Two digests collide once in 10^6 collections of 5 million pages. */
const contentOf = (digest: string): bigint => signed64(hash64(digest))

async function markHomes(catalogue: Database, urls: UrlReader, scratch: Database): Promise<void> {
  const homeIn = async (tx: Tx, site: bigint) => {
    const name = await siteName(tx, site)
    const home = name === undefined ? undefined : await homeOf(tx, urls, name, 0)
    return { site, digest: home?.is === 'kept' ? home.digest : null }
  }
  await eachPiece(scratch, 'size', async (sites) => {
    const homes = await catalogue.read((tx) => Promise.all(sites.map((site) => homeIn(tx, site))))
    await scratch.transact((tx) => {
      const db = sqliteTx(tx)
      for (const { site, digest } of homes)
        if (digest !== null) db.run('UPDATE has SET home = 1 WHERE site = ? AND content = ?', site, contentOf(digest))
    })
  })
}

const SITES_AT_ONCE = 1000

/** The sites of a scratch table in pieces. */
export async function eachPiece(
  scratch: Database,
  table: 'size' | 'voter',
  work: (sites: bigint[]) => Promise<void>,
): Promise<void> {
  const sql = `SELECT site FROM ${table} WHERE site > ? ORDER BY site LIMIT ?`
  const read = (last?: { site: bigint }) =>
    scratch.read((tx) => sqliteTx(tx).allExact<{ site: bigint }>(sql, last?.site ?? -(2n ** 63n), SITES_AT_ONCE))
  for await (const rows of inPieces(read)) await work(rows.map(({ site }) => site))
}
