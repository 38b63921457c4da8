/** The rows of other texts of a URL, and what becomes of them: see `../rules/spellings.ts`. */
import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { Link, PageReport } from '../../contracts/report.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { isSameText, type UrlReader } from '../../web/url/web-url.ts'
import { GONE, lastmodOf, markOf, NOT_FOUND, WAITING } from '../rules/mark.ts'
import type { SiteRow } from '../rules/site.ts'
import { isApart, isNamed, isNewText, type KnownText, MAX_SPELLINGS, pathOfMove } from '../rules/spellings.ts'
import { ENQUEUE, enqueue, freshen, pageOf } from './enqueue.ts'
import { agreedUrls } from './meta.ts'

export const READ_TEXT = `SELECT url, mark FROM url WHERE site = ? AND key = ?`
export const READ_WAITING_TEXT = `
  SELECT url, depth, via_site, via_key, path FROM url WHERE site = ? AND key = ? AND mark = 0`
export const HAS_SPELLINGS = `SELECT 1 FROM url_spelling WHERE site = ? LIMIT 1`
export const READ_SPELLINGS = `
  SELECT place, url, depth, via_site, via_key, path, tried FROM url_spelling WHERE site = ? AND key = ? ORDER BY place`
export const WRITE_SPELLING = `
  INSERT INTO url_spelling (site, key, place, url, depth, via_site, via_key, path, tried)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (site, key, place) DO UPDATE SET url = excluded.url, tried = excluded.tried`
export const FORGET_SPELLINGS = `DELETE FROM url_spelling WHERE site = ? AND key = ?`
export const FORGET_SPELLINGS_OF_SITE = `DELETE FROM url_spelling WHERE site = ?`
/** In the place of the one that was not found: it waits as a URL that was never visited. */
export const RESPELL = `
  UPDATE url SET url = ?, depth = ?, via_site = ?, via_key = ?, path = ?, seq = ?, enqueued_at = ?, due_at = 0, tries = 0,
    mark = 0
  WHERE site = ? AND key = ?`

interface Spelling {
  place: bigint
  url: string
  depth: bigint | number
  via_site: bigint | null
  via_key: bigint | null
  path: string
  tried: bigint
}

export function readText(tx: SqliteTx, site: bigint, key: bigint): KnownText | undefined {
  return tx.get<KnownText>(READ_TEXT, site, key)
}

/** Most sites have none: then their pages need not be looked up one by one. */
export function hasSpellings(tx: SqliteTx, site: SiteRow): boolean {
  return tx.get(HAS_SPELLINGS, site.key) !== undefined
}

export function forgetSpellings(tx: SqliteTx, site: SiteRow, key: bigint): void {
  tx.run(FORGET_SPELLINGS, site.key, key)
}

/** The page is there: only other names of its folder's index are kept. */
export function keepIndexes(tx: SqliteTx, urls: UrlReader, site: SiteRow, key: bigint, asked: string): void {
  const others = readSpellings(tx, site, key)
  const kept = others.filter(({ url }) => urls.areTwoIndexes(asked, url))
  if (kept.length === others.length) return
  forgetSpellings(tx, site, key)
  for (const [index, { tried, ...text }] of kept.entries()) writeText(tx, site, key, index + 1, text, tried)
}

/** A link that may be another text of a known URL. The row is read anew: the link before may have changed it. */
export function enterSpelling(tx: SqliteTx, site: SiteRow, link: Link, now: Instant): 'fresh' | 'again' | 'of no use' {
  const known = readText(tx, site.key, signed64(link.key))
  if (known === undefined) return enqueue(tx, site, [link], now) === 1 ? 'fresh' : 'of no use'
  const urls = agreedUrls(tx)
  if (urls.areTwoIndexes(known.url, link.url))
    return enterIndex(tx, urls, site, known, link, textOf(tx, link), now) ? 'again' : 'of no use'
  freshen(tx, site.key, link)
  return addSpelling(tx, site, known, link, textOf(tx, link), now) ? 'again' : 'of no use'
}

/**
 * A visit asked for another name of the folder's index than waits under the page's key: others entered that while it was
 * out. What waits there, which has to be entered again.
 */
export function waitingIndex(tx: SqliteTx, urls: UrlReader, site: SiteRow, page: PageReport): Text | undefined {
  if (urls.keyApart(page.url) === undefined) return undefined
  const waiting = tx.getExact<Text>(READ_WAITING_TEXT, site.key, signed64(page.key))
  return waiting !== undefined && urls.areTwoIndexes(waiting.url, page.url) ? waiting : undefined
}

/** A text that names the folder's index differently than the known one does. True when something waits that did not. */
export function enterIndex(
  tx: SqliteTx,
  urls: UrlReader,
  site: SiteRow,
  known: KnownText,
  link: Pick<Link, 'key' | 'lastmod'>,
  text: Text,
  now: Instant,
): boolean {
  const key = signed64(link.key)
  const others = readSpellings(tx, site, key)
  const there = others.find(({ url }) => isSameText(url, text.url))
  if (!isApart(known, others, text.url, urls)) {
    freshen(tx, site.key, link)
    if (there !== undefined) return false
    if (isNewText(known, text.url)) return addSpelling(tx, site, known, link, text, now)
    if (!isNamed(others, text.url, urls)) writeText(tx, site, key, others.length + 1, text, 0)
    return false
  }
  let entered = 0
  for (const other of others)
    if (other.tried === 0n && urls.areTwoIndexes(known.url, other.url)) {
      entered += enqueueApart(tx, urls, site, other, null, now)
      writeTried(tx, site, key, Number(other.place), other.url)
    }
  if (there !== undefined) {
    const own = urls.keyApart(text.url)
    if (own !== undefined) freshen(tx, site.key, { ...link, key: own })
    return entered > 0
  }
  entered += enqueueApart(tx, urls, site, text, lastmodOf(link), now)
  if (others.length < MAX_SPELLINGS) writeTried(tx, site, key, others.length + 1, text.url)
  return entered > 0
}

/** 1 when it is new under its own key. */
function enqueueApart(
  tx: SqliteTx,
  urls: UrlReader,
  site: SiteRow,
  { url, depth, via_site, via_key, path }: Text,
  lastmod: number | null,
  now: Instant,
): number {
  const key = urls.keyApart(url)
  if (key === undefined) return 0
  const mark = site.state === 'barred' ? GONE : WAITING
  const values = [url, depth, via_site, via_key, path, ++site.seq, now, mark, lastmod]
  const fresh = tx.run(ENQUEUE, site.key, signed64(key), ...values)
  site.known += fresh
  if (mark === WAITING) site.waiting += fresh
  return fresh
}

/** True when the URL waits again with it; else it is kept for later, or is of no use. */
function addSpelling(
  tx: SqliteTx,
  site: SiteRow,
  known: KnownText,
  link: Pick<Link, 'key'>,
  text: Text,
  now: Instant,
): boolean {
  if (site.state === 'barred' || !isNewText(known, text.url)) return false
  const key = signed64(link.key)
  const others = readSpellings(tx, site, key)
  if (others.length >= MAX_SPELLINGS || others.some(({ url }) => isSameText(url, text.url))) return false
  const place = others.length + 1
  if (known.mark === NOT_FOUND) {
    respell(tx, site, key, text, now)
    writeTried(tx, site, key, place, known.url)
    return true
  }
  writeText(tx, site, key, place, text, 0)
  return false
}

/** `asked` was not found: when another text has not been tried, the URL waits with it, and it is true. */
export function tryNextSpelling(tx: SqliteTx, site: SiteRow, key: bigint, asked: string, now: Instant): boolean {
  const next = readSpellings(tx, site, key).find(({ tried }) => tried === 0n)
  if (next === undefined) return false
  respell(tx, site, key, next, now)
  writeTried(tx, site, key, Number(next.place), asked)
  return true
}

/** The page is at another text of its own URL, says the server: that one is asked for, if it was not before. */
export function followSpelling(
  tx: SqliteTx,
  urls: UrlReader,
  site: SiteRow,
  page: PageReport,
  to: string,
  now: Instant,
): boolean {
  const key = signed64(page.key)
  const others = readSpellings(tx, site, key)
  // It is a link of the page as well, and entered as that.
  const known = { url: page.url, mark: markOf(page.outcome) }
  if (urls.areTwoIndexes(page.url, to) && isApart(known, others, to, urls)) return false
  const there = others.find(({ url }) => url === to)
  if (there === undefined ? others.length >= MAX_SPELLINGS : there.tried === 1n) return false
  const text = textOf(tx, { url: to, depth: page.depth, via: page.url, path: pathOfMove(page.path) })
  respell(tx, site, key, text, now)
  writeTried(tx, site, key, there === undefined ? others.length + 1 : Number(there.place), page.url)
  return true
}

/** Asked for by a visit that did not know the text that waits here: that one still does. */
export function rememberTried(tx: SqliteTx, site: SiteRow, key: bigint, asked: string): void {
  const others = readSpellings(tx, site, key)
  const there = others.find(({ url }) => url === asked)
  const place = there === undefined ? others.length + 1 : Number(there.place)
  if (place <= MAX_SPELLINGS) writeTried(tx, site, key, place, asked)
}

function readSpellings(tx: SqliteTx, site: SiteRow, key: bigint): Spelling[] {
  return tx.allExact<Spelling>(READ_SPELLINGS, site.key, key)
}

type Text = Omit<Spelling, 'place' | 'tried'>

function textOf(tx: SqliteTx, { url, depth, via, path }: Pick<Link, 'url' | 'depth' | 'via' | 'path'>): Text {
  const page = pageOf(tx, via)
  return { url, depth, via_site: page.site, via_key: page.key, path }
}

function respell(tx: SqliteTx, site: SiteRow, key: bigint, text: Text, now: Instant): void {
  const { url, depth, via_site, via_key, path } = text
  tx.run(RESPELL, url, depth, via_site, via_key, path, ++site.seq, now, site.key, key)
  site.waiting++
}

function writeText(
  tx: SqliteTx,
  site: SiteRow,
  key: bigint,
  place: number,
  { url, depth, via_site, via_key, path }: Text,
  tried: number | bigint,
): void {
  tx.run(WRITE_SPELLING, site.key, key, place, url, depth, via_site, via_key, path, tried)
}

/** How it was found matters no more. */
function writeTried(tx: SqliteTx, site: SiteRow, key: bigint, place: number, url: string): void {
  tx.run(WRITE_SPELLING, site.key, key, place, url, 0, null, null, '', 1)
}
