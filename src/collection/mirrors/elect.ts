/**
 * Groups of mirrors, and which site of a group is the original. The paper elects arbitrarily; we rank: https first, then the
 * shorter name, then more links from other sites to the home page, then the alphabet.
 */
import { signed64 } from '../../base/digest.ts'
import type { Database, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { pagesLinkingTo } from '../links/read-inlinks.ts'
import { siteName } from '../pages/read-pages.ts'
import { rowOf } from '../row-id.ts'
import { eachPiece } from './gather.ts'

/** Ranks all candidates, the best original first. */
export async function rankMembers(catalogue: Database, urls: UrlReader, scratch: Database): Promise<void> {
  await scratch.transact((tx) =>
    sqliteTx(tx).run(
      `INSERT INTO voter (site, https) SELECT site, https FROM size
       WHERE site IN (SELECT a FROM candidate UNION SELECT b FROM candidate)`,
    ),
  )
  await eachPiece(scratch, 'voter', async (sites) => {
    // One after the other: each needs a cursor.
    const facts: Awaited<ReturnType<typeof factsOf>>[] = []
    for (const site of sites) facts.push(await catalogue.read((tx) => factsOf(tx, urls, site)))
    await scratch.transact((tx) => {
      for (const { site, name, linked } of facts)
        sqliteTx(tx).run('UPDATE voter SET name = ?, linked = ? WHERE site = ?', name ?? null, linked, site)
    })
  })
  await scratch.transact((tx) =>
    sqliteTx(tx).run(
      `INSERT INTO member (site, name) SELECT site, name FROM voter WHERE name IS NOT NULL
       ORDER BY https DESC, length(name), linked DESC, name`,
    ),
  )
}

async function factsOf(tx: Tx, urls: UrlReader, site: bigint) {
  const name = await siteName(tx, site)
  return { site, name, linked: name === undefined ? 0 : await linkedFromOtherSites(tx, urls, site, name) }
}

/** More links make no difference. */
const MAX_LINKS = 100

/** Pages of other sites that link to its home page, by either scheme; counted to a limit. */
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
    const from = await db.getExact<{ site: bigint }>(sql, ...rowOf(page))
    if (from !== undefined && from.site !== site) crossSite++
  }
  return crossSite
}

export interface Grouped {
  original: number
  replicas: number[]
}

/** Elections per connected group: ends a chain of sites of which each is a little like the next. */
const MAX_ELECTIONS = 8

/**
 * From pairs to groups with one original each. Connected pairs make a group, its best-ranked site is the original, and each
 * other site is compared with it. Likeness is not transitive: sites that are like a replica but not like the original remain,
 * and elect again. `members` sites, ranked from 1, the best first; `isOut`: no longer candidates. `alike` gets the better rank
 * first. Time: linear in pairs, and at most eight comparisons per site.
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

/** Connected sets of two and more, each in the order of ranks. */
function* connected(members: number, pairs: Iterable<{ a: number; b: number }>): Iterable<number[]> {
  const parent = Int32Array.from({ length: members + 1 }, (_, i) => i)
  const root = (rank: number): number => {
    while (parent[rank] !== rank) rank = parent[rank] = parent[parent[rank]]
    return rank
  }
  for (const { a, b } of pairs) {
    const one = root(a)
    const other = root(b)
    // The better rank is the root, so that it comes first below.
    if (one !== other) parent[Math.max(one, other)] = Math.min(one, other)
  }
  const others: number[] = []
  for (let rank = 1; rank <= members; rank++) if (root(rank) !== rank) others.push(rank)
  for (const [first, group] of [...Map.groupBy(others, root)].sort(([a], [b]) => a - b)) yield [first, ...group]
}
