import { signed64 } from '../../base/digest.ts'
import type { WebUrl } from '../../web/url/web-url.ts'
import type { ScheduledUrl } from '../contract.ts'
import { endorse, NO_REFERRER, release } from '../rules/domains.ts'
import { WAITING } from '../rules/mark.ts'
import { type SiteRow, wake } from '../rules/site.ts'
import { scheduledBySite } from '../tools.ts'
import { balanceDomain, prepareToWeigh, register } from './domains.ts'
import type { WorkingSet } from './working-set.ts'

export async function schedule(working: WorkingSet, scheduled: readonly ScheduledUrl[]): Promise<void> {
  const groups = scheduledBySite(working.tools, scheduled)
  await working.sites.make(groups, working.now)
  // Scheduling a URL endorses its site.
  const targets = groups.map(({ key, name }) => ({ key, name, members: NO_REFERRER }))
  const rows = groups.flatMap(({ key: site, members }) => members.map(({ url }) => ({ site, key: signed64(url.key) })))
  await Promise.all([working.readUrls(rows), prepareToWeigh(working, targets, true)])
  for (const { key, name, members } of groups) {
    const site = working.sites.get(key)
    if (site === undefined || site.state === 'barred' || site.name !== name) continue
    const endorsed = working.sites.isMade(key) ? undefined : endorse(working, site, NO_REFERRER, true)
    const domain = working.sites.isMade(key) ? register(working, site, NO_REFERRER, false) : endorsed?.domain
    for (const { url, dueAt } of members) scheduleOne(working, site, url, dueAt)
    if (endorsed?.wasHeld) release(working, site)
    wake(working, site)
    working.sites.change(site)
    if (domain?.wildcard === 1) await balanceDomain(working, domain)
  }
  await working.flush()
}

/** A URL that waits already keeps the earlier time; one that was never visited is due at once. */
function scheduleOne(working: WorkingSet, site: SiteRow, url: WebUrl, dueAt: number): void {
  const key = signed64(url.key)
  const known = working.urls.get(site.key, key)
  if (known?.mark === WAITING) {
    if (known.due_at <= dueAt) return
    known.due_at = dueAt
    working.urls.change(known)
    return
  }
  site.seq++
  site.waiting++
  if (known !== undefined) {
    Object.assign(known, { mark: WAITING, due_at: dueAt, seq: site.seq, tries: 0 })
    working.urls.change(known)
    return
  }
  working.urls.add({
    site: site.key,
    key,
    url: url.href,
    depth: 0,
    via_site: null,
    via_key: null,
    path: '',
    seq: site.seq,
    enqueued_at: working.now,
    due_at: dueAt,
    tries: 0,
    mark: WAITING,
    lastmod: null,
  })
  site.known++
}
