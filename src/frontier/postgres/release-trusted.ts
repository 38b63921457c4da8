import { domainOf, HELD, STAYS } from '../domains.ts'
import { release } from './balance-domain.ts'
import { bucketFor } from './by-bucket.ts'
import type { Sheaf } from './sheaf.ts'

export const READ_HELD_FROM = `
  SELECT site FROM stranger WHERE (bucket, site) > ($1, $2) AND standing = ${HELD} ORDER BY bucket, site LIMIT $3`
const MOST_AT_ONCE = 1000

/** Held sites that the operator does not want held any more, some at a time, after `last`; says with which to go on. */
export async function releaseTrusted(sheaf: Sheaf, last: bigint | undefined): Promise<bigint | undefined> {
  const from = last === undefined ? [-1, 0n] : [bucketFor(last), last]
  const rows = await sheaf.tx.allExact<{ site: bigint }>(READ_HELD_FROM, ...from, MOST_AT_ONCE)
  const keys = rows.map(({ site }) => site)
  await sheaf.sites.lock(keys)
  const trusted = keys.flatMap((key) => {
    const site = sheaf.sites.get(key)
    return site === undefined || sheaf.rules.mayHold(site.name) ? [] : [site]
  })
  await Promise.all([
    sheaf.strangers.read(trusted.map(({ key }) => key)),
    sheaf.domains.read(trusted.map(({ name }) => domainOf(name))),
  ])
  for (const site of trusted) {
    const stranger = sheaf.strangers.get(site.key)
    const domain = sheaf.domains.get(domainOf(site.name))
    if (stranger?.standing !== HELD || domain === undefined) continue
    stranger.standing = STAYS
    sheaf.strangers.change(stranger)
    domain.held--
    sheaf.domains.change(domain)
    release(sheaf, site)
  }
  return keys.length < MOST_AT_ONCE ? undefined : keys[keys.length - 1]
}
