/**
 * Links into an alias are entered at the original, and remembered where they were found. When the alias is dropped they wait
 * there again; what a learnt original does not have is fetched there, once.
 */
import { signed64 } from '../../base/digest.ts'
import type { Link, PageReport } from '../../contracts/report.ts'
import { LEARNT, type Replaced, urlsAtAlias } from '../aliases.ts'
import { NOT_FOUND, REPLACED, WAITING } from '../rules/mark.ts'
import { keyOf, type SiteRow, sitesOf, wake } from '../rules/site.ts'
import { enqueue } from './enqueue.ts'
import { growSite, readSite, writeSite } from './site-rows.ts'
import { readText } from './spellings.ts'
import type { Work } from './work.ts'

/** The referrer becomes the page at the original, so that the URL is not moved there again. */
export const REVIVE_ONE = `
  UPDATE url SET mark = ${WAITING}, due_at = 0, tries = 0, via_site = ?, via_key = ?
  WHERE site = ? AND key = ? AND mark = ${REPLACED}`

export function keepReplaced(work: Work, replaced: readonly Replaced[]): void {
  for (const { key, name, members } of sitesOf(replaced.map((each) => ({ ...each, site: each.link.site })))) {
    const site = readSite(work.tx, key)
    if (site === undefined || site.name !== name || site.state === 'barred') continue
    const before = site.known
    const elsewhere: Link[] = []
    const missing: Link[] = []
    for (const { link, there, how } of members)
      if (how === LEARNT && isMissing(work, there)) missing.push({ ...link, via: there.url })
      else elsewhere.push(link)
    enqueue(work, site, elsewhere, REPLACED)
    const fresh = enqueue(work, site, missing)
    if (fresh > 0 || site.known > before) writeGrown(work, site, fresh > 0)
  }
}

function isMissing({ tx }: Work, { site, key }: Link): boolean {
  return readText(tx, keyOf(site), signed64(key))?.mark === NOT_FOUND
}

/** The original does not have the page: a link to an alias may have meant that site. */
export function tryAliases(work: Work, original: SiteRow, page: PageReport): void {
  for (const name of work.tools.aliases.learntNamesOf(original.name)) {
    const site = readSite(work.tx, keyOf(name))
    if (site === undefined || site.name !== name || site.state === 'barred') continue
    let revived = 0
    for (const key of urlsAtAlias(work.tools.urls, name, page))
      revived += work.tx.run(REVIVE_ONE, original.key, signed64(page.key), site.key, signed64(key))
    if (revived === 0) continue
    site.waiting += revived
    writeGrown(work, site, true)
  }
}

/** A site that got URLs. `waiting`: some of them wait. */
export function writeGrown(work: Work, site: SiteRow, waiting: boolean): void {
  if (waiting && wake(work, site)) writeSite(work.tx, site)
  else growSite(work.tx, site)
}
