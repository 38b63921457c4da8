import { signed64 } from '../../base/digest.ts'
import type { WebUrl } from '../../web/url/web-url.ts'
import type { ScheduledUrl } from '../ledger.ts'
import { WAITING } from '../rules/mark.ts'
import type { SiteRow } from '../rules/site.ts'
import { sitesOf } from '../rules/site.ts'
import { balanceDomain, endorse, prepareToWeigh, registerInDomain, release } from './domains.ts'
import type { WorkingSet } from './working-set.ts'

/** Whoever wishes for a site speaks for it: no page, but the coordinator. */
const NO_REFERRER = [{ via: '' }]

/** What is no URL is a planner's bug and is passed over: a wish promises nothing. */
export async function schedule(working: WorkingSet, scheduled: readonly ScheduledUrl[]): Promise<void> {
  const groups = sitesOf(
    scheduled.flatMap(({ url, dueAt }) => {
      const parsed = working.tools.urls.parse(url)
      const due = Math.max(1, working.tools.time.of(dueAt))
      return parsed === undefined ? [] : [{ url: parsed, site: parsed.site, dueAt: due }]
    }),
  )
  await working.sites.make(groups, working.now)
  const targets = groups.map(({ key, name }) => ({ key, name, members: NO_REFERRER }))
  const places = groups.flatMap(({ key: site, members }) =>
    members.map(({ url }) => ({ site, key: signed64(url.key) })),
  )
  await Promise.all([working.readUrls(places), prepareToWeigh(working, targets, true)])
  for (const { key, name, members } of groups) {
    const site = working.sites.get(key)
    if (site === undefined || site.state === 'barred' || site.name !== name) continue
    const endorsed = working.sites.isMade(key) ? undefined : endorse(working, site, [], true)
    const domain = working.sites.isMade(key) ? registerInDomain(working, site, NO_REFERRER, false) : endorsed?.domain
    members.sort((a, b) => (signed64(a.url.key) < signed64(b.url.key) ? -1 : 1))
    for (const { url, dueAt } of members) scheduleOne(working, site, url, dueAt)
    if (endorsed?.wasHeld) release(working, site)
    working.wake(site)
    working.sites.change(site)
    if (domain?.wildcard === 1) await balanceDomain(working, domain)
  }
  await working.flush()
}

/** A URL that waits already keeps the earlier time; one that was never visited is due at once anyway. */
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
