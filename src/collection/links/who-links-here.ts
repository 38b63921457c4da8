/** Answers of the reverse index: the pages that link to a URL, and the URLs that most pages link to. */

import { ByteReader } from '../../base/bytes.ts'
import { signed64 } from '../../base/digest.ts'
import type { SiteName, UrlKey } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { urlTexts } from '../pages/read-pages.ts'
import { placeOf, siteAt, siteKeyOf } from '../row-id.ts'
import { linksToIndex } from './index-links.ts'
import { ALL_SLOTS, slotOf } from './link-targets.ts'

export interface Inlinks {
  /** Pages that link here. */
  count: number
  /** Their URLs, in the order in which the pages came; as many as were asked for. */
  from: string[]
  /** Pages whose links the index has not seen yet: 0, the answer is whole. */
  behind: number
}

export async function whoLinksHere(tx: Tx, site: SiteName, key: UrlKey, atMost = 1000): Promise<Inlinks> {
  const pages = await pagesLinkingTo(tx, siteKeyOf(site), signed64(key))
  const sql = 'SELECT url FROM page WHERE bucket = ? AND id = ?'
  const rows = [...pages].slice(0, atMost).map((page) => queries(tx).get<{ url: string }>(sql, ...placeOf(page)))
  const from = (await Promise.all(rows)).flatMap((row) => (row === undefined ? [] : [row.url]))
  return { count: pages.size, from, behind: await linksToIndex(tx) }
}

export interface Referenced {
  url: string
  pages: number
}

/** References to each URL (C10), the most referenced first. Reads the whole index: for reports. */
export async function mostReferenced(tx: Tx, atMost: number): Promise<Referenced[]> {
  let max: CountedTarget[] = []
  for await (const target of countedTargets(tx)) {
    max.push(target)
    // Sorted now and then, so that the many that are not among the most referenced are soon forgotten.
    if (max.length >= 2 * atMost + KEPT_UNSORTED) max = leading(max, atMost)
  }
  const first = leading(max, atMost)
  const texts = await urlTexts(tx, first)
  return first.flatMap(({ pages }, i) => {
    const url = texts[i]
    return url === undefined ? [] : [{ url, pages }]
  })
}

const KEPT_UNSORTED = 10_000

function leading(targets: CountedTarget[], atMost: number): CountedTarget[] {
  return targets.sort((a, b) => b.pages - a.pages || compare(a.site, b.site) || compare(a.key, b.key)).slice(0, atMost)
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

/** The reverse index as it is read: the pages that link to one target, or every target with the number of its pages. */

/**
 * In the order in which they first linked here. `site` and `key` signed, as the tables have them. With `enough` the rest of
 * the index is not read: some of so many may have lost the link since.
 */
export async function pagesLinkingTo(
  tx: Tx,
  site: bigint,
  key: bigint,
  enough = Number.POSITIVE_INFINITY,
): Promise<Set<number>> {
  const [low, high] = halves(key)
  const pages = new Set<number>()
  const sql = `SELECT targets FROM inlink WHERE bucket = ? AND site = ? AND slot IN (${ALL_SLOTS}, ?) ORDER BY id`
  const rows = queries(tx).each<{ targets: Uint8Array }>(sql, ...siteAt(tx.dialect, site), slotOf(high))
  for await (const { targets } of rows) {
    const row = new TargetReader(targets)
    while (row.next()) {
      if (row.low !== low || row.high !== high) {
        row.skip()
        continue
      }
      for (const page of row.ids(row.won)) pages.add(page)
      for (const page of row.ids(row.lost)) pages.delete(page)
    }
    if (pages.size >= enough) break
  }
  return pages
}

export interface CountedTarget {
  site: bigint
  key: bigint
  pages: number
}

/** Rows of one site that are added up at once; a larger one is gone through several times, a part of its keys each. */
const BYTES_A_PASS = 32 * 1024 * 1024

/** Every target that pages link to. Reads the whole index: for reports. */
export async function* countedTargets(tx: Tx, bytesAPass = BYTES_A_PASS): AsyncGenerator<CountedTarget> {
  const db = queries(tx)
  const sites = db.eachExact<{ site: bigint; bytes: bigint }>(
    'SELECT site, sum(length(targets)) AS bytes FROM inlink GROUP BY site',
  )
  for await (const { site, bytes } of sites) {
    // Passes are told apart by the first bits of the key, at most by the byte that slots go by.
    const bits = Math.min(8, Math.max(0, Math.ceil(Math.log2(Number(bytes) / bytesAPass))))
    for (let pass = 0; pass < 2 ** bits; pass++) yield* countedIn(tx, site, bits, pass)
  }
}

async function* countedIn(tx: Tx, site: bigint, bits: number, pass: number): AsyncGenerator<CountedTarget> {
  const sums = new Map<bigint, number>()
  const rows = queries(tx).each<{ slot: number; targets: Uint8Array }>(
    'SELECT slot, targets FROM inlink WHERE bucket = ? AND site = ?',
    ...siteAt(tx.dialect, site),
  )
  const isIn = (slot: number) => slot >>> (8 - bits) === pass
  for await (const { slot, targets } of rows) {
    if (slot !== ALL_SLOTS && !isIn(slot)) continue
    const row = new TargetReader(targets)
    while (row.next()) {
      if (isIn(slotOf(row.high))) {
        const key = (BigInt(row.high | 0) << 32n) | BigInt(row.low)
        sums.set(key, (sums.get(key) ?? 0) + row.won - row.lost)
      }
      row.skip()
    }
  }
  for (const [key, pages] of sums) if (pages > 0) yield { site, key, pages }
}

/** One packed row (`link-targets.ts`): after `next`, either `skip`, or `ids` of all that it won and then of all that it lost. */
class TargetReader {
  readonly #from: ByteReader
  low = 0
  high = 0
  won = 0
  lost = 0

  constructor(packed: Uint8Array) {
    this.#from = new ByteReader(packed)
  }

  next(): boolean {
    if (this.#from.atEnd) return false
    this.low = this.#from.u32()
    this.high = this.#from.u32()
    this.won = this.#from.count()
    this.lost = this.#from.count()
    return true
  }

  skip(): void {
    for (let left = this.won + this.lost; left > 0; left--) this.#from.count()
  }

  ids(count: number): number[] {
    const ids: number[] = []
    for (let last = 0; count > 0; count--) ids.push((last += this.#from.count()))
    return ids
  }
}

function halves(key: bigint): [low: number, high: number] {
  return [Number(BigInt.asUintN(32, key)), Number(BigInt.asUintN(32, key >> 32n))]
}
