/** `whyNot` over an opened collection: with its seeds, the site's memory, and the pages that link to the URL. */
import type { Disk } from '../../base/disk.ts'
import { whoLinksHere } from '../../collection/links/who-links-here.ts'
import { linksOfPage, pageOf } from '../../collection/pages/read-pages.ts'
import { type LinkKind, type OutLink, unpackLinks } from '../../contracts/adjacency.ts'
import type { UrlKey } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import type { FrontierViews } from '../../frontier/views.ts'
import { siteKey } from '../../web/url/web-url.ts'
import type { Settings } from '../config/keys.ts'
import { blacklistPaths, readBlacklists } from './blacklist-files.ts'
import type { ScopeSeeds } from './scope-seeds.ts'
import { type WhyNot, whyNot } from './why-not.ts'

/** Pages that are asked how deep they lie. */
const MAX_REFERRERS = 100

export async function whyNotIn(
  tx: Tx,
  looks: FrontierViews,
  disk: Disk,
  text: string,
  settings: Settings,
  around: ScopeSeeds,
): Promise<WhyNot | undefined> {
  const reader = await looks.reader(tx)
  const url = reader.parse(text)
  if (url === undefined) return { by: 'scope', rule: 'no URL that can be asked for' }
  const read = (texts: readonly string[]) =>
    texts.map((seed) => reader.parse(seed)).filter((seed) => seed !== undefined)
  const { from: referrers } = await whoLinksHere(tx, url.site, url.key, MAX_REFERRERS)
  const from = referrers.map((one) => reader.parse(one))
  let depth = Number.POSITIVE_INFINITY
  let passedOver = from.length > 0
  const kinds = new Set<LinkKind | undefined>()
  for (const page of from) {
    const known = page && (await pageOf(tx, page.site, (await looks.url(tx, page.href))?.key ?? page.key))
    if (page === undefined || known === undefined) continue
    depth = Math.min(depth, known.depth + 1)
    const at = await linkIn(tx, known.id, page.site === url.site ? undefined : siteKey(url.site), url.key)
    // A link that was not wanted carries its text: it stands nowhere else.
    passedOver &&= at === undefined || at.url !== undefined
    if (at !== undefined) kinds.add(at.kind)
  }
  return whyNot({
    url,
    depth: Number.isFinite(depth) ? depth : 1,
    passedOver,
    // A link tells most, and what was not recorded may have been one.
    kind: (['link', undefined, 'form', 'embed'] as const).find((kind) => kinds.has(kind)),
    linkedAtHome: from.some((page) => page?.site === url.site),
    settings,
    seeds: read(around.seeds),
    alternates: read(around.alternates),
    blacklist: readBlacklists(blacklistPaths(settings), disk),
    memory: (await looks.site(tx, url.site))?.memory,
  })
}

/** A page names a URL once, however often it links to it. */
async function linkIn(tx: Tx, page: number, site: bigint | undefined, key: UrlKey): Promise<OutLink | undefined> {
  const links = unpackLinks((await linksOfPage(tx, page)) ?? new Uint8Array(0))
  return links.find((link) => link.key === key && link.siteKey === site)
}
