/** Parts of reports in the inbox that will never be applied: nobody can, or nobody knows their visit. */
import { signed64 } from '../../base/digest.ts'
import { bucketOf } from '../../database/bucket.ts'
import type { Database, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { readVisitId } from '../../frontier/rules/visit.ts'
import { MAX_OF_A_KIND, type Orphan } from './orphan.ts'

interface Part {
  bucket: number
  visit: string
  part: number
  fence: number
  site: string
  bytes: number
  corrupt: string | null
}

const COLUMNS = 'bucket, visit, part, fence, site, length(body) AS bytes, corrupt'
const READ_SPOILT = `SELECT ${COLUMNS} FROM inbox WHERE corrupt IS NOT NULL ORDER BY visit, part LIMIT ?`
const READ_WAITING = `SELECT ${COLUMNS} FROM inbox WHERE corrupt IS NULL ORDER BY visit, part LIMIT ?`
const READ_FENCE = 'SELECT fence FROM site WHERE bucket = ? AND key = ?'
/** What was spoilt stays so, and a visit that is over never comes back: whoever applies it meanwhile has removed it himself. */
const REMOVE = 'DELETE FROM inbox WHERE bucket = ? AND visit = ? AND part = ?'

export function orphanParts(database: Database): Promise<Orphan[]> {
  return database.read(async (tx) => {
    const found: Orphan[] = []
    const add = (part: Part, why: string) => found.push(orphanOf(database, part, why))
    for (const part of await queries(tx).all<Part>(READ_SPOILT, MAX_OF_A_KIND))
      add(part, `cannot be applied: ${part.corrupt}`)
    for (const part of await queries(tx).all<Part>(READ_WAITING, MAX_OF_A_KIND)) {
      const why = await whyUnknown(tx, part)
      if (why !== undefined) add(part, why)
    }
    return found
  })
}

async function whyUnknown(tx: Tx, { visit, fence }: Part): Promise<string | undefined> {
  const id = readVisitId(visit)
  if (id === undefined || id.fence !== fence) return 'no visit has such a name'
  const key = signed64(id.site)
  const site = await queries(tx).get<{ fence: number }>(READ_FENCE, bucketOf(tx.dialect, key), key)
  if (site === undefined) return 'nobody knows its site'
  if (site.fence < fence) return 'there was no such visit'
  return site.fence > fence ? 'its site went to another visit since' : undefined
}

function orphanOf(database: Database, part: Part, why: string): Orphan {
  const { bucket, visit, bytes, site } = part
  return {
    kind: 'part',
    name: `${visit} part ${part.part} (${site})`,
    why,
    bytes,
    remove: () => database.transact(async (tx) => (await queries(tx).run(REMOVE, bucket, visit, part.part)) > 0),
  }
}
