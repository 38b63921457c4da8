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

const COUNT_HOLDERS = 'INSERT INTO content (content, sites) SELECT content, count(*) FROM has GROUP BY content'
const NOTE_COMMON = `INSERT INTO too_common SELECT content FROM content WHERE sites > ${MAX_SITES_PER_CONTENT}`
/** The sites of each content that some have, by size: `nth` among all of them, `home_nth` among those whose home page it is. */
const NOTE_HOLDERS = `
  INSERT INTO holder (content, nth, home_nth, site)
  SELECT content, row_number() OVER (PARTITION BY content ORDER BY size.contents, site),
    CASE home WHEN 1 THEN row_number() OVER (PARTITION BY content, home ORDER BY size.contents, site) END, site
  FROM has JOIN content USING (content) JOIN size USING (site) WHERE sites BETWEEN 2 AND ${MAX_SITES_PER_CONTENT}`
/**
 * Each site meets the next larger holders of a content (a is the smaller one), and the next that have it as their home page too,
 * even if others are between them. Two that share only one content, and not their home pages, share too little for any heuristic.
 */
const NOTE_CANDIDATES = `
  WITH meeting AS (
    SELECT a.site AS a, b.site AS b, a.home_nth IS NOT NULL AND b.home_nth IS NOT NULL AS home
    FROM holder a JOIN holder b ON b.content = a.content AND b.nth > a.nth AND b.nth <= a.nth + ${NEIGHBOURS}
    UNION ALL
    SELECT a.site, b.site, 1 FROM holder a JOIN holder b ON b.content = a.content AND b.nth > a.nth + ${NEIGHBOURS}
    WHERE b.home_nth > a.home_nth AND b.home_nth <= a.home_nth + ${NEIGHBOURS}
  )
  INSERT INTO candidate (a, b)
  SELECT a, b FROM (
    SELECT a, b, row_number() OVER (PARTITION BY a ORDER BY home DESC, times DESC, b) AS nth FROM (
      SELECT a, b, count(*) AS times, max(home) AS home FROM meeting GROUP BY a, b
      HAVING times > 1 OR max(home) = 1
    ) JOIN size one ON one.site = a JOIN size other ON other.site = b
    WHERE home = 1 OR one.contents >= other.contents * ${MIN_SHARE}
  ) WHERE nth <= ${MAX_CANDIDATES}`

/** Returns the number of contents, and of those that too many sites have. */
export async function pairCandidates(scratch: Database): Promise<{ contents: number; tooCommon: number }> {
  return scratch.transact((tx) => {
    const db = sqliteTx(tx)
    const contents = db.run(COUNT_HOLDERS)
    const tooCommon = db.run(NOTE_COMMON)
    db.run(NOTE_HOLDERS)
    db.run(NOTE_CANDIDATES)
    db.run('DELETE FROM holder')
    return { contents, tooCommon }
  })
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
