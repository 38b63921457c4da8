/**
 * The right answer: which URLs a correct crawler asks for, and which it keeps. Computed from the definitions of sites and
 * pages, never from their bytes, and with no line of code in common with the crawler.
 *
 * Reachable and permitted: from the seeds along links that are neither nofollow nor on a nofollow page (redirects are links);
 * never what robots.txt forbids; noindex pages are asked for and their links count, but they are not kept.
 */
import type { LinkTag } from './page-links.ts'
import type { PageDefinition } from './page-plan.ts'
import { permits, ROBOTS_TOKEN } from './robots-plan.ts'
import { canonicalUrl, splitUrl } from './spelling.ts'
import type { TestWeb } from './web.ts'

export type WalkScope =
  /** The seeds and nothing else. */
  | { kind: 'page' }
  /** What lies in the seeds' directories. */
  | { kind: 'prefix' }
  | { kind: 'host' }
  /** The seeds' registrable domains. */
  | { kind: 'domain' }
  /** One top-level domain, or several with commas between them. */
  | { kind: 'tld'; tld: string }

export interface WalkOptions {
  seeds: readonly string[]
  scope: WalkScope
  links: 'home-page' | 'deep' | 'combined'
  token?: string
  maxDepth?: number
  /** False: URLs with a query are out of scope. */
  queries?: boolean
  mediaTypes?: readonly string[]
  /** Hosts that the crawl leaves out. */
  without?: readonly string[]
  /** Asks for nothing that lies in a trap, and once only for what is real and has many names: what no defence can better. */
  ideal?: boolean
  /** Reads sitemaps as soon as it knows a site. */
  sitemaps?: boolean
}

export interface RightAnswer {
  /** Asked for at least once; robots.txt apart. */
  asked: Set<string>
  /** Kept. */
  documents: Set<string>
  moved: Set<string>
  /** 401, 403, 404, 410. */
  missing: Set<string>
  /** Asked for and not kept: noindex. */
  noindex: Set<string>
  /** Asked for, declined on their heads. */
  declined: Set<string>
  /** Never asked for: robots.txt. */
  forbidden: Set<string>
  /** Never asked for: the name says that they are not wanted. */
  unwanted: Set<string>
  /** Never asked for: their site has no robots.txt to give, or does not answer at all. */
  unreachable: Set<string>
  /** Answers that misbehave: asked for, and kept or not as limits have it. */
  doubtful: Set<string>
  /** Sitemaps that a careful reader asks for. */
  sitemapFiles: Set<string>
  /** robots.txt of every site that had a URL to ask about. */
  robotsFiles: Set<string>
  /** Links to seeds' sites that the home-page policy dropped. */
  seedLinksDropped: number
}

const FOLLOWED: ReadonlySet<LinkTag> = new Set<LinkTag>([
  'a',
  'area',
  'frame',
  'iframe',
  'form',
  'canonical',
  'alternate',
  'next',
  'prev',
  'refresh',
  'archive',
  'script-text',
])
const WANTED = ['text/html', 'application/xhtml+xml', 'text/plain', 'application/pdf']
const UNWANTED_NAME = /\.(jpg|png|css|js|zip|exe|mp4)$/

interface Step {
  url: string
  depth: number
}

export function walk(web: TestWeb, options: WalkOptions): RightAnswer {
  const right = emptyAnswer()
  const { token = ROBOTS_TOKEN, maxDepth = 50, queries = true, mediaTypes = WANTED } = options
  const inScope = scopeOf(options)
  const seedHosts = new Set(options.seeds.map((seed) => splitUrl(seed).host))
  const seen = new Set<string>()
  const shown = new Set<string>()
  const mapped = new Set<string>()
  const queue: Step[] = []
  const admit = (url: string, depth: number) => {
    if (depth > maxDepth || seen.has(url)) return
    seen.add(url)
    if ((queries || !url.includes('?')) && inScope(url)) queue.push({ url, depth })
  }
  const follow = (target: string, from: string, depth: number) => {
    const to = splitUrl(target)
    if (to.host === from || options.links === 'deep') return admit(target, depth)
    if (options.links === 'home-page' && seedHosts.has(to.host)) return void right.seedLinksDropped++
    admit(`${to.scheme}://${to.host}/`, depth)
    if (options.links === 'combined') admit(target, depth)
  }
  for (const seed of options.seeds) admit(canonicalUrl(seed), 0)
  for (let at = 0; at < queue.length; at++) {
    const { url, depth } = queue[at]
    if (options.ideal && isLost(web, url, shown)) continue
    const { host: name } = splitUrl(url)
    const site = options.sitemaps && !mapped.has(name) ? web.siteOf(url) : undefined
    mapped.add(name)
    if (site !== undefined && site.robots.state !== 'closed' && web.unreachable(url) === undefined) {
      const { files, listed } = web.sitemapOf(site)
      for (const file of site.sitemap?.kind === 'unnamed' ? [] : files) right.sitemapFiles.add(file)
      if (site.sitemap?.kind !== 'unnamed') for (const one of listed) admit(one, depth)
    }
    const page = ask(web, url, token, mediaTypes, right)
    if (page === undefined) continue
    const { host } = page.site
    if (page.to !== undefined) follow(page.to, host, depth + 1)
    else if (follows(page)) {
      for (const link of page.content?.links ?? []) {
        if (!link.nofollow && FOLLOWED.has(link.tag) && !(link.tag === 'script-text' && isXml(page)))
          follow(link.target, host, depth + 1)
      }
    }
  }
  return right
}

/** In a trap, with nothing to show or nothing new. */
function isLost(web: TestWeb, url: string, shown: Set<string>): boolean {
  const trap = web.trapOf(url)
  const real = web.realOf(url)
  if (real === undefined) return trap !== undefined
  if (shown.has(real)) return trap !== undefined || real !== url
  shown.add(real)
  return false
}

/** Puts the URL where it belongs; the definition when an answer was had whose links may count. */
function ask(
  web: TestWeb,
  url: string,
  token: string,
  mediaTypes: readonly string[],
  right: RightAnswer,
): PageDefinition | undefined {
  const { scheme, host, path } = splitUrl(url)
  if (UNWANTED_NAME.test(path.split('?', 1)[0])) return void right.unwanted.add(url)
  const site = web.siteOf(url)
  if (site === undefined) return void right.unreachable.add(url)
  right.robotsFiles.add(`${scheme}://${host}/robots.txt`)
  const silent = site.failing !== undefined && site.failing !== 'cut'
  if (silent || site.robots.state === 'closed' || web.unreachable(url) !== undefined)
    return void right.unreachable.add(url)
  if (!permits(site.robots, token, path)) return void right.forbidden.add(url)
  right.asked.add(url)
  const page = web.define(url)
  if (page === undefined) return void right.missing.add(url)
  if (page.to !== undefined) {
    right.moved.add(url)
    return page
  }
  if (site.failing === 'cut' || (page.misbehaves !== undefined && page.misbehaves !== 'slow'))
    return void right.doubtful.add(url)
  if (page.status !== 200) return void right.missing.add(url)
  if (!mediaTypes.includes(page.contentType.split(';', 1)[0])) return void right.declined.add(url)
  const noindex = page.header.noindex || page.content?.meta.noindex
  if (noindex) right.noindex.add(url)
  else right.documents.add(url)
  return page
}

/** What is XML has no scripts with markup in them. */
function isXml(page: PageDefinition): boolean {
  return page.contentType?.startsWith('application/xhtml+xml') ?? false
}

function follows(page: PageDefinition): boolean {
  return !page.header.nofollow && !page.content?.meta.nofollow
}

function scopeOf(options: WalkOptions): (url: string) => boolean {
  const { scope } = options
  const without = new Set(options.without)
  const seeds = options.seeds.map(canonicalUrl)
  const roots = new Set(seeds.map((seed) => root(seed, scope)))
  return (url) => {
    if (without.has(splitUrl(url).host)) return false
    if (scope.kind === 'prefix') return seeds.some((seed) => withoutScheme(url).startsWith(root(seed, scope)))
    return roots.has(root(url, scope))
  }
}

/** What two URLs must have in common to be in one scope. */
function root(url: string, scope: WalkScope): string {
  const { host, path } = splitUrl(url)
  const labels = host.split(':', 1)[0].split('.')
  switch (scope.kind) {
    case 'page':
      return url
    case 'prefix': {
      const file = path.split('?', 1)[0]
      return host + file.slice(0, file.lastIndexOf('/') + 1)
    }
    case 'host':
      return host
    case 'domain':
      return labels.slice(-2).join('.')
    case 'tld':
      return scope.tld.split(',').includes(labels[labels.length - 1]) ? scope.tld : url
  }
}

const withoutScheme = (url: string) => url.slice(url.indexOf('//') + 2)

function emptyAnswer(): RightAnswer {
  return {
    asked: new Set(),
    documents: new Set(),
    moved: new Set(),
    missing: new Set(),
    noindex: new Set(),
    declined: new Set(),
    forbidden: new Set(),
    unwanted: new Set(),
    unreachable: new Set(),
    doubtful: new Set(),
    sitemapFiles: new Set(),
    robotsFiles: new Set(),
    seedLinksDropped: 0,
  }
}
