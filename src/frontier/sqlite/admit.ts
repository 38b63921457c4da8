import { signed64 } from '../../base/digest.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { Link } from '../../visit/report.ts'
import type { SiteName } from '../../visit/visit.ts'
import { siteKey } from '../../web/url/web-url.ts'
import type { Admitted } from '../ledger.ts'
import { enqueue, freshen } from './enqueue.ts'
import { growSite } from './grow-site.ts'
import { readSite } from './read-site.ts'
import type { Rules } from './rules.ts'
import { newSite, type SiteRow } from './site-row.ts'
import { wake } from './wake.ts'
import { writeSite } from './write-site.ts'

export const READ_IS_KNOWN = `SELECT 1 FROM url WHERE site = ? AND key = ?`

/**
 * `asSeeds` remembers that the operator named the sites. Most links abroad are known by now: they are told apart before
 * their site's row is read, which costs five times as much.
 */
export function admit(tx: SqliteTx, rules: Rules, links: readonly Link[], asSeeds = false): Admitted {
  const admitted: Admitted = { fresh: 0, sites: 0 }
  const now = rules.time.now()
  for (const { key, name, members: all } of sitesOf(links)) {
    const members = all.filter((link) => {
      if (tx.get(READ_IS_KNOWN, key, signed64(link.key)) === undefined) return true
      freshen(tx, key, link)
      return false
    })
    if (members.length === 0 && !asSeeds) continue
    const known = readSite(tx, key)
    // Two names with the same 64 bits: the second is never crawled, rather than asked under the courtesy of the first.
    if (known !== undefined && known.name !== name) continue
    const site = known ?? newSite(key, name, now)
    const fresh = enqueue(tx, site, members, now)
    const named = asSeeds && site.seed === 0
    if (fresh === 0 && !named) continue
    if (named) site.seed = 1
    const woken = fresh > 0 && wake(tx, rules, site)
    if (known === undefined || woken) writeSite(tx, site)
    else growSite(tx, site)
    admitted.fresh += fresh
    if (known === undefined) admitted.sites++
  }
  return admitted
}

interface Group<Member> {
  key: SiteRow['key']
  name: SiteName
  members: Member[]
}

/** Members by site, in the order of the sites' keys; within a site in the order given. */
export function sitesOf<Member extends { site: SiteName }>(all: readonly Member[]): Group<Member>[] {
  const groups = new Map<SiteName, Group<Member>>()
  for (const member of all) {
    const group = groups.get(member.site)
    if (group !== undefined) group.members.push(member)
    else groups.set(member.site, { key: signed64(siteKey(member.site)), name: member.site, members: [member] })
  }
  return [...groups.values()].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
}
