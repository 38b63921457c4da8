/**
 * Which of a group of mirrors is the original. The paper elects arbitrarily; ours is deterministic: who speaks https, then
 * the shorter name, then the one to whose home page more pages of other sites link, then the alphabet.
 */
import { signed64 } from '../../base/digest.ts'
import type { Database, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { pagesLinkingTo } from '../links/read-targets.ts'
import { serverName } from '../pages/server-name.ts'
import { placeOf } from '../row-id.ts'

const PIECE = 1000

/** Gives every site among the candidates its rank in the election. */
export async function rankMembers(catalogue: Database, urls: UrlReader, scratch: Database): Promise<void> {
  await scratch.transact((tx) =>
    sqliteTx(tx).run(
      'CREATE TABLE voter (site INTEGER PRIMARY KEY, name TEXT, https INTEGER NOT NULL, linked INTEGER NOT NULL DEFAULT 0)',
    ),
  )
  await scratch.transact((tx) =>
    sqliteTx(tx).run(
      `INSERT INTO voter (site, https) SELECT site, https FROM size
       WHERE site IN (SELECT a FROM candidate UNION SELECT b FROM candidate)`,
    ),
  )
  for (let last = -(2n ** 63n); ; ) {
    const sites = await scratch.read((tx) =>
      sqliteTx(tx).allExact<{ site: bigint }>(
        'SELECT site FROM voter WHERE site > ? ORDER BY site LIMIT ?',
        last,
        PIECE,
      ),
    )
    const facts = await catalogue.read(async (tx) => {
      const all: ({ site: bigint } & Facts)[] = []
      for (const { site } of sites) all.push({ site, ...(await factsOf(tx, urls, site)) })
      return all
    })
    await scratch.transact((tx) => {
      for (const { site, name, linked } of facts)
        sqliteTx(tx).run('UPDATE voter SET name = ?, linked = ? WHERE site = ?', name ?? null, linked, site)
    })
    if (sites.length < PIECE) break
    last = sites[sites.length - 1].site
  }
  await scratch.transact((tx) =>
    sqliteTx(tx).run(
      `INSERT INTO member (site, name) SELECT site, name FROM voter WHERE name IS NOT NULL
       ORDER BY https DESC, length(name), linked DESC, name`,
    ),
  )
}

interface Facts {
  name?: string
  linked: number
}

async function factsOf(tx: Tx, urls: UrlReader, site: bigint): Promise<Facts> {
  const name = await serverName(tx, site)
  return name === undefined ? { linked: 0 } : { name, linked: await linkedFromOtherSites(tx, urls, site, name) }
}

/** Beyond this one is as well known as the other. */
const MAX_LINKS = 100

/** Pages of other sites that link to its home page, by either scheme; counted to a bound. */
async function linkedFromOtherSites(tx: Tx, urls: UrlReader, site: bigint, name: string): Promise<number> {
  const db = queries(tx)
  const pages = new Set<number>()
  for (const scheme of ['https', 'http']) {
    const home = urls.parse(`${scheme}://${name}/`)
    if (home === undefined) continue
    for (const page of await pagesLinkingTo(tx, site, signed64(home.key), MAX_LINKS))
      if (pages.size < MAX_LINKS) pages.add(page)
  }
  let crossSite = 0
  for (const page of pages) {
    const sql = 'SELECT site FROM page WHERE bucket = ? AND id = ?'
    const from = await db.getExact<{ site: bigint }>(sql, ...placeOf(page))
    if (from !== undefined && from.site !== site) crossSite++
  }
  return crossSite
}
