import type { Link } from '../contracts/report.ts'
import type { SiteName } from '../contracts/visit.ts'
import { normalPath, type UrlReader } from '../web/url/web-url.ts'
import type { Names, Original } from './alias-names.ts'

/** What it takes to know where a link belongs. */
export interface Renaming {
  urls: UrlReader
  aliases: Names
  mayReplace(original: SiteName): boolean
}

/** A link as it was found, and what is entered at the original in its place. */
export interface Replaced {
  link: Link
  there: Link
  how: string
}

/** Links into other names of a site become links into the original; the others are as they were. */
export function renamed(tools: Renaming, given: readonly Link[]): { links: readonly Link[]; replaced: Replaced[] } {
  const replaced: Replaced[] = []
  if (tools.aliases.isEmpty) return { links: given, replaced }
  const homes = new Set<string>()
  const links = given.flatMap((link) => {
    const original = tools.aliases.originalOf(link.site)
    const there = original === undefined ? undefined : atOriginal(tools, link, original)
    if (original === undefined || there === undefined) return [link]
    replaced.push({ link, there, how: original.how })
    if (original.how !== 'list' || homes.has(link.site)) return [there]
    homes.add(link.site)
    const home = homeAt(tools, link)
    return home === undefined ? [there] : [there, home]
  })
  return { links, replaced }
}

/** Undefined where it stays: the home page, so that it can be seen whether the name is still one of the original's. */
export function atOriginal(tools: Omit<Renaming, 'aliases'>, link: Link, original: Original): Link | undefined {
  const url = tools.urls.parse(link.url)
  if (url === undefined || normalPath(url) === '/' || !tools.mayReplace(original.site)) return undefined
  const target = tools.urls.parse(`${original.https ? 'https' : url.scheme}://${original.site}${url.path}`)
  // The original itself sends us to the other name, or does not have it: here the page is, or nowhere.
  if (target === undefined || (link.via !== '' && tools.urls.parse(link.via)?.key === target.key)) return undefined
  const { spelling: _, ...rest } = link
  return { ...rest, url: target.href, key: target.key, site: target.site }
}

/** Whether a mirror of the list still is one can only be seen at its home page, which nobody may have linked. */
function homeAt(tools: Pick<Renaming, 'urls'>, { url, site, via, path }: Link): Link | undefined {
  const home = tools.urls.parse(`${url.startsWith('https:') ? 'https' : 'http'}://${site}/`)
  return home && { url: home.href, key: home.key, site: home.site, depth: 0, via, path }
}
