/** Sites that are another name of an original (C8): links into them are entered there. Only their home pages stay. */
import type { Instant } from '../base/clock.ts'
import type { Link } from '../contracts/report.ts'
import type { SiteName } from '../contracts/visit.ts'
import { normalPath, type UrlReader } from '../web/url/web-url.ts'

/** What `how` says of a name that was learnt. */
export const LEARNT = 'www'

export interface NewAlias {
  name: SiteName
  original: SiteName
  /** `list`: the operator's list of mirrors; `www`: learnt from where the home page sends everybody. */
  how: string
  /** What is entered at the original is asked for by https, whatever the link says. */
  https?: boolean
  evidence?: string
}

export interface Alias extends NewAlias {
  https: boolean
  evidence: string
  since: Instant
}

export type AliasAnswer =
  | 'taken'
  /** It is there already, or the operator has said something else. */
  | 'known'
  /** The original is, by its own aliases, the same name. */
  | 'cycle'
  /** No names of sites, an original that was given up, a chain too long, or too many. */
  | 'refused'

/** So many take 250 MB. */
export const MAX_ALIASES = 1_000_000
/** Names of names: nobody means that many. */
export const LONGEST_CHAIN = 16
export const LONGEST_EVIDENCE = 500
/** Of the word that says how it was learnt. */
export const LONGEST_HOW = 20

/** URLs that move to an original at once. */
export const MAX_MOVED = 500
/** Names that one `reap` looks at. */
export const MAX_PENDING_NAMES = 20
/** Names that go with an original that was given up. */
export const MAX_NAMES_DROPPED = 1000

/** The aliases in memory: a look-up of a link's site costs as much as a Map's. What says so is the database's to know. */

/** Where a chain of names ends. */
export interface Original {
  site: SiteName
  https: boolean
  /** How the first of its names became one. */
  how: string
}

/** Of a site that is another name. */
export interface NamedAs {
  to: SiteName
  https: boolean
  how: string
}

export interface Names {
  readonly isEmpty: boolean
  originalOf(site: SiteName): Original | undefined
  /** Most often one. */
  learntNamesOf(original: SiteName): readonly SiteName[]
}

export class AliasNames implements Names {
  readonly #known = new Map<SiteName, NamedAs>()
  readonly #learnt = new Map<SiteName, readonly SiteName[]>()

  get isEmpty(): boolean {
    return this.#known.size === 0
  }

  get size(): number {
    return this.#known.size
  }

  get(name: SiteName): NamedAs | undefined {
    return this.#known.get(name)
  }

  originalOf(site: SiteName): Original | undefined {
    return originalIn(site, (name) => this.#known.get(name))
  }

  learntNamesOf(original: SiteName): readonly SiteName[] {
    return this.#learnt.get(original) ?? []
  }

  set(name: SiteName, named: NamedAs): void {
    this.delete(name)
    this.#known.set(name, named)
    if (named.how === LEARNT) this.#learnt.set(named.to, [...this.learntNamesOf(named.to), name])
  }

  delete(name: SiteName): void {
    const before = this.#known.get(name)
    if (before === undefined) return
    this.#known.delete(name)
    const others = this.learntNamesOf(before.to).filter((other) => other !== name)
    if (others.length > 0) this.#learnt.set(before.to, others)
    else this.#learnt.delete(before.to)
  }

  clear(): void {
    this.#known.clear()
    this.#learnt.clear()
  }
}

type Find = (name: SiteName) => NamedAs | undefined

/** At the end of the chain of names. Undefined in a circle, which two servers can make that learn its halves at once. */
export function originalIn(site: SiteName, find: Find): Original | undefined {
  const first = find(site)
  if (first === undefined) return undefined
  let last = first
  for (let hops = 1; hops < LONGEST_CHAIN; hops++) {
    const next = find(last.to)
    if (next === undefined) break
    if (next.to === site) return undefined
    last = next
  }
  return { site: last.to, https: last.https, how: first.how }
}

/** What is to be said to a new one, where `size` are known; undefined when nothing speaks against it. */
export function objectionTo(
  { name, original, how, https = false }: NewAlias,
  urls: UrlReader,
  size: number,
  find: Find,
): AliasAnswer | undefined {
  if (![name, original].every((site) => urls.parse(`http://${site}/`)?.site === site)) return 'refused'
  const before = find(name)
  if (before?.to === original && before.how === how && before.https === https) return 'known'
  if (before?.how === 'list' && how !== 'list') return 'known'
  if (before === undefined && size >= MAX_ALIASES) return 'refused'
  let end: SiteName | undefined = original
  for (let hops = 0; end !== undefined && hops < LONGEST_CHAIN; hops++) {
    if (end === name) return 'cycle'
    end = find(end)?.to
  }
  return end === undefined ? undefined : 'refused'
}

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
