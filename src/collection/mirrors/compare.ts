/** What two sites have in common, exactly; each pair is compared once. */
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { Evidence } from './heuristics.ts'

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
