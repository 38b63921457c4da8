/**
 * The URLs of the site being visited: breadth first, each at most once, without those that the frontier has already. A
 * URL may have several spellings (session ids, index files): the first is fetched, and some of the others are reported
 * to the frontier.
 */
import { hash64 } from '../base/digest.ts'
import { HashSet64 } from '../base/hash-set.ts'
import { generationOf, isByForm, linkedPath } from '../contracts/generation.ts'
import type { Link } from '../contracts/report.ts'
import type { AgendaItem, Visit } from '../contracts/visit.ts'
import { isFolder, isSameText, namesIndex, type WebUrl } from '../web/url/web-url.ts'

/** Other spellings reported, per URL (a folder has five names for its index) and per visit. */
const MAX_SPELLINGS = 5
const MAX_SPELLINGS_PER_VISIT = 10_000
/** Spellings kept for comparison: only of URLs whose spelling is not the one that their key is made of. */
const MAX_TEXTS = 20_000

export class LocalFrontier {
  readonly #queue: AgendaItem[]
  readonly #seen: HashSet64
  /** URLs that may wait here: one more than a slice fetches, so that its end shows. The frontier gets all others. */
  readonly #max: number
  #next = 0
  /** Spellings of URLs that may be found again in a plainer one. */
  readonly #texts = new Map<bigint, string>()
  /** Other spellings reported: how many per URL, and which. */
  readonly #spellings = new Map<bigint, number>()
  readonly #reported = new HashSet64()
  #hasIndexNames: boolean
  /** URLs that wait here because of a form. */
  readonly #forms = new Map<bigint, AgendaItem>()
  /** URLs of later generations that wait here: a page may yet list them. */
  readonly #offspring = new Map<bigint, AgendaItem>()
  /** Their keys, and those of some that wait no more: checked for every link, in a tenth of the time. */
  readonly #maybeOffspring = new HashSet64()

  constructor(visit: Visit) {
    this.#hasIndexNames = visit.memory.indexNames === true
    // Copies: what is learnt about a waiting URL is written to it.
    this.#queue = visit.agenda.map((item) => ({ ...item }))
    this.#max = visit.known === 'too many' ? 0 : visit.limits.pages + 1
    this.#seen = visit.known === 'too many' ? new HashSet64() : new HashSet64(visit.known)
    for (const item of this.#queue) {
      this.#seen.add(item.key)
      if (!isNormal(item)) this.#keepText(item)
      this.#note(item)
    }
  }

  /** Links use index names of folders: a folder's URL may be known under such a name. */
  get hasIndexNames(): boolean {
    return this.#hasIndexNames
  }

  /**
   * `new`: queued, if there is room and more than the agenda may be fetched. `spelling`: known, and this spelling is to
   * be reported. `lossy`: the rules that made its key may take two pages for one.
   */
  offer(item: AgendaItem, lossy: boolean): 'new' | 'known' | 'spelling' {
    if (this.#seen.add(item.key)) {
      const queued = this.#queue.length - this.#next < this.#max
      if (queued) {
        this.#queue.push(item)
        this.#note(item)
      }
      // Callers that offer a sitemap or a feed do not say whether its spelling is lossy.
      const mayDiffer = lossy || this.#mayHaveIndexName(item.url)
      if (mayDiffer || (queued && !isNormal(item))) this.#keepText(item)
      // The frontier's URLs are not known here: it will find out whether this is another spelling of one.
      return mayDiffer && this.#max === 0 ? 'spelling' : 'new'
    }
    if (!this.isSpelling(item.key, item.url, lossy)) return 'known'
    this.#spellings.set(item.key, (this.#spellings.get(item.key) ?? 0) + 1)
    this.#reported.add(hash64(item.url))
    return 'spelling'
  }

  /** Whether `offer` would return `known`: true for most links of a page, which then cost nothing more. */
  holds({ key, href, lossy }: WebUrl): boolean {
    return this.#seen.has(key) && !this.isSpelling(key, href, lossy)
  }

  /** Whether `offer` would return `spelling`. Where no spelling is kept, only a lossy one or a folder's can differ. */
  isSpelling(key: bigint, url: string, lossy: boolean): boolean {
    const text = this.#texts.size === 0 ? undefined : this.#texts.get(key)
    const mayDiffer = text === undefined ? lossy || this.#mayHaveIndexName(url) : !isSameText(text, url)
    if (!mayDiffer) return false
    if (!this.#seen.has(key) || (this.#spellings.get(key) ?? 0) >= MAX_SPELLINGS) return false
    return this.#reported.size < MAX_SPELLINGS_PER_VISIT && !this.#reported.has(hash64(url))
  }

  /** A link leads to it. True when only a form did so far: the frontier must know. Its generation stays. */
  isLinked(key: bigint): boolean {
    const item = this.#forms.size === 0 ? undefined : this.#forms.get(key)
    if (item === undefined) return false
    item.path = linkedPath(item.path)
    return this.#forms.delete(key)
  }

  /** Something waits here that no page has listed so far. */
  get hasOffspring(): boolean {
    return this.#offspring.size > 0
  }

  /** It waits here, and no page has listed it so far. */
  isOffspring(key: bigint): boolean {
    return this.#maybeOffspring.has(key) && this.#offspring.has(key)
  }

  /** A page lists what waits here as offspring of another: it now counts as found there. */
  list(key: bigint, { depth, via, path }: Pick<AgendaItem, 'depth' | 'via' | 'path'>): void {
    const item = this.#offspring.get(key)
    if (item === undefined) return
    this.#offspring.delete(key)
    Object.assign(item, { depth: Math.min(item.depth, depth), via, path })
  }

  #note(item: AgendaItem): void {
    if (isByForm(item.path)) this.#forms.set(item.key, item)
    if (generationOf(item.path) === 0) return
    this.#offspring.set(item.key, item)
    this.#maybeOffspring.add(item.key)
  }

  /** The site has it already: queued, fetched, or known to the frontier. */
  knows(key: bigint): boolean {
    return this.#seen.has(key)
  }

  /** New to the site. For a site with very many URLs this is not known here, and nothing counts as fresh. */
  isFresh(key: bigint): boolean {
    return this.#max > 0 && !this.#seen.has(key)
  }

  peek(): AgendaItem | undefined {
    return this.#queue[this.#next]
  }

  take(): AgendaItem | undefined {
    const item = this.#queue[this.#next++]
    if (item !== undefined) {
      this.#forms.delete(item.key)
      this.#offspring.delete(item.key)
    }
    // Long visits drop the used part of the queue.
    if (this.#next > 1000 && this.#next * 2 > this.#queue.length) {
      this.#queue.splice(0, this.#next)
      this.#next = 0
    }
    return item
  }

  /** The next URL waits until others have had their turn. False when all that wait are like it. */
  defer(isLike: (item: AgendaItem) => boolean): boolean {
    const first = this.#queue[this.#next]
    if (first === undefined || !this.#hasOther(isLike)) return false
    this.#next++
    this.#queue.push(first)
    return true
  }

  #hasOther(isLike: (item: AgendaItem) => boolean): boolean {
    for (let at = this.#next; at < this.#queue.length; at++) if (!isLike(this.#queue[at])) return true
    return false
  }

  #mayHaveIndexName(url: string): boolean {
    return this.#hasIndexNames && isFolder(url)
  }

  /** Every other spelling of a URL in normal form is lossy, and recognised by that. */
  #keepText({ key, url }: AgendaItem): void {
    if (namesIndex(url)) this.#hasIndexNames = true
    if (this.#texts.size < MAX_TEXTS) this.#texts.set(key, url)
  }
}

/** Its spelling is the one that its key is made of. */
function isNormal({ key, url }: AgendaItem): boolean {
  return hash64(url) === key
}

/** A URL as a link of the report. */
export function linkTo(url: WebUrl, depth: number, via: string, path: string): Link {
  return { url: url.href, key: url.key, site: url.site, depth, via, path }
}
