/** What is wanted of the web. Every refusal names its rule, so that the crawl can explain itself. */
import { HashSet64 } from '../../base/hash-set.ts'
import { homeOf, type WebUrl } from '../../web/url/web-url.ts'
import type { Blacklist } from './blacklist.ts'
import { kindByName, limitOf, type MediaPattern, type SizeLimit, unwantedKindsOf, wantsMediaOf } from './media.ts'
import { makeRegion, type ScopeMode } from './region.ts'

/** What a link to another site adds (V10). */
export type LinkPolicy = 'home-page' | 'deep' | 'combined'

export interface ScopeOptions {
  mode: ScopeMode
  seeds: readonly WebUrl[]
  /** Where a seed may turn out to live (`www.`, the other scheme): in the scope, but perhaps not in the queue. */
  alternates?: readonly WebUrl[]
  /** If there are any, a URL must match one, as spelled or normalised; seeds need not. */
  include: readonly RegExp[]
  exclude: readonly RegExp[]
  /** Whether URLs with a query are wanted (C9). */
  queries: boolean
  mediaTypes: readonly MediaPattern[]
  /** Links from the URL by which a site was entered. */
  maxDepth: number
  maxUrlLength: number
  blacklist: Blacklist
  links: LinkPolicy
  sizes: readonly SizeLimit[]
}

export type ScopeDecision = { yes: true } | { yes: false; rule: string }

export interface Scope {
  judge(url: WebUrl, depth: number): ScopeDecision
  /** A sitemap is read for what it lists and not collected, so it may lie outside the region of the pages. */
  judgeSitemap(url: WebUrl): ScopeDecision
  wantsMedia(mediaType: string): boolean
  /** Decoded bytes of a body that are kept. */
  limitFor(mediaType: string): number
  /** The kind that its name shows (`image`, `archive` …), if that is unwanted; never set for pages. */
  unwantedKind(url: WebUrl): string | undefined
  /** The URLs that a link to another site adds. The caller still judges them, home pages at depth 0. */
  crossSite(url: WebUrl): { admit: WebUrl[]; dropped: boolean }
}

const YES: ScopeDecision = { yes: true }

export function makeScope(options: ScopeOptions): Scope {
  const places = options.alternates === undefined ? options.seeds : [...options.seeds, ...options.alternates]
  const region = makeRegion(options.mode, places)
  const seedKeys = new HashSet64(places.map((seed) => seed.key))
  const seedSites = new Set(options.seeds.map((seed) => seed.site))
  const unwanted = unwantedKindsOf(options.mediaTypes)
  const include = options.include.map(stateless)
  const exclude = options.exclude.map(stateless)
  const { maxDepth, maxUrlLength, blacklist, links, queries } = options
  const tooLong = no(`url-length>${maxUrlLength}`)
  const tooDeep = no(`depth>${maxDepth}`)
  const outside = no(`scope ${region.name}`)
  const hasQuery = no('query')
  const notIncluded = no('include')
  const otherPort = no('port of the other scheme')

  const unfit = (url: WebUrl): ScopeDecision | undefined => {
    if (url.href.length > maxUrlLength) return tooLong
    // Both ports are one site, but robots.txt is remembered by scheme, and no one serves http on 443 on purpose.
    return url.port === (url.scheme === 'http' ? 443 : 80) ? otherPort : undefined
  }
  const barred = (url: WebUrl): ScopeDecision | undefined => {
    const refused = blacklist.refusesUrl(url)
    if (refused !== undefined) return no(refused)
    const excluded = exclude.find((pattern) => names(pattern, url))
    return excluded && no(`exclude ${excluded.source.slice(0, 100)}`)
  }

  return {
    judge(url, depth) {
      const refusal = unfit(url)
      if (refusal !== undefined) return refusal
      if (!region.holds(url)) return outside
      if (depth > maxDepth) return tooDeep
      if (!queries && url.path.includes('?') && !seedKeys.has(url.key)) return hasQuery
      const isIncluded = () =>
        include.length === 0 || seedKeys.has(url.key) || include.some((pattern) => names(pattern, url))
      return barred(url) ?? (isIncluded() ? YES : notIncluded)
    },
    // With `page` only the seeds are wanted.
    judgeSitemap: (url) => unfit(url) ?? (options.mode === 'page' ? outside : (barred(url) ?? YES)),
    wantsMedia: wantsMediaOf(options.mediaTypes),
    limitFor: limitOf(options.sizes),
    unwantedKind(url) {
      const kind = unwanted.size === 0 ? undefined : kindByName(url.path)
      return kind !== undefined && unwanted.has(kind) ? kind : undefined
    },
    crossSite(url) {
      if (links === 'deep') return { admit: [url], dropped: false }
      // The seeds' home pages are in the queue already, so such a link adds nothing.
      if (links === 'home-page') {
        return seedSites.has(url.site) ? { admit: [], dropped: true } : { admit: [homeOf(url)], dropped: false }
      }
      const home = homeOf(url)
      return { admit: home === url ? [url] : [url, home], dropped: false }
    },
  }
}

function no(rule: string): ScopeDecision {
  return { yes: false, rule }
}

/** In the site's spelling or in ours: `/%61dmin/` must not evade a pattern for `/admin/`. */
function names(pattern: RegExp, { href, normalised }: WebUrl): boolean {
  return pattern.test(href) || (normalised !== href && pattern.test(normalised))
}

/** A pattern with `g` or `y` remembers where it stopped and would give another answer next time. */
function stateless(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''))
}
