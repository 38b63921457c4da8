/** What came of captures that were asked for again, for `status`. */
import type { Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'

export interface RecheckSums {
  checked: number
  equal: number
  similar: number
  different: number
  /** Only the worker that had brought it came again. */
  unused: number
  /** Not asked for again yet. */
  open: number
}

export interface WorkerRechecks extends Omit<RecheckSums, 'open' | 'unused'> {
  /** The worker that brought what was checked. */
  worker: string
  name: string | null
}

const SUMS = `count(*) FILTER (WHERE comparison IN ('equal', 'similar', 'different')) AS checked,
  count(*) FILTER (WHERE comparison = 'equal') AS equal, count(*) FILTER (WHERE comparison = 'similar') AS "similar",
  count(*) FILTER (WHERE comparison = 'different') AS different`
const READ_ALL = `SELECT ${SUMS}, count(*) FILTER (WHERE comparison = 'unused') AS unused,
  count(*) FILTER (WHERE comparison IS NULL) AS "open" FROM recheck`
const READ_WORST = `SELECT r.first_worker AS worker, w.name, ${SUMS} FROM recheck r LEFT JOIN worker w ON w.id = r.first_worker
  WHERE comparison IN ('equal', 'similar', 'different') GROUP BY r.first_worker, w.name
  ORDER BY count(*) FILTER (WHERE comparison = 'different') * 1.0 / count(*) DESC, count(*) DESC, r.first_worker LIMIT ?`

export interface Rechecked extends RecheckSums {
  /** The worst first: by the share of what others did not see so. */
  byWorker: WorkerRechecks[]
}

/** Undefined when nothing was ever drawn. */
export async function readRechecks(tx: Tx, atMost: number): Promise<Rechecked | undefined> {
  const sums = (await queries(tx).get<RecheckSums>(READ_ALL))!
  if (sums.checked + sums.unused + sums.open === 0) return undefined
  return { ...sums, byWorker: await queries(tx).all<WorkerRechecks>(READ_WORST, atMost) }
}
