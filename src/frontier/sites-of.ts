import { signed64 } from '../base/digest.ts'
import type { SiteName } from '../contracts/visit.ts'
import { siteKey } from '../web/url/web-url.ts'
import type { SiteRow } from './site-row.ts'

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
