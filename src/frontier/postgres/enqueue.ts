import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import { generationOf, isByForm, linkedPath } from '../../contracts/generation.ts'
import type { Link } from '../../contracts/report.ts'
import { GONE, HELD, lastmodOf, WAITING } from '../rules/mark.ts'
import type { SiteRow } from '../rules/site.ts'
import type { UrlRow } from './url-rows.ts'
import type { WorkingSet } from './working-set.ts'

/**
 * Links of one site into its queue, in the order given (breadth first). URLs of a barred site are known and gone. Returns how
 * many are new.
 */
export function enqueue(
  working: WorkingSet,
  site: SiteRow,
  links: readonly Link[],
  mark = site.state === 'barred' ? GONE : WAITING,
): number {
  let fresh = 0
  for (const link of links) {
    const key = signed64(link.key)
    site.seq++
    const known = working.urls.get(site.key, key)
    if (known !== undefined) {
      freshen(working, known, link)
      relink(working, known, link)
      if (generationOf(link.path) === 0) list(working, site, known, link)
      continue
    }
    const via = working.tools.pageOf(link.via)
    working.urls.add({
      site: site.key,
      key,
      url: link.url,
      depth: link.depth,
      via_site: via.site,
      via_key: via.key,
      path: link.path,
      seq: site.seq,
      enqueued_at: working.now,
      due_at: 0,
      tries: 0,
      mark,
      lastmod: lastmodOf(link),
    })
    fresh++
  }
  if (fresh === 0) return 0
  site.known += fresh
  if (mark === WAITING) site.waiting += fresh
  working.sites.change(site)
  return fresh
}

/**
 * A page lists the URL: it is no offspring any more. If a finding held it back, it waits again, behind what was never
 * visited.
 */
function list(working: WorkingSet, site: SiteRow, row: UrlRow, link: Link): void {
  if ((row.mark !== WAITING && row.mark !== HELD) || generationOf(row.path) === 0) return
  const via = working.tools.pageOf(link.via)
  row.via_site = via.site
  row.via_key = via.key
  row.path = link.path
  if (row.mark === HELD) {
    row.mark = WAITING
    row.due_at = Math.max(1, working.now)
    site.waiting++
    working.sites.change(site)
  }
  working.urls.change(row)
}

/** A sitemap may say something newer of a known URL. */
export function freshen(working: WorkingSet, row: UrlRow, link: Pick<Link, 'lastmod'>): void {
  const lastmod = lastmodOf(link)
  if (lastmod === null || !isNewer(lastmod, row.lastmod)) return
  row.lastmod = lastmod
  working.urls.change(row)
}

/** A link to a URL that only a form led to so far. */
function relink(working: WorkingSet, row: UrlRow, { path }: Link): void {
  if (row.mark !== WAITING || !isByForm(row.path) || isByForm(path)) return
  row.path = linkedPath(row.path)
  working.urls.change(row)
}

export function isNewer(lastmod: Instant, known: Instant | null): boolean {
  return known === null || known < lastmod
}
