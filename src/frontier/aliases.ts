/**
 * Aliases: sites that are another name of an original (C8). Links into them are entered at the original; only their home
 * pages stay.
 */
import type { Instant } from '../base/clock.ts'
import type { Link, VisitReport } from '../contracts/report.ts'
import type { SiteName, UrlKey } from '../contracts/visit.ts'
import { normalPath, type UrlReader } from '../web/url/web-url.ts'

/** `how` of an alias that was learnt. */
export const LEARNT = 'www'

export interface NewAlias {
  name: SiteName
  original: SiteName
  /** `list`: the operator's list of mirrors; `www`: learnt from the home page's redirect. */
  how: string
  /** URLs at the original are fetched by https, whatever the link says. */
  https?: boolean
  evidence?: string
}

export interface Alias extends NewAlias {
  https: boolean
  evidence: string
  since: Instant
}

/** An alias as its row has it. */
export type AliasRow = Omit<Alias, 'https'> & { https: number }

export function aliasOf(row: AliasRow): Alias {
  return { ...row, https: row.https === 1 }
}

export type AliasAnswer =
  | 'taken'
  /** The alias exists already, or the operator's list says otherwise. */
  | 'known'
  /** The original is itself an alias of this name. */
  | 'cycle'
  /** Not names of sites, an original that was given up, a chain too long, or too many aliases. */
  | 'refused'

/** They take 250 MB. */
export const MAX_ALIASES = 1_000_000
/** Aliases of aliases. */
const LONGEST_CHAIN = 16
const LONGEST_EVIDENCE = 500
/** Of `how`. */
const LONGEST_HOW = 20

/** URLs that move to an original per transaction. */
export const MAX_MOVED = 500
/** The aliases in memory: looking up a link's site costs as much as a Map's `get`. */

/** The end of a chain of aliases. */
export interface Original {
  site: SiteName
  https: boolean
  /** How the first alias of the chain became one. */
  how: string
}

interface NamedAs {
  to: SiteName
  https: boolean
  how: string
}

export class AliasNames {
  readonly #known = new Map<SiteName, NamedAs>()
  readonly #learnt = new Map<SiteName, readonly SiteName[]>()

  get size(): number {
    return this.#known.size
  }

  get(name: SiteName): NamedAs | undefined {
    return this.#known.get(name)
  }

  /** Usually one. */
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

/** The changes of a transaction. */
export interface AliasChange extends NamedAs {
  name: SiteName
  since: Instant
  evidence: string
}

/** The aliases as a transaction sees them: the shared ones, with its own changes. */
export class AliasView {
  readonly #names: AliasNames
  readonly #urls: UrlReader
  /** null: dropped. */
  readonly #own = new Map<SiteName, AliasChange | null>()
  readonly #unwritten = new Set<SiteName>()

  constructor(names: AliasNames, urls: UrlReader) {
    this.#names = names
    this.#urls = urls
  }

  get isEmpty(): boolean {
    return this.#names.size === 0 && this.#own.size === 0
  }

  /** The end of a chain of aliases. Undefined for a cycle, which two servers can make that learn its halves at once. */
  originalOf(site: SiteName): Original | undefined {
    const first = this.#find(site)
    if (first === undefined) return undefined
    let last = first
    for (let hops = 1; hops < LONGEST_CHAIN; hops++) {
      const next = this.#find(last.to)
      if (next === undefined) break
      if (next.to === site) return undefined
      last = next
    }
    return { site: last.to, https: last.https, how: first.how }
  }

  learntNamesOf(original: SiteName): readonly SiteName[] {
    const known = this.#names.learntNamesOf(original)
    if (this.#own.size === 0) return known
    const own = [...this.#own.values()].flatMap((one) => (one?.to === original && one.how === LEARNT ? one.name : []))
    return [...known.filter((name) => !this.#own.has(name)), ...own]
  }

  /** `isBarred`: whether the original was given up. */
  add(given: NewAlias, now: Instant, isBarred: boolean): AliasAnswer {
    const { name, original, how, https = false, evidence = '' } = given
    const objection = objectionTo(given, this.#urls, this.#names.size + this.#own.size, (site) => this.#find(site))
    if (objection !== undefined) return objection
    if (isBarred) return 'refused'
    const change = { name, to: original, how, https, since: now, evidence: evidence.slice(0, LONGEST_EVIDENCE) }
    this.#own.set(name, change)
    this.#unwritten.add(name)
    return 'taken'
  }

  /** False: it was not an alias. */
  drop(name: SiteName): boolean {
    if (this.#find(name) === undefined) return false
    this.#own.set(name, null)
    this.#unwritten.add(name)
    return true
  }

  /** Whether this transaction has added it. */
  isNew(name: SiteName): boolean {
    return this.#own.get(name) != null
  }

  /** Undoes what was added and dropped since the last `take`. */
  takeBack(): void {
    for (const name of this.#unwritten) this.#own.delete(name)
    this.#unwritten.clear()
  }

  /** The changes to write. null: dropped. */
  take(): { name: SiteName; change: AliasChange | null }[] {
    const names = [...this.#unwritten]
    this.#unwritten.clear()
    return names.map((name) => ({ name, change: this.#own.get(name) ?? null }))
  }

  #find(name: SiteName): NamedAs | undefined {
    const own = this.#own.get(name)
    return own === undefined ? this.#names.get(name) : (own ?? undefined)
  }
}

type Find = (name: SiteName) => NamedAs | undefined

/** The answer to a new alias, where `size` are known; undefined when it can be taken. */
function objectionTo(
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

/** The facts that decide where a link is entered. */
export interface Renaming {
  urls: UrlReader
  aliases: AliasView
  mayReplace(original: SiteName): boolean
}

/** A link as it was found, and the link that is entered at the original instead. */
export interface Replaced {
  link: Link
  there: Link
  how: string
}

/** Links into aliases become links into the original; the others stay as they are. */
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

/** Undefined when the link stays: the home page, which shows whether the alias still is one. */
function atOriginal(tools: Omit<Renaming, 'aliases'>, link: Link, original: Original): Link | undefined {
  const url = tools.urls.parse(link.url)
  if (url === undefined || normalPath(url) === '/' || !tools.mayReplace(original.site)) return undefined
  const target = tools.urls.parse(`${original.https ? 'https' : url.scheme}://${original.site}${url.path}`)
  // The original itself redirects to the alias, or does not have the page: only the alias can have it.
  if (target === undefined || (link.via !== '' && tools.urls.parse(link.via)?.key === target.key)) return undefined
  const { spelling: _, ...rest } = link
  return { ...rest, url: target.href, key: target.key, site: target.site }
}

/** Only the home page shows whether a listed mirror still is one, and it may not be linked. */
function homeAt(tools: Pick<Renaming, 'urls'>, { url, site, via, path }: Link): Link | undefined {
  const home = tools.urls.parse(`${url.startsWith('https:') ? 'https' : 'http'}://${site}/`)
  return home && { url: home.href, key: home.key, site: home.site, depth: 0, via, path }
}

/** A link that is fetched at the site itself, not at the original whose alias the site is. */
export function isOwnLink(renaming: Renaming, site: SiteName, link: Link): boolean {
  if (link.site !== site) return false
  const original = renaming.aliases.originalOf(site)
  return original === undefined || atOriginal(renaming, link, original) === undefined
}

/** What a visit learnt of its site from its home page, cut to size. `AliasView.add` checks the names. */
export function learntAlias({ site, learnt }: Pick<VisitReport, 'site' | 'learnt'>): NewAlias | undefined {
  if (typeof learnt?.alias?.to !== 'string') return undefined
  const { to, how, https, evidence = '' } = learnt.alias
  return {
    name: site,
    original: to,
    how: String(how).slice(0, LONGEST_HOW),
    https: https === true,
    evidence: String(evidence),
  }
}

/** A URL of a learnt alias that may have what its original lacks, by either scheme. */
export function urlsAtAlias(urls: UrlReader, alias: SiteName, page: { url: string }): UrlKey[] {
  const path = urls.parse(page.url)?.path
  if (path === undefined) return []
  return ['http', 'https'].flatMap((scheme) => urls.parse(`${scheme}://${alias}${path}`)?.key ?? [])
}
