/** The key under which the tables know a site: 64 bits of its name, as the frontier and packed links have them. */
import { hash64, signed64 } from '../base/digest.ts'
import type { SiteName } from '../contracts/visit.ts'
import { bucketOf } from '../database/bucket.ts'
import type { Dialect } from '../database/database.ts'

export function siteKeyOf(site: SiteName): bigint {
  return signed64(hash64(site))
}

/** The first two values of a question about a site (`bucket = ? AND site = ?`), from its key. */
export function siteAt(dialect: Dialect, key: bigint): [bucket: number, site: bigint] {
  return [bucketOf(dialect, key), key]
}
