/**
 * Which of a group of mirrors is the original. The paper elects arbitrarily; ours is deterministic: who speaks https, then
 * the shorter name, then the one to whose home page more pages of other sites link, then the alphabet.
 */
import { signed64 } from '../../base/digest.ts'
import type { Database, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { pagesLinkingTo } from '../links/who-links-here.ts'
import { serverName } from '../pages/read-pages.ts'
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

/**
 * From pairs to groups with one original each. Pairs that hang together make a group, its best-ranked site is the original,
 * and each other one is compared with it: likeness is not transitive, so a site that is like the original's replica but not
 * like the original stays, and the rest elects again.
 */

export interface Grouped {
  original: number
  replicas: number[]
}

/** Elections within one group of sites that hang together; a chain of sites, each a little like the next, ends there. */
const MAX_ELECTIONS = 8

/**
 * `members` sites, ranked from 1, the best first; `isOut`: those that are no candidates any more. `alike` is asked with the
 * better rank first. Time: linear in pairs, and at most eight questions a site.
 */
export function groupsOf(
  members: number,
  pairs: Iterable<{ a: number; b: number }>,
  alike: (original: number, replica: number) => boolean,
  isOut: (rank: number) => boolean = () => false,
): Grouped[] {
  const groups: Grouped[] = []
  for (let waiting of connected(members, pairs)) {
    waiting = waiting.filter((rank) => !isOut(rank))
    for (let round = 0; round < MAX_ELECTIONS && waiting.length > 1; round++) {
      const [original, ...others] = waiting
      const replicas = others.filter((rank) => alike(original, rank))
      if (replicas.length > 0) groups.push({ original, replicas })
      const gone = new Set(replicas)
      waiting = others.filter((rank) => !gone.has(rank))
    }
  }
  return groups
}

/** Sets of two and more that hang together by pairs, each in the order of ranks. */
function* connected(members: number, pairs: Iterable<{ a: number; b: number }>): Iterable<number[]> {
  const parent = Int32Array.from({ length: members + 1 }, (_, i) => i)
  const root = (rank: number): number => {
    while (parent[rank] !== rank) rank = parent[rank] = parent[parent[rank]]
    return rank
  }
  for (const { a, b } of pairs) {
    const one = root(a)
    const other = root(b)
    // The better rank is the root, so that it is met first below.
    if (one !== other) parent[Math.max(one, other)] = Math.min(one, other)
  }
  const next = new Int32Array(members + 1)
  const last = Int32Array.from({ length: members + 1 }, (_, i) => i)
  for (let rank = 1; rank <= members; rank++) {
    const first = root(rank)
    if (first === rank) continue
    next[last[first]] = rank
    last[first] = rank
  }
  for (let first = 1; first <= members; first++) {
    if (parent[first] !== first || next[first] === 0) continue
    const group: number[] = []
    for (let rank = first; rank !== 0; rank = next[rank]) group.push(rank)
    yield group
  }
}
