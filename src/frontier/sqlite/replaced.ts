/**
 * Links into another name of a site are entered at the original, and remembered where they were found: when the name turns
 * out to be none they wait there, and what a learnt original does not have is asked for there, once.
 */
import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { Link, PageReport } from '../../contracts/report.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { siteKey } from '../../web/url/web-url.ts'
import type { Replaced } from '../aliases.ts'
import { LEARNT } from '../aliases.ts'
import { NOT_FOUND, REPLACED, WAITING } from '../rules/mark.ts'
import type { SiteRow } from '../rules/site.ts'
import { sitesOf } from '../rules/site.ts'
import { enqueue } from './enqueue.ts'
import { growSite, readSite, wake, writeSite } from './site-rows.ts'
import { readText } from './spellings.ts'
import type { FrontierTools } from './tools.ts'

/** It says that it was found at the original, so that it is not moved there again. */
export const REVIVE_ONE = `
  UPDATE url SET mark = ${WAITING}, due_at = 0, tries = 0, via_site = ?, via_key = ?
  WHERE site = ? AND key = ? AND mark = ${REPLACED}`

export function keepReplaced(tx: SqliteTx, tools: FrontierTools, replaced: readonly Replaced[], now: Instant): void {
  for (const { key, name, members } of sitesOf(replaced.map((each) => ({ ...each, site: each.link.site })))) {
    const site = readSite(tx, key)
    if (site === undefined || site.name !== name || site.state === 'barred') continue
    const before = site.known
    const elsewhere: Link[] = []
    const missing: Link[] = []
    for (const { link, there, how } of members) {
      if (how === LEARNT && isMissing(tx, there)) missing.push({ ...link, via: there.url })
      else elsewhere.push(link)
    }
    enqueue(tx, site, elsewhere, now, REPLACED)
    const fresh = enqueue(tx, site, missing, now)
    if (fresh > 0 && wake(tx, tools, site)) writeSite(tx, site)
    else if (site.known > before) growSite(tx, site)
  }
}

function isMissing(tx: SqliteTx, { site, key }: Replaced['there']): boolean {
  return readText(tx, signed64(siteKey(site)), signed64(key))?.mark === NOT_FOUND
}

/** The original does not have it: who linked to it by the other name may have meant that one. */
export function tryOtherName(tx: SqliteTx, tools: FrontierTools, original: SiteRow, page: PageReport): void {
  const names = tools.aliases.learntNamesOf(original.name)
  if (names.length === 0) return
  const path = tools.urls.parse(page.url)?.path
  if (path === undefined) return
  for (const name of names) {
    const site = readSite(tx, signed64(siteKey(name)))
    if (site === undefined || site.name !== name || site.state === 'barred') continue
    let revived = 0
    for (const scheme of ['http', 'https']) {
      const url = tools.urls.parse(`${scheme}://${name}${path}`)
      if (url !== undefined)
        revived += tx.run(REVIVE_ONE, original.key, signed64(page.key), site.key, signed64(url.key))
    }
    if (revived === 0) continue
    site.waiting += revived
    if (wake(tx, tools, site)) writeSite(tx, site)
    else growSite(tx, site)
  }
}
