import { signed64 } from '../../base/digest.ts'
import type { WebUrl } from '../../web/url/web-url.ts'
import type { Wish } from '../ledger.ts'
import { WAITING } from '../mark.ts'
import type { SiteRow } from '../site-row.ts'
import { sitesOf } from '../sites-of.ts'
import { balanceDomain, release } from './balance-domain.ts'
import { enrol } from './enrol.ts'
import { prepareToHear } from './hear.ts'
import type { Sheaf } from './sheaf.ts'
import { vouch } from './vouch.ts'

/** Whoever wishes for a site speaks for it: no page, but the house. */
const THE_HOUSE = [{ via: '' }]

/** What is no URL is a planner's bug and is passed over: a wish promises nothing. */
export async function wish(sheaf: Sheaf, wishes: readonly Wish[]): Promise<void> {
  const groups = sitesOf(
    wishes.flatMap(({ url, dueAt }) => {
      const parsed = sheaf.rules.urls.parse(url)
      const due = Math.max(1, sheaf.rules.time.of(dueAt))
      return parsed === undefined ? [] : [{ url: parsed, site: parsed.site, dueAt: due }]
    }),
  )
  await sheaf.sites.make(groups, sheaf.now)
  const targets = groups.map(({ key, name }) => ({ key, name, members: THE_HOUSE }))
  const places = groups.flatMap(({ key: site, members }) =>
    members.map(({ url }) => ({ site, key: signed64(url.key) })),
  )
  await Promise.all([sheaf.readUrls(places), prepareToHear(sheaf, targets, true)])
  for (const { key, name, members } of groups) {
    const site = sheaf.sites.get(key)
    if (site === undefined || site.state === 'barred' || site.name !== name) continue
    const vouched = sheaf.sites.isMade(key) ? undefined : vouch(sheaf, site, [], true)
    const domain = sheaf.sites.isMade(key) ? enrol(sheaf, site, THE_HOUSE, false) : vouched?.domain
    members.sort((a, b) => (signed64(a.url.key) < signed64(b.url.key) ? -1 : 1))
    for (const { url, dueAt } of members) wishOne(sheaf, site, url, dueAt)
    if (vouched?.wasHeld) release(sheaf, site)
    sheaf.wake(site)
    sheaf.sites.change(site)
    if (domain?.wildcard === 1) await balanceDomain(sheaf, domain)
  }
  await sheaf.flush()
}

/** A URL that waits already keeps the earlier time; one that was never visited is due at once anyway. */
function wishOne(sheaf: Sheaf, site: SiteRow, url: WebUrl, dueAt: number): void {
  const key = signed64(url.key)
  const known = sheaf.urls.get(site.key, key)
  if (known?.mark === WAITING) {
    if (known.due_at <= dueAt) return
    known.due_at = dueAt
    sheaf.urls.change(known)
    return
  }
  site.seq++
  site.waiting++
  if (known !== undefined) {
    Object.assign(known, { mark: WAITING, due_at: dueAt, seq: site.seq, tries: 0 })
    sheaf.urls.change(known)
    return
  }
  sheaf.urls.add({
    site: site.key,
    key,
    url: url.href,
    depth: 0,
    via_site: null,
    via_key: null,
    path: '',
    seq: site.seq,
    enqueued_at: sheaf.now,
    due_at: dueAt,
    tries: 0,
    mark: WAITING,
    lastmod: null,
  })
  site.known++
}
