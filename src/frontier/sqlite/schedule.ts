import { signed64 } from '../../base/digest.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { WebUrl } from '../../web/url/web-url.ts'
import type { ScheduledUrl } from '../ledger.ts'
import { newSite, type SiteRow, sitesOf } from '../rules/site.ts'
import { balanceDomain, endorse, registerInDomain, release } from './domains.ts'
import { readSite, wake, writeSite } from './site-rows.ts'
import type { FrontierTools } from './tools.ts'

/** A URL that waits already keeps the earlier time; one that was never visited is due at once anyway. */
export const HASTEN = `UPDATE url SET due_at = min(due_at, ?) WHERE site = ? AND key = ? AND mark = 0`
export const SCHEDULE_AGAIN = `UPDATE url SET mark = 0, due_at = ?, seq = ?, tries = 0 WHERE site = ? AND key = ?`
export const SCHEDULE_NEW = `
  INSERT INTO url (site, key, url, depth, via_site, via_key, path, seq, enqueued_at, due_at, tries, mark)
  VALUES (?, ?, ?, 0, NULL, NULL, '', ?, ?, ?, 0, 0)`

/** What is no URL is a planner's bug and is passed over: a wish promises nothing. */
export function schedule(tx: SqliteTx, tools: FrontierTools, scheduled: readonly ScheduledUrl[]): void {
  const now = tools.time.now()
  const read = scheduled.flatMap(({ url, dueAt }) => {
    const parsed = tools.urls.parse(url)
    return parsed === undefined ? [] : [{ url: parsed, site: parsed.site, dueAt: Math.max(1, tools.time.of(dueAt)) }]
  })
  for (const { key, name, members } of sitesOf(read)) {
    const known = readSite(tx, key)
    const site = known ?? newSite(key, name, now)
    if (site.state === 'barred' || site.name !== name) continue
    // Whoever wishes for it speaks for it.
    const endorsed = endorse(tx, tools, site, [], true)
    const domain = known === undefined ? registerInDomain(tx, tools, site, [{ via: '' }], false) : endorsed?.domain
    members.sort((a, b) => (signed64(a.url.key) < signed64(b.url.key) ? -1 : 1))
    for (const { url, dueAt } of members) scheduleOne(tx, site, url, dueAt, now)
    if (endorsed?.wasHeld) release(tx, tools, site)
    wake(tx, tools, site)
    writeSite(tx, site)
    if (domain !== undefined) balanceDomain(tx, tools, domain)
  }
}

function scheduleOne(tx: SqliteTx, site: SiteRow, url: WebUrl, dueAt: number, now: number): void {
  const key = signed64(url.key)
  if (tx.run(HASTEN, dueAt, site.key, key) === 1) return
  site.seq++
  site.waiting++
  if (tx.run(SCHEDULE_AGAIN, dueAt, site.seq, site.key, key) === 1) return
  tx.run(SCHEDULE_NEW, site.key, key, url.href, site.seq, now, dueAt)
  site.known++
}
