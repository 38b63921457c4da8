import type { Link } from '../../visit/report.ts'
import { normalPath } from '../../web/url/web-url.ts'
import type { Original } from './alias-book.ts'
import type { Rules } from './rules.ts'

/** Links into other names of a site become links into the original; the others are as they were. */
export function renamed(rules: Rules, links: readonly Link[]): readonly Link[] {
  if (rules.aliases.isEmpty) return links
  const homes = new Set<string>()
  return links.flatMap((link) => {
    const original = rules.aliases.originalOf(link.site)
    const there = original === undefined ? undefined : atOriginal(rules, link, original)
    if (original === undefined || there === undefined) return [link]
    if (original.how !== 'list' || homes.has(link.site)) return [there]
    homes.add(link.site)
    const home = homeAt(rules, link)
    return home === undefined ? [there] : [there, home]
  })
}

/** Undefined where it stays: the home page, so that it can be seen whether the name is still one of the original's. */
function atOriginal(rules: Rules, link: Link, original: Original): Link | undefined {
  const url = rules.urls.parse(link.url)
  if (url === undefined || normalPath(url) === '/' || !rules.mayReplace(original.site)) return undefined
  const target = rules.urls.parse(`${original.https ? 'https' : url.scheme}://${original.site}${url.path}`)
  // The original itself sends us to the other name: there the page is, and nowhere else.
  if (target === undefined || target.href === link.via) return undefined
  const { spelling: _, ...rest } = link
  return { ...rest, url: target.href, key: target.key, site: target.site }
}

/** Whether a mirror of the list still is one can only be seen at its home page, which nobody may have linked. */
function homeAt(rules: Rules, { url, site, via, path }: Link): Link | undefined {
  const home = rules.urls.parse(`${url.startsWith('https:') ? 'https' : 'http'}://${site}/`)
  return home && { url: home.href, key: home.key, site: home.site, depth: 0, via, path }
}
