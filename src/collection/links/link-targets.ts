/**
 * The links of some pages, reversed: the pages that each target gained and lost, packed by site. A site with many targets is
 * split by the first byte of their keys, so that a look-up reads a small part of a large site.
 */
import { ByteWriter } from '../../base/bytes.ts'
import { signed64 } from '../../base/digest.ts'
import { hashSlot } from '../../base/hash-set.ts'
import { LinkCursor } from '../../contracts/adjacency.ts'

export interface Change {
  page: bigint
  /** The page's own site, signed. */
  site: bigint
  /** The links that the index has; null: none. */
  before: Uint8Array | null
  after: Uint8Array | null
}

export interface TargetRow {
  site: bigint
  slot: number
  /** Packed. */
  targets: Uint8Array
}

/** The slot of sites whose targets need not be split. */
export const ALL_SLOTS = -1
const MAX_UNSPLIT = 256
/** Initial size of the hash table; it grows when needed. */
const SLOTS_PER_PAGE = 16

/** Page ids in ascending order, because pages are added in that order. */
interface Target {
  low: number
  high: number
  site: number
  gained: number[]
  lost: number[]
  /** The last page that had the link before, has it now, and was recorded as having lost it. */
  before: number
  after: number
  lostBy: number
}

/** The slot of a target in a site that is split. */
export const slotOf = (high: number): number => high >>> 24

export class LinkTargets {
  readonly #sites: { key: bigint; targets: Target[] }[] = []
  readonly #siteAt = new Map<bigint, number>()
  readonly #targets: Target[] = []
  /** Indexes of targets plus one, by hash; 0: free. */
  #table: Int32Array
  readonly #links = new LinkCursor()

  constructor(pages: number) {
    this.#table = new Int32Array(2 ** Math.ceil(Math.log2((pages + 1) * SLOTS_PER_PAGE)))
  }

  /** A page that has a URL twice links to it once. */
  add({ page: id, site, before, after }: Change): void {
    const page = Number(id)
    const own = this.#siteNumber(site)
    const links = this.#links
    if (before !== null) for (links.open(before); links.next(); ) this.#current(own).before = page
    if (after !== null) {
      for (links.open(after); links.next(); ) {
        const target = this.#current(own)
        if (target.after === page) continue
        target.after = page
        if (target.before !== page) target.gained.push(page)
      }
    }
    if (before === null) return
    for (links.open(before); links.next(); ) {
      const target = this.#current(own)
      if (target.after === page || target.lostBy === page) continue
      target.lostBy = page
      target.lost.push(page)
    }
  }

  /** Sorted by site: rows in the order of an index cost less. */
  *rows(): Generator<TargetRow> {
    const out = new ByteWriter(4096)
    for (const { key: site, targets } of this.#sites.sort((a, b) => (a.key < b.key ? -1 : 1))) {
      const changed = targets.filter(({ gained, lost }) => gained.length + lost.length > 0)
      for (const [slot, members] of slots(changed)) yield { site, slot, targets: pack(out, members) }
    }
  }

  /** The target of the link that was read last. */
  #current(own: number): Target {
    const { siteKey, low, high } = this.#links
    return this.#target(siteKey === undefined ? own : this.#siteNumber(signed64(siteKey)), low, high)
  }

  #siteNumber(key: bigint): number {
    const known = this.#siteAt.get(key)
    if (known !== undefined) return known
    const number = this.#sites.length
    this.#sites.push({ key, targets: [] })
    this.#siteAt.set(key, number)
    return number
  }

  #target(site: number, low: number, high: number): Target {
    const mask = this.#table.length - 1
    let slot = firstSlot(this.#table, low, high, site)
    for (let number = this.#table[slot]; number !== 0; number = this.#table[slot]) {
      const target = this.#targets[number - 1]
      if (target.low === low && target.high === high && target.site === site) return target
      slot = (slot + 1) & mask
    }
    const target: Target = { low, high, site, gained: [], lost: [], before: 0, after: 0, lostBy: 0 }
    this.#table[slot] = this.#targets.push(target)
    this.#sites[site].targets.push(target)
    if (this.#targets.length * 2 > this.#table.length) this.#grow()
    return target
  }

  #grow(): void {
    const table = new Int32Array(this.#table.length * 2)
    const mask = table.length - 1
    for (const [at, { low, high, site }] of this.#targets.entries()) {
      let slot = firstSlot(table, low, high, site)
      while (table[slot] !== 0) slot = (slot + 1) & mask
      table[slot] = at + 1
    }
    this.#table = table
  }
}

/** Includes the site: a forger can give two sites the same key. */
function firstSlot(table: Int32Array, low: number, high: number, site: number): number {
  return hashSlot(low ^ Math.imul(site, 0x9e3779b1), high, 31 - Math.clz32(table.length))
}

function slots(targets: readonly Target[]): Iterable<[slot: number, members: readonly Target[]]> {
  if (targets.length === 0) return []
  if (targets.length <= MAX_UNSPLIT) return [[ALL_SLOTS, targets]]
  return Map.groupBy(targets, ({ high }) => slotOf(high))
}

function pack(out: ByteWriter, targets: readonly Target[]): Uint8Array {
  out.clear()
  for (const { low, high, gained, lost } of targets) {
    out.u32(low)
    out.u32(high)
    out.count(gained.length)
    out.count(lost.length)
    packIds(out, gained)
    packIds(out, lost)
  }
  return out.bytes()
}

function packIds(out: ByteWriter, ids: readonly number[]): void {
  let last = 0
  for (const id of ids) {
    out.count(id - last)
    last = id
  }
}
