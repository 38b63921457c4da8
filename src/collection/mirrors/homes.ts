/** Whether a replica's home page still equals the original's: mirrors are transient (VN §4.3). */
import type { Instant } from '../../base/clock.ts'
import { hash64, signed64 } from '../../base/digest.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import type { UrlReader, WebUrl } from '../../web/url/web-url.ts'
import { siteAt, siteKeyOf } from '../row-id.ts'
import type { NamedPair } from './list.ts'

/** Simhashes of texts that differ in a date or a counter; texts of their own differ in about 32 of 64 bits. */
const NEARLY_EQUAL_BITS = 3

export type Home =
  | { is: 'kept'; digest: string | null; text: bigint | null; simhash: bigint | null }
  | { is: 'elsewhere'; site: SiteName }

/**
 * By what was seen since then. Undefined: they are equal, or one of them was not seen, which proves nothing. `urls` reads
 * by the rules of the collection, for a home page may lie there under `/index.html`.
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
  // An original that sends its visitors away, perhaps to the replica, stands for nobody.
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
    // `/` that leads to `/en/`, and http to https, stay in the site.
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
    ...siteAt(tx.dialect, siteKeyOf(site)),
    signed64(key),
    Math.floor(since),
  )
}

const kept = ({ digest, text_digest, simhash }: Row): Home => ({ is: 'kept', digest, text: text_digest, simhash })

/** A page without text says nothing by its text. */
const NO_TEXT = signed64(hash64(''))

function isSame(one: Home & { is: 'kept' }, other: Home & { is: 'kept' }): boolean {
  if (one.digest !== null && one.digest === other.digest) return true
  if (one.text === null || other.text === null || one.text === NO_TEXT || other.text === NO_TEXT) return false
  if (one.text === other.text) return true
  if (one.simhash === null || other.simhash === null || one.simhash === 0n || other.simhash === 0n) return false
  return bitsThatDiffer(one.simhash, other.simhash) <= NEARLY_EQUAL_BITS
}

function bitsThatDiffer(a: bigint, b: bigint): number {
  return BigInt.asUintN(64, a ^ b)
    .toString(2)
    .replaceAll('0', '').length
}
