/** The key under which the tables know a site: 64 bits of its name, as the frontier and packed links have them. */
import { hash64, signed64 } from '../base/digest.ts'
import type { SiteName } from '../visit/visit.ts'

export function siteKeyOf(site: SiteName): bigint {
  return signed64(hash64(site))
}
