/** Reads the reverse index: the pages that link to a URL, or every target with the number of its pages. */
import { ByteReader } from '../../base/bytes.ts'
import { signed64, unsigned64 } from '../../base/digest.ts'
import { type SiteName, siteKeyOf, type UrlKey } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { rowOf, siteAt } from '../row-id.ts'
import { linksToIndex } from './index-links.ts'
import { ALL_SLOTS, slotOf } from './link-targets.ts'

export type Inlinks = Awaited<ReturnType<typeof whoLinksHere>>

/**
 * How many pages link here (C10); with `enough`, counting ends when there are that many or more. `from`: their URLs, in
 * the order in which the pages came, at most `atMost`. `behind`: pages that are not indexed yet; 0: the answer is
 * complete.
 */
export async function whoLinksHere(
  tx: Tx,
  site: SiteName,
  key: UrlKey,
  atMost = 1000,
  enough = Number.POSITIVE_INFINITY,
) {
  const pages = await pagesLinkingTo(tx, siteKeyOf(site), signed64(key), enough)
  const sql = 'SELECT url FROM page WHERE bucket = ? AND id = ?'
  const rows = [...pages].slice(0, atMost).map((page) => queries(tx).get<{ url: string }>(sql, ...rowOf(page)))
  const from = (await Promise.all(rows)).flatMap((row) => (row === undefined ? [] : [row.url]))
  return { count: pages.size, from, behind: await linksToIndex(tx) }
}

/**
 * In the order in which they first linked here. Keys are signed, as in the tables. With `enough` the rest of the index is not
 * read, although some of these pages may have lost the link since.
 */
export async function pagesLinkingTo(
  tx: Tx,
  site: bigint,
  key: bigint,
  enough = Number.POSITIVE_INFINITY,
): Promise<Set<number>> {
  const wanted = unsigned64(key)
  const pages = new Set<number>()
  const sql = `SELECT targets FROM inlink WHERE bucket = ? AND site = ? AND slot IN (${ALL_SLOTS}, ?) ORDER BY id`
  const rows = queries(tx).each<{ targets: Uint8Array }>(sql, ...siteAt(tx.dialect, site), slotOf(wanted))
  for await (const { targets } of rows) {
    const row = new TargetReader(targets)
    while (row.next()) {
      if (row.key !== wanted) {
        row.skip()
        continue
      }
      for (const page of row.ids(row.gained)) pages.add(page)
      for (const page of row.ids(row.lost)) pages.delete(page)
    }
    if (pages.size >= enough) break
  }
  return pages
}

interface CountedTarget {
  site: bigint
  key: bigint
  pages: number
}

/** Rows of one site that are summed at once; a larger site takes several passes over parts of its keys. */
const BYTES_PER_PASS = 32 * 1024 * 1024

/** Every target that pages link to. It reads the whole index, so it is for reports. */
export async function* countedTargets(tx: Tx, bytesPerPass = BYTES_PER_PASS): AsyncGenerator<CountedTarget> {
  const sites = queries(tx).eachExact<{ site: bigint; bytes: bigint }>(
    'SELECT site, sum(length(targets)) AS bytes FROM inlink GROUP BY site',
  )
  for await (const { site, bytes } of sites) {
    // A pass takes the keys with the same first bits, at most the byte that gives the slot.
    const bits = Math.min(8, Math.max(0, Math.ceil(Math.log2(Number(bytes) / bytesPerPass))))
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
      if (isIn(slotOf(row.key))) sums.set(row.key, (sums.get(row.key) ?? 0) + row.gained - row.lost)
      row.skip()
    }
  }
  for (const [key, pages] of sums) if (pages > 0) yield { site, key: signed64(key), pages }
}

/** Reads a packed row (`link-targets.ts`). After `next` call `skip`, or `ids` for the pages gained and then for those lost. */
class TargetReader {
  readonly #from: ByteReader
  key = 0n
  gained = 0
  lost = 0

  constructor(packed: Uint8Array) {
    this.#from = new ByteReader(packed)
  }

  next(): boolean {
    if (this.#from.atEnd) return false
    this.key = this.#from.u64()
    this.gained = this.#from.count()
    this.lost = this.#from.count()
    return true
  }

  skip(): void {
    for (let left = this.gained + this.lost; left > 0; left--) this.#from.count()
  }

  ids(count: number): number[] {
    const ids: number[] = []
    for (let last = 0; count > 0; count--) ids.push((last += this.#from.count()))
    return ids
  }
}
