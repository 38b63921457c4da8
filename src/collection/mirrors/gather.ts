/**
 * The contents of every site, from the catalogue into scratch tables. One pass over the pages in the order in which they
 * lie, then sorts on the disk: following `page_content` from digest to digest would ask for each page in another corner of
 * the file (5 million pages: 13 s this way and 35 s that way with the file in memory; on a disk the difference is hours).
 */
import { turn } from '../../base/clock.ts'
import { hash64, signed64 } from '../../base/digest.ts'
import type { Database, Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { parseUrl } from '../../web/url/web-url.ts'

export const SCRATCH_SCHEMA = `
CREATE TABLE holding (site INTEGER NOT NULL, content INTEGER NOT NULL, home INTEGER NOT NULL, https INTEGER NOT NULL);
CREATE TABLE moved_home (site INTEGER NOT NULL, key INTEGER NOT NULL);
CREATE TABLE has (                 -- the contents of a site
  site INTEGER NOT NULL,
  content INTEGER NOT NULL,        -- 64 bits of the payload's digest
  home INTEGER NOT NULL,           -- 1: it is its home page
  PRIMARY KEY (site, content)
) WITHOUT ROWID;
CREATE TABLE size (site INTEGER PRIMARY KEY, contents INTEGER NOT NULL, https INTEGER NOT NULL);
CREATE TABLE too_common (content INTEGER PRIMARY KEY);
CREATE TABLE meeting (a INTEGER NOT NULL, b INTEGER NOT NULL, home INTEGER NOT NULL);
CREATE TABLE candidate (a INTEGER NOT NULL, b INTEGER NOT NULL);
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

/** Pages read at once: some 30 ms, in which a crawl that writes meanwhile waits for nothing. */
const PIECE = 10_000

/** 1 when nothing but / follows the host: the eighth letter is in the host, or is the slash before it. */
const IS_HOME = `(instr(substr(url, 9), '/') = length(url) - 8)`

export const SCAN = `
SELECT id, site, digest, outcome = 'moved' AS moved, iif(outcome = 'moved', detail, NULL) AS detail,
  ${IS_HOME} AS home, substr(url, 1, 8) = 'https://' AS https
FROM page
WHERE id > ? AND ((+outcome = 'kept' AND digest IS NOT NULL AND bytes > 0) OR (+outcome = 'moved' AND ${IS_HOME}))
ORDER BY id LIMIT ?`

interface Row {
  id: bigint
  site: bigint
  digest: string | null
  moved: bigint
  detail: string | null
  home: bigint
  https: bigint
}

export async function gather(catalogue: Database, scratch: Database): Promise<void> {
  for (let last = 0n; ; ) {
    const rows = await catalogue.read((tx) => sqliteTx(tx).allExact<Row>(SCAN, last, PIECE))
    await scratch.transact((tx) => noteRows(tx, rows))
    if (rows.length < PIECE) break
    last = rows[rows.length - 1].id
    await turn()
  }
  await scratch.transact((tx) => {
    const db = sqliteTx(tx)
    db.run(`INSERT INTO has (site, content, home)
            SELECT site, content, max(home) FROM holding GROUP BY site, content ORDER BY site, content`)
    db.run(`INSERT INTO size (site, contents, https)
            SELECT site, count(DISTINCT content), max(https) FROM holding GROUP BY site ORDER BY site`)
    db.run('DELETE FROM holding')
  })
  await followMovedHomes(catalogue, scratch)
}

function noteRows(tx: Tx, rows: readonly Row[]): void {
  const db = sqliteTx(tx)
  for (const { site, digest, moved, detail, home, https } of rows) {
    if (moved === 0n) db.run('INSERT INTO holding VALUES (?, ?, ?, ?)', site, contentOf(digest!), home, https)
    else {
      const target = parseUrl(detail ?? '')
      if (target === undefined || signed64(hash64(target.site)) !== site) continue
      db.run('INSERT INTO moved_home VALUES (?, ?)', site, signed64(target.key))
    }
  }
}

/** Two digests fall together once in 10^6 collections of 5 million pages. */
const contentOf = (digest: string): bigint => signed64(hash64(digest))

const MOVED_PIECE = 1000

/** `/` that leads to `/en/` or `/index.html` of the same site: that is its home page. One step; longer ways are rare. */
async function followMovedHomes(catalogue: Database, scratch: Database): Promise<void> {
  for (let last = 0; ; ) {
    const moved = await scratch.read((tx) =>
      sqliteTx(tx).allExact<{ id: bigint; site: bigint; key: bigint }>(
        'SELECT rowid AS id, site, key FROM moved_home WHERE rowid > ? ORDER BY rowid LIMIT ?',
        last,
        MOVED_PIECE,
      ),
    )
    const homes = await catalogue.read((tx) =>
      moved.flatMap(({ site, key }) => {
        const sql = `SELECT digest FROM page WHERE site = ? AND key = ? AND outcome = 'kept' AND bytes > 0`
        const digest = sqliteTx(tx).get<{ digest: string | null }>(sql, site, key)?.digest
        return digest === undefined || digest === null ? [] : [{ site, content: contentOf(digest) }]
      }),
    )
    await scratch.transact((tx) => {
      const db = sqliteTx(tx)
      for (const { site, content } of homes)
        db.run('UPDATE has SET home = 1 WHERE site = ? AND content = ?', site, content)
    })
    if (moved.length < MOVED_PIECE) return
    last = Number(moved[moved.length - 1].id)
  }
}
