/** The aliases in memory: a look-up of a link's site costs as much as a Map's. What says so is the database's to know. */
import type { SiteName } from '../contracts/visit.ts'
import type { UrlReader } from '../web/url/web-url.ts'
import { type AliasAnswer, LEARNT, LONGEST_CHAIN, MAX_ALIASES, type NewAlias } from './aliases.ts'

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
