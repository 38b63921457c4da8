/** Checks whether a replica's home page still equals the original's: mirrors are transient (VN §4.3). */
import type { Instant } from '../../base/clock.ts'
import { hash64, signed64 } from '../../base/digest.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import type { UrlReader, WebUrl } from '../../web/url/web-url.ts'
import { bitsApart } from '../pages/page-row.ts'
import { siteNamed } from '../row-id.ts'
import type { NamedPair } from './list.ts'

/** For texts that differ in a date or a counter; unrelated texts differ in about 32 of 64 bits. */
const NEARLY_EQUAL_BITS = 3

export type Home =
  | { is: 'kept'; digest: string | null; text: bigint | null; simhash: bigint | null }
  | { is: 'elsewhere'; site: SiteName }

/**
 * By fetches since then. Undefined: they are equal, or one was not fetched, which proves nothing. `urls` parses by the rules
 * of the collection, where a home page may be at `/index.html`.
 */
export async function whyNoMirror(
  tx: Tx,
  urls: UrlReader,
  { replica, original }: NamedPair,
  since: Instant,
): Promise<string | undefined> {
  const one = await homeOf(tx, urls, replica, since)
  if (one === undefined) return undefined
  const other = await homeOf(tx, urls, original, since)
  if (other === undefined) return undefined
  // An original that redirects, perhaps to the replica, is no original.
  if (other.is === 'elsewhere') return `the home page of ${original} has moved to ${other.site}`
  if (one.is === 'elsewhere')
    return one.site === original ? undefined : `the home page of ${replica} has moved to ${one.site}`
  return isSame(one, other) ? undefined : 'their home pages differ'
}

interface Row {
  outcome: string
  detail: string | null
  digest: string | null
  text_digest: bigint | null
  simhash: bigint | null
}

export async function homeOf(tx: Tx, urls: UrlReader, name: SiteName, since: Instant): Promise<Home | undefined> {
  let away: SiteName | undefined
  for (const scheme of ['https', 'http']) {
    const url = urls.parse(`${scheme}://${name}/`)
    const row = url === undefined ? undefined : await rowOf(tx, url, since)
    if (row === undefined) continue
    if (row.outcome === 'kept') return kept(row)
    const target = row.outcome === 'moved' ? urls.parse(row.detail ?? '') : undefined
    if (target === undefined) continue
    // Redirects from `/` to `/en/` and from http to https stay in the site.
    const there = target.site === name ? await rowOf(tx, target, since) : undefined
    if (there?.outcome === 'kept') return kept(there)
    if (target.site !== name) away ??= target.site
  }
  return away === undefined ? undefined : { is: 'elsewhere', site: away }
}

function rowOf(tx: Tx, { site, key }: WebUrl, since: Instant): Promise<Row | undefined> {
  return queries(tx).getExact<Row>(
    `SELECT outcome, detail, digest, text_digest, simhash FROM page
     WHERE bucket = ? AND site = ? AND key = ? AND at >= ?`,
    ...siteNamed(tx, site),
    signed64(key),
    Math.floor(since),
  )
}

const kept = ({ digest, text_digest, simhash }: Row): Home => ({ is: 'kept', digest, text: text_digest, simhash })

/** A page without text cannot be compared by text. */
const NO_TEXT = signed64(hash64(''))

function isSame(one: Home & { is: 'kept' }, other: Home & { is: 'kept' }): boolean {
  if (one.digest !== null && one.digest === other.digest) return true
  if (one.text === null || other.text === null || one.text === NO_TEXT || other.text === NO_TEXT) return false
  if (one.text === other.text) return true
  if (one.simhash === null || other.simhash === null || one.simhash === 0n || other.simhash === 0n) return false
  return bitsApart(one.simhash, other.simhash) <= NEARLY_EQUAL_BITS
}
