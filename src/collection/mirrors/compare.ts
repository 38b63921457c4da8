/**
 * Finds sites worth comparing, those that share contents which few sites have, and compares them. All pairs of the sites of a
 * content would be quadratic, so each site is paired only with its neighbours by size: mirrors have about the same size. A
 * content with up to nine sites makes all pairs; one with a hundred makes a chain, and groups form from such chains.
 */
import type { Database } from '../../database/database.ts'
import { type SqliteTx, sqliteTx } from '../../database/sqlite/tx.ts'
import { type Evidence, MIN_SHARE } from './heuristics.ts'

/**
 * A content that more sites have is no evidence: a server's default page, a parked domain, a licence. A national web has a
 * handful of real mirrors with more names; parked domains with thousands are common.
 */
export const MAX_SITES_PER_CONTENT = 100
const NEIGHBOURS = 8
/** Per site, the most promising first: a hostile site may share contents with every other, and each comparison reads all of its contents. */
const MAX_CANDIDATES = 64

interface Holder {
  content: bigint
  site: bigint
  home: bigint
}

/** Returns the number of contents, and of those that too many sites have. */
export async function pairCandidates(scratch: Database): Promise<{ contents: number; tooCommon: number }> {
  return scratch.transact((tx) => {
    const db = sqliteTx(tx)
    let contents = 0
    let tooCommon = 0
    let holders: Holder[] = []
    let content: bigint | undefined
    const end = () => {
      if (content === undefined) return
      contents++
      if (holders.length > MAX_SITES_PER_CONTENT) tooCommon += db.run('INSERT INTO too_common VALUES (?)', content)
      else if (holders.length > 1) notePairs(db, holders)
      holders = []
    }
    const rows = db.eachExact<Holder>(
      `SELECT has.content, has.site, has.home FROM has JOIN size ON size.site = has.site
       ORDER BY has.content, size.contents, has.site`,
    )
    for (const row of rows) {
      if (row.content !== content) end()
      content = row.content
      if (holders.length <= MAX_SITES_PER_CONTENT) holders.push(row)
    }
    end()
    // Two that share only one content, and not their home pages, share too little for any heuristic.
    db.run(
      `INSERT INTO candidate (a, b)
       SELECT a, b FROM (
         SELECT a, b, row_number() OVER (PARTITION BY a ORDER BY home DESC, times DESC, b) AS nth FROM (
           SELECT a, b, count(*) AS times, max(home) AS home FROM meeting GROUP BY a, b
           HAVING times > 1 OR max(home) = 1
         ) JOIN size one ON one.site = a JOIN size other ON other.site = b
         WHERE home = 1 OR one.contents >= other.contents * ?
       ) WHERE nth <= ?`,
      MIN_SHARE,
      MAX_CANDIDATES,
    )
    db.run('DELETE FROM meeting')
    return { contents, tooCommon }
  })
}

/** `holders` are sorted by size: `a` is the smaller site. */
function notePairs(db: SqliteTx, holders: readonly Holder[]): void {
  const note = (a: Holder, b: Holder) =>
    db.run('INSERT INTO meeting VALUES (?, ?, ?)', a.site, b.site, a.home === 1n && b.home === 1n ? 1 : 0)
  for (const [i, a] of holders.entries()) for (const b of holders.slice(i + 1, i + 1 + NEIGHBOURS)) note(a, b)
  // Sites that have the content as their home page are paired too, even if others are between them.
  const homes = [...holders.entries()].filter(([, holder]) => holder.home === 1n)
  for (const [i, [at, a]] of homes.entries())
    for (const [other, b] of homes.slice(i + 1, i + 1 + NEIGHBOURS)) if (other - at > NEIGHBOURS) note(a, b)
}

type Compared = Record<'shared' | 'telling' | 'same_home' | 'total', number>

/** Two sites by rank, in any order. Each pair is compared once. */
export function compare(db: SqliteTx, one: number, other: number): Evidence {
  const a = Math.min(one, other)
  const b = Math.max(one, other)
  const known = db.get<Compared>('SELECT shared, telling, same_home, total FROM compared WHERE a = ? AND b = ?', a, b)
  if (known !== undefined) return evidenceOf(known)
  const found = db.get<Compared>(COMPARE, a, b)!
  db.run(
    'INSERT INTO compared VALUES (?, ?, ?, ?, ?, ?)',
    a,
    b,
    found.shared,
    found.telling,
    found.same_home,
    found.total,
  )
  return evidenceOf(found)
}

export const evidenceOf = ({ shared, telling, same_home, total }: Compared): Evidence => ({
  shared,
  telling,
  sameHome: same_home === 1,
  total,
})

/** Looks up each content of the smaller site in the larger: CROSS JOIN keeps that order. */
export const COMPARE = `
WITH two AS (
  SELECT size.site, size.contents FROM member JOIN size ON size.site = member.site WHERE member.rank IN (?1, ?2)
), small AS (SELECT site FROM two ORDER BY contents, site LIMIT 1),
large AS (SELECT site, contents FROM two ORDER BY contents DESC, site DESC LIMIT 1)
SELECT count(*) AS shared,
  coalesce(sum(too_common.content IS NULL), 0) AS telling,
  coalesce(max(s.home AND l.home AND too_common.content IS NULL), 0) AS same_home,
  (SELECT contents FROM large) AS total
FROM has s
CROSS JOIN has l ON l.site = (SELECT site FROM large) AND l.content = s.content
LEFT JOIN too_common ON too_common.content = s.content
WHERE s.site = (SELECT site FROM small)`
