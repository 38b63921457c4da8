/**
 * Links into an alias are entered at the original, and remembered where they were found. When the alias is dropped they wait
 * there again; what a learnt original does not have is fetched there, once.
 */

import { signed64 } from '../../base/digest.ts'
import type { Link } from '../../contracts/report.ts'
import { LEARNT, type Replaced, urlsAtAlias } from '../aliases.ts'
import { NOT_FOUND, REPLACED, WAITING } from '../rules/mark.ts'
import { keyOf, sitesOf, wake } from '../rules/site.ts'
import type { UrlAt } from '../rules/spellings.ts'
import { aliasesAmong } from './aliases.ts'
import { bySite, column, eachBucket } from './by-bucket.ts'
import { enqueue } from './enqueue.ts'
import type { MissingPage } from './mark-pages.ts'
import type { WorkingSet } from './working-set.ts'

export const READ_MISSING = `
  SELECT u.site, u.key FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  JOIN url u ON u.bucket = $1 AND u.site = n.site AND u.key = n.key WHERE u.mark = ${NOT_FOUND}`

/** After the links at the originals are entered and flushed. */
export async function keepReplaced(working: WorkingSet, replaced: readonly Replaced[]): Promise<void> {
  if (replaced.length === 0) return
  const groups = sitesOf(replaced.map((each) => ({ ...each, site: each.link.site })))
  await working.sites.lock(groups.map(({ key }) => key))
  const open = groups.flatMap(({ key, name, members }) => {
    const site = working.sites.get(key)
    return site === undefined || site.name !== name || site.state === 'barred' ? [] : [{ site, members }]
  })
  const links = open.flatMap(({ site, members }) =>
    members.map(({ link }): UrlAt => ({ site: site.key, key: signed64(link.key) })),
  )
  const learnt = open.flatMap(({ members }) => members.filter(({ how }) => how === LEARNT))
  const [names, , missing] = await Promise.all([
    aliasesAmong(
      working.tx,
      open.map(({ site }) => site.key),
    ),
    working.readUrls(links),
    readMissing(working, learnt),
  ])
  for (const { site, members } of open) {
    const elsewhere: Link[] = []
    const here: Link[] = []
    for (const { link, there, how } of members) {
      if (how === LEARNT && missing.has(nameOf(rowAt(there)))) here.push({ ...link, via: there.url })
      else if (names.has(site.key)) elsewhere.push(link)
      else here.push(link)
    }
    enqueue(working, site, elsewhere, REPLACED)
    if (enqueue(working, site, here) > 0) wake(working, site)
  }
}

/** Those that the server said are not there, with the changes of this transaction. */
async function readMissing({ tx, urls }: WorkingSet, learnt: readonly Replaced[]): Promise<Set<string>> {
  const rows = learnt.map(({ there }) => rowAt(there))
  const here = rows.filter((at) => urls.isRead(at) && urls.get(at.site, at.key)?.mark === NOT_FOUND)
  const unread = rows.filter((at) => !urls.isRead(at))
  const there = await eachBucket(unread, bySite, (bucket, some) =>
    tx.allExact<UrlAt>(READ_MISSING, bucket, column(some, 'site'), column(some, 'key')),
  )
  return new Set([...here, ...there.flat()].map(nameOf))
}

function rowAt({ site, key }: Link): UrlAt {
  return { site: keyOf(site), key: signed64(key) }
}

function nameOf({ site, key }: UrlAt): string {
  return `${site} ${key}`
}

/** Originals do not have these pages: a link to an alias may have meant that site. */
export async function reviveAtAliases(working: WorkingSet, all: readonly MissingPage[]): Promise<void> {
  const tries = all.flatMap(({ original, page }) =>
    working.names
      .learntNamesOf(original.name)
      .flatMap((site) =>
        urlsAtAlias(working.tools.urls, site, page).map((key) => ({ site, key: signed64(key), original, page })),
      ),
  )
  if (tries.length === 0) return
  const groups = sitesOf(tries)
  await working.sites.lock(groups.map(({ key }) => key))
  await working.readUrls(groups.flatMap(({ key: site, members }) => members.map(({ key }) => ({ site, key }))))
  for (const { key: siteKey, name, members } of groups) {
    const site = working.sites.get(siteKey)
    if (site === undefined || site.name !== name || site.state === 'barred') continue
    let revived = 0
    for (const { key, original, page } of members) {
      const row = working.urls.get(siteKey, key)
      if (row?.mark !== REPLACED) continue
      // The referrer becomes the page at the original, so that the URL is not moved there again.
      const via = { via_site: original.key, via_key: signed64(page.key) }
      Object.assign(row, { mark: WAITING, due_at: 0, tries: 0, ...via })
      working.urls.change(row)
      revived++
    }
    if (revived === 0) continue
    site.waiting += revived
    working.sites.change(site)
    wake(working, site)
  }
}
