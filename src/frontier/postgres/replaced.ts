/**
 * Links into another name of a site are entered at the original, and remembered where they were found: when the name turns
 * out to be none they wait there, and what a learnt original does not have is asked for there, once.
 */
import { signed64 } from '../../base/digest.ts'
import type { Link } from '../../contracts/report.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { Replaced } from '../aliases.ts'
import { LEARNT } from '../aliases.ts'
import { NOT_FOUND, REPLACED, WAITING } from '../rules/mark.ts'
import { sitesOf } from '../rules/site.ts'
import { aliasesAmong } from './aliases.ts'
import { byBucket, column, eachBucket } from './by-bucket.ts'
import { enqueue } from './enqueue.ts'
import type { MissingPage } from './mark-pages.ts'
import type { UrlPlace } from './url-rows.ts'
import { keyOf, type WorkingSet } from './working-set.ts'

export const READ_MISSING = `
  SELECT u.site, u.key FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  JOIN url u ON u.bucket = $1 AND u.site = n.site AND u.key = n.key WHERE u.mark = ${NOT_FOUND}`

/** After what is entered at the originals, and flushed. */
export async function keepReplaced(working: WorkingSet, replaced: readonly Replaced[]): Promise<void> {
  if (replaced.length === 0) return
  const groups = sitesOf(replaced.map((each) => ({ ...each, site: each.link.site })))
  await working.sites.lock(groups.map(({ key }) => key))
  const open = groups.flatMap(({ key, name, members }) => {
    const site = working.sites.get(key)
    return site === undefined || site.name !== name || site.state === 'barred' ? [] : [{ site, members }]
  })
  const links = open.flatMap(({ site, members }) =>
    members.map(({ link }): UrlPlace => ({ site: site.key, key: signed64(link.key) })),
  )
  const learnt = open.flatMap(({ members }) => members.filter(({ how }) => how === LEARNT))
  const [names, , missing] = await Promise.all([
    aliasesAmong(
      working.tx,
      open.map(({ site }) => site.key),
    ),
    working.readUrls(links),
    readMissing(
      working,
      learnt.map(({ there }) => placeOf(there)),
    ),
  ])
  for (const { site, members } of open) {
    const elsewhere: Link[] = []
    const here: Link[] = []
    for (const { link, there, how } of members) {
      if (how === LEARNT && missing.has(placeName(placeOf(there)))) here.push({ ...link, via: there.url })
      else if (names.has(site.key)) elsewhere.push(link)
      else here.push(link)
    }
    enqueue(working, site, elsewhere, REPLACED)
    if (enqueue(working, site, here) > 0) working.wake(site)
  }
}

/** Of these, those that the server said are not there. What this transaction has changed is as it will be. */
async function readMissing(working: WorkingSet, places: readonly UrlPlace[]): Promise<Set<string>> {
  const isMissing = ({ site, key }: UrlPlace) => working.urls.get(site, key)?.mark === NOT_FOUND
  const here = places.filter((place) => working.urls.isRead(place))
  const there = await readGone(
    working.tx,
    places.filter((place) => !working.urls.isRead(place)),
  )
  return new Set([...here.filter(isMissing), ...there].map(placeName))
}

async function readGone(tx: PostgresTx, places: readonly UrlPlace[]): Promise<UrlPlace[]> {
  const buckets = byBucket(places, ({ site }) => site)
  const rows = await eachBucket(buckets, (bucket, some) =>
    tx.allExact<UrlPlace>(READ_MISSING, bucket, column(some, 'site'), column(some, 'key')),
  )
  return rows.flat()
}

function placeOf({ site, key }: Link): UrlPlace {
  return { site: keyOf(site), key: signed64(key) }
}

function placeName({ site, key }: UrlPlace): string {
  return `${site} ${key}`
}

/** Originals do not have them: who linked to them by another name may have meant that one. */
export async function reviveUnderNames(working: WorkingSet, all: readonly MissingPage[]): Promise<void> {
  const tries = all.flatMap(({ original, page }) => {
    const path = working.tools.urls.parse(page.url)?.path
    if (path === undefined) return []
    return working.names.learntNamesOf(original.name).flatMap((name) =>
      ['http', 'https'].flatMap((scheme) => {
        const url = working.tools.urls.parse(`${scheme}://${name}${path}`)
        return url === undefined ? [] : [{ site: name, key: signed64(url.key), original, page }]
      }),
    )
  })
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
      // It says that it was found at the original, so that it is not moved there again.
      const via = { via_site: original.key, via_key: signed64(page.key) }
      Object.assign(row, { mark: WAITING, due_at: 0, tries: 0, ...via })
      working.urls.change(row)
      revived++
    }
    if (revived === 0) continue
    site.waiting += revived
    working.sites.change(site)
    working.wake(site)
  }
}
