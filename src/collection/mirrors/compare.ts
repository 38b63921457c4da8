/**
 * Which sites are worth comparing: those that meet at contents that few sites have. All pairs of the sites of a content
 * would be quadratic, so each site meets only its neighbours in the order of size: mirrors are of about one size. A content
 * with up to nine sites makes all pairs; one with a hundred makes a chain, and groups come together from such chains.
 */
import type { Database } from '../../database/database.ts'
import { type SqliteTx, sqliteTx } from '../../database/sqlite/tx.ts'
import { type Evidence, MIN_SHARE } from './heuristics.ts'

/**
 * A content that more sites have is no evidence: the default page of a server, a parked domain, a licence. Real mirrors
 * with more names than this exist, a handful in a national web; parked domains with thousands are common.
 */
export const MAX_SITES_OF_A_CONTENT = 100
const NEIGHBOURS = 8
/** Of one site, the most promising first. Hostile sites may meet everybody; comparing costs their contents each time. */
const MAX_CANDIDATES = 64

interface Holder {
  content: bigint
  site: bigint
  home: bigint
}

/** Says how many contents there are, and how many of them too many sites have. */
export async function meet(scratch: Database): Promise<{ contents: number; tooCommon: number }> {
  return scratch.transact((tx) => {
    const db = sqliteTx(tx)
    let contents = 0
    let tooCommon = 0
    let holders: Holder[] = []
    let content: bigint | undefined
    const end = () => {
      if (content === undefined) return
      contents++
      if (holders.length > MAX_SITES_OF_A_CONTENT) tooCommon += db.run('INSERT INTO too_common VALUES (?)', content)
      else if (holders.length > 1) noteMeetings(db, holders)
      holders = []
    }
    const rows = db.eachExact<Holder>(
      `SELECT has.content, has.site, has.home FROM has JOIN size ON size.site = has.site
       ORDER BY has.content, size.contents, has.site`,
    )
    for (const row of rows) {
      if (row.content !== content) end()
      content = row.content
      if (holders.length <= MAX_SITES_OF_A_CONTENT) holders.push(row)
    }
    end()
    // Two that met once only, and not at their home pages, share too little for any heuristic, or far too much with others.
    db.run(
      `INSERT INTO candidate (a, b)
       SELECT a, b FROM (
         SELECT a, b, row_number() OVER (PARTITION BY a ORDER BY home DESC, times DESC, b) AS place FROM (
           SELECT a, b, count(*) AS times, max(home) AS home FROM meeting GROUP BY a, b
           HAVING times > 1 OR max(home) = 1
         ) JOIN size one ON one.site = a JOIN size other ON other.site = b
         WHERE home = 1 OR one.contents >= other.contents * ?
       ) WHERE place <= ?`,
      MIN_SHARE,
      MAX_CANDIDATES,
    )
    db.run('DELETE FROM meeting')
    return { contents, tooCommon }
  })
}

/** In the order of size: `a` is the smaller one. */
function noteMeetings(db: SqliteTx, holders: readonly Holder[]): void {
  const note = (a: Holder, b: Holder) =>
    db.run('INSERT INTO meeting VALUES (?, ?, ?)', a.site, b.site, a.home === 1n && b.home === 1n ? 1 : 0)
  for (const [i, a] of holders.entries()) for (const b of holders.slice(i + 1, i + 1 + NEIGHBOURS)) note(a, b)
  // Those whose home page it is also meet each other, whoever stands between.
  const homes = [...holders.entries()].filter(([, holder]) => holder.home === 1n)
  for (const [i, [at, a]] of homes.entries())
    for (const [place, b] of homes.slice(i + 1, i + 1 + NEIGHBOURS)) if (place - at > NEIGHBOURS) note(a, b)
}

/** What two sites have in common, exactly; each pair is compared once. */

interface Compared {
  shared: number
  telling: number
  same_home: number
  total: number
}

/** By rank, in any order. */
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

/** Goes through the contents of the smaller one and looks each up in the other: CROSS JOIN keeps that order. */
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
