/**
 * The URLs of the site being visited: breadth first, each at most once, told from what the frontier has already. A URL may
 * come under several texts (session ids, index files): the first is asked for, the frontier is told of some of the others.
 */
import { hash64 } from '../base/digest.ts'
import { HashSet64 } from '../base/hash-set.ts'
import { generationOf, isByForm, linkedPath } from '../contracts/generation.ts'
import type { Link } from '../contracts/report.ts'
import type { AgendaItem, Visit } from '../contracts/visit.ts'
import { isFolder, isSameText, namesIndex, type WebUrl } from '../web/url/web-url.ts'

/**
 * Other texts of one URL that a visit tells of, and of all URLs: a site with session ids makes any number of them. A folder
 * has five names of its index.
 */
const MAX_SPELLINGS = 5
const MAX_SPELLINGS_A_VISIT = 10_000
/** Texts kept for comparison: only of URLs whose text is not the one that their key is made of. */
const MAX_TEXTS = 20_000

export class LocalFrontier {
  readonly #queue: AgendaItem[]
  readonly #seen: HashSet64
  /** URLs that may wait here: one more than a slice asks for tells that it was one. The frontier is told of all others. */
  readonly #max: number
  #next = 0
  /** Of what may be found again under a plainer text, whatever became of it. */
  readonly #texts = new Map<bigint, string>()
  /** Other texts told of: how many by URL, and which. */
  readonly #spellings = new Map<bigint, number>()
  readonly #told = new HashSet64()
  #hasIndexNames: boolean
  /** What waits here because a form leads to it. */
  readonly #forms = new Map<bigint, AgendaItem>()
  /** Of later generations, that wait here: a page may yet list them. */
  readonly #offspring = new Map<bigint, AgendaItem>()
  /** Their keys and those of some that wait no more: asked of every link, in a tenth of the time. */
  readonly #maybeOffspring = new HashSet64()

  constructor(visit: Visit) {
    this.#hasIndexNames = visit.memory.indexNames === true
    // Copies: what is learnt of one that waits is written to it.
    this.#queue = visit.agenda.map((item) => ({ ...item }))
    this.#max = visit.known === 'too many' ? 0 : visit.limits.pages + 1
    this.#seen = visit.known === 'too many' ? new HashSet64() : new HashSet64(visit.known)
    for (const item of this.#queue) {
      this.#seen.add(item.key)
      if (!isNormal(item)) this.#keepText(item)
      this.#note(item)
    }
  }

  /** Folders of the site are linked by names of their index, too: a folder's URL may be known under such a name. */
  get hasIndexNames(): boolean {
    return this.#hasIndexNames
  }

  /**
   * `new`: it is queued, if there is room and not only the agenda may be fetched. `spelling`: known, it seems, and this text
   * of it is to be told. `lossy`: the rules that made its key may take two pages for one.
   */
  offer(item: AgendaItem, lossy: boolean): 'new' | 'known' | 'spelling' {
    if (this.#seen.add(item.key)) {
      const queued = this.#queue.length - this.#next < this.#max
      if (queued) {
        this.#queue.push(item)
        this.#note(item)
      }
      // Whoever offers a sitemap or a feed does not say whether its text is lossy.
      const mayDiffer = lossy || this.#mayHaveIndexName(item.url)
      if (mayDiffer || (queued && !isNormal(item))) this.#keepText(item)
      // What the frontier has is not known here: it will see whether this is another text of it.
      return mayDiffer && this.#max === 0 ? 'spelling' : 'new'
    }
    if (!this.isSpelling(item.key, item.url, lossy)) return 'known'
    this.#spellings.set(item.key, (this.#spellings.get(item.key) ?? 0) + 1)
    this.#told.add(hash64(item.url))
    return 'spelling'
  }

  /** Whether `offer` would say `known`: most links of a page, for which nothing more is to be done. */
  holds({ key, href, lossy }: WebUrl): boolean {
    return this.#seen.has(key) && !this.isSpelling(key, href, lossy)
  }

  /** Whether `offer` would say so. Where no text is kept, only a lossy one can be another, and a folder. */
  isSpelling(key: bigint, url: string, lossy: boolean): boolean {
    const text = this.#texts.size === 0 ? undefined : this.#texts.get(key)
    const mayDiffer = text === undefined ? lossy || this.#mayHaveIndexName(url) : !isSameText(text, url)
    if (!mayDiffer) return false
    if (!this.#seen.has(key) || (this.#spellings.get(key) ?? 0) >= MAX_SPELLINGS) return false
    return this.#told.size < MAX_SPELLINGS_A_VISIT && !this.#told.has(hash64(url))
  }

  /**
   * A link. True when only a form led to what waits here: it is asked for whatever becomes of other forms, and the frontier
   * is to be told. Its generation stays.
   */
  isLinked(key: bigint): boolean {
    const item = this.#forms.size === 0 ? undefined : this.#forms.get(key)
    if (item === undefined) return false
    item.path = linkedPath(item.path)
    return this.#forms.delete(key)
  }

  /** It waits here, and no page has listed it so far. */
  isOffspring(key: bigint): boolean {
    return this.#maybeOffspring.has(key) && this.#offspring.has(key)
  }

  /** A page lists what waits here as offspring of another: from now on it was found there. */
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

  /** The site has it already: queued, asked for, or known to the frontier. */
  knows(key: bigint): boolean {
    return this.#seen.has(key)
  }

  /** The site had not seen it before. Of a site with very many URLs that is not known here, and nothing is called fresh. */
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
    // The queue of a long visit is not kept from its beginning.
    if (this.#next > 1000 && this.#next * 2 > this.#queue.length) {
      this.#queue.splice(0, this.#next)
      this.#next = 0
    }
    return item
  }

  #mayHaveIndexName(url: string): boolean {
    return this.#hasIndexNames && isFolder(url)
  }

  /** Every other text of a URL whose text is its normal one is lossy, and known by that. */
  #keepText({ key, url }: AgendaItem): void {
    if (namesIndex(url)) this.#hasIndexNames = true
    if (this.#texts.size < MAX_TEXTS) this.#texts.set(key, url)
  }
}

/** Its text is the one that its key is made of. */
function isNormal({ key, url }: AgendaItem): boolean {
  return hash64(url) === key
}

/** A URL as a link of the report. */

export function linkTo(url: WebUrl, depth: number, via: string, path: string): Link {
  return { url: url.href, key: url.key, site: url.site, depth, via, path }
}
