/** The rows of other spellings; `../rules/spellings.ts` decides what becomes of them. */
import { signed64 } from '../../base/digest.ts'
import type { Link, PageReport } from '../../contracts/report.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { GONE, WAITING } from '../rules/mark.ts'
import type { SiteRow } from '../rules/site.ts'
import {
  enterKnown,
  type KnownText,
  type Spelling,
  type SpellingWork,
  type UrlAt,
  type UrlText,
} from '../rules/spellings.ts'
import { ENQUEUE, enqueue, freshen } from './enqueue.ts'
import type { Work } from './work.ts'

export const READ_TEXT = `SELECT url, mark FROM url WHERE site = ? AND key = ?`
export const READ_WAITING_TEXT = `
  SELECT url, depth, via_site, via_key, path FROM url WHERE site = ? AND key = ? AND mark = 0`
export const HAS_SPELLINGS = `SELECT 1 FROM url_spelling WHERE site = ? LIMIT 1`
export const READ_SPELLINGS = `
  SELECT position, url, depth, via_site, via_key, path, tried FROM url_spelling
  WHERE site = ? AND key = ? ORDER BY position`
export const WRITE_SPELLING = `
  INSERT INTO url_spelling (site, key, position, url, depth, via_site, via_key, path, tried)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (site, key, position) DO UPDATE SET url = excluded.url, tried = excluded.tried`
export const FORGET_SPELLINGS = `DELETE FROM url_spelling WHERE site = ? AND key = ?`
export const RESPELL = `
  UPDATE url SET url = ?, depth = ?, via_site = ?, via_key = ?, path = ?, seq = ?, enqueued_at = ?, due_at = 0, tries = 0,
    mark = 0
  WHERE site = ? AND key = ?`

export function readText(tx: SqliteTx, site: bigint, key: bigint): KnownText | undefined {
  return tx.get<KnownText>(READ_TEXT, site, key)
}

/** Most sites have none: then their pages need not be looked up one by one. */
export function hasSpellings(tx: SqliteTx, site: SiteRow): boolean {
  return tx.get(HAS_SPELLINGS, site.key) !== undefined
}

export class Spellings implements SpellingWork {
  readonly #work: Work
  readonly site: SiteRow

  constructor(work: Work, site: SiteRow) {
    this.#work = work
    this.site = site
  }

  get urls(): UrlReader {
    return this.#work.tools.urls
  }

  textOf({ url, depth, via, path }: Pick<Link, 'url' | 'depth' | 'via' | 'path'>): UrlText {
    const page = this.#work.tools.pageOf(via)
    return { url, depth, via_site: page.site, via_key: page.key, path }
  }

  of({ site, key }: UrlAt): Spelling[] {
    const rows = this.#work.tx.allExact<Omit<Spelling, Counts> & Record<Counts, bigint>>(READ_SPELLINGS, site, key)
    return rows.map(({ position, depth, tried, ...row }) => ({
      ...row,
      position: Number(position),
      depth: Number(depth),
      tried: Number(tried),
    }))
  }

  put({ site, key }: UrlAt, { position, url, depth, via_site, via_key, path, tried }: Spelling): void {
    this.#work.tx.run(WRITE_SPELLING, site, key, position, url, depth, via_site, via_key, path, tried)
  }

  forget({ site, key }: UrlAt): void {
    this.#work.tx.run(FORGET_SPELLINGS, site, key)
  }

  /** The page is there: only other names of its folder's index are kept. */
  keepIndexes(at: UrlAt, fetched: string): void {
    const others = this.of(at)
    const kept = others.filter(({ url }) => this.urls.areTwoIndexes(fetched, url))
    if (kept.length === others.length) return
    this.forget(at)
    for (const [index, spelling] of kept.entries()) this.put(at, { ...spelling, position: index + 1 })
  }

  freshen({ site, key }: UrlAt, { lastmod }: Pick<Link, 'lastmod'>): void {
    freshen(this.#work.tx, site, { key, lastmod })
  }

  respell({ site, key }: UrlAt, { url, depth, via_site, via_key, path }: UrlText): void {
    const { tx, now } = this.#work
    tx.run(RESPELL, url, depth, via_site, via_key, path, ++this.site.seq, now, site, key)
    this.site.waiting++
  }

  addApart(key: bigint, { url, depth, via_site, via_key, path }: UrlText, lastmod: number | null): number {
    const mark = this.site.state === 'barred' ? GONE : WAITING
    const values = [url, depth, via_site, via_key, path, ++this.site.seq, this.#work.now, mark, lastmod]
    const fresh = this.#work.tx.run(ENQUEUE, this.site.key, key, ...values)
    this.site.known += fresh
    if (mark === WAITING) this.site.waiting += fresh
    return fresh
  }

  /**
   * A visit fetched another name of the folder's index than waits under the page's key: others entered that while the visit
   * was out. Returns what waits there, which has to be entered again.
   */
  waitingIndex(page: PageReport): UrlText | undefined {
    if (this.urls.keyApart(page.url) === undefined) return undefined
    const waiting = this.#work.tx.getExact<Omit<UrlText, 'depth'> & { depth: bigint }>(
      READ_WAITING_TEXT,
      this.site.key,
      signed64(page.key),
    )
    if (waiting === undefined || !this.urls.areTwoIndexes(waiting.url, page.url)) return undefined
    return { ...waiting, depth: Number(waiting.depth) }
  }
}

type Counts = 'position' | 'depth' | 'tried'

/** A link that may be another text of a known URL. The row is read anew: the link before may have changed it. */
export function enterSpelling(work: Work, site: SiteRow, link: Link): 'fresh' | 'again' | 'of no use' {
  const key = signed64(link.key)
  work.tools.texts.forget(link.key)
  const known = readText(work.tx, site.key, key)
  if (known === undefined) return enqueue(work, site, [link]) === 1 ? 'fresh' : 'of no use'
  return enterKnown(new Spellings(work, site), { ...known, site: site.key, key }, link) ? 'again' : 'of no use'
}
