import { signed64 } from '../../base/digest.ts'
import type { WebUrl } from '../../web/url/web-url.ts'
import type { ScheduledUrl } from '../contract.ts'
import { endorse, NO_REFERRER, registerInDomain, release } from '../rules/domains.ts'
import { newSite, type SiteRow, wake } from '../rules/site.ts'
import { scheduledBySite } from '../tools.ts'
import { balanceDomain } from './domains.ts'
import { readSite, writeSite } from './site-rows.ts'
import type { Work } from './work.ts'

/** A URL that waits already keeps the earlier time; one that was never visited is due at once. */
export const HASTEN = `UPDATE url SET due_at = min(due_at, ?) WHERE site = ? AND key = ? AND mark = 0`
export const SCHEDULE_AGAIN = `UPDATE url SET mark = 0, due_at = ?, seq = ?, tries = 0 WHERE site = ? AND key = ?`
export const SCHEDULE_NEW = `
  INSERT INTO url (site, key, url, depth, via_site, via_key, path, seq, enqueued_at, due_at, tries, mark)
  VALUES (?, ?, ?, 0, NULL, NULL, '', ?, ?, ?, 0, 0)`

export function schedule(work: Work, scheduled: readonly ScheduledUrl[]): void {
  for (const { key, name, members } of scheduledBySite(work.tools, scheduled)) {
    const known = readSite(work.tx, key)
    const site = known ?? newSite(key, name, work.now)
    if (site.state === 'barred' || site.name !== name) continue
    // Scheduling a URL endorses its site.
    const endorsed = endorse(work, site, NO_REFERRER, true)
    const domain = known === undefined ? registerInDomain(work, site, NO_REFERRER, false) : endorsed?.domain
    for (const { url, dueAt } of members) scheduleOne(work, site, url, dueAt)
    if (endorsed?.wasHeld) release(work, site)
    wake(work, site)
    writeSite(work.tx, site)
    if (domain !== undefined) balanceDomain(work, domain)
  }
}

function scheduleOne({ tx, now }: Work, site: SiteRow, url: WebUrl, dueAt: number): void {
  const key = signed64(url.key)
  if (tx.run(HASTEN, dueAt, site.key, key) === 1) return
  site.seq++
  site.waiting++
  if (tx.run(SCHEDULE_AGAIN, dueAt, site.seq, site.key, key) === 1) return
  tx.run(SCHEDULE_NEW, site.key, key, url.href, site.seq, now, dueAt)
  site.known++
}
