/**
 * The links of some pages, turned round: what each target won and lost, packed by site. A site with many targets is
 * split by the first byte of their keys, so that who looks for one target reads a small part of a large site.
 */
import { ByteWriter } from '../../base/bytes.ts'
import { signed64 } from '../../base/digest.ts'
import { hashSlot } from '../../base/hash-set.ts'
import { LinkCursor } from '../../contracts/adjacency.ts'

export interface Change {
  page: bigint
  /** Of the page itself, signed. */
  site: bigint
  /** The links that the index knows of; null: none. */
  before: Uint8Array | null
  after: Uint8Array | null
}

export interface TargetRow {
  site: bigint
  slot: number
  packed: Uint8Array
}

/** The slot of sites whose targets need not be split. */
export const ALL_SLOTS = -1
const MAX_UNSPLIT = 256
/** Places for targets that a page may bring; there are more when they are needed. */
const PLACES_A_PAGE = 16

/** Page ids in ascending order, because pages are added in that order. */
interface Target {
  low: number
  high: number
  site: number
  won: number[]
  lost: number[]
  /** The last page that had it before, has it now, and was noted as having lost it. */
  before: number
  after: number
  gone: number
}

/** The slot of a target in a site that is split. */
export const slotOf = (high: number): number => high >>> 24

export class LinkTargets {
  readonly #sites: { key: bigint; targets: Target[] }[] = []
  readonly #siteAt = new Map<bigint, number>()
  readonly #targets: Target[] = []
  /** Numbers of targets, plus one, by hash; 0: nothing is here. */
  #places: Int32Array
  readonly #links = new LinkCursor()

  constructor(pages: number) {
    this.#places = new Int32Array(2 ** Math.ceil(Math.log2((pages + 1) * PLACES_A_PAGE)))
  }

  /** A page that names a URL twice links to it once. */
  add({ page: id, site, before, after }: Change): void {
    const page = Number(id)
    const own = this.#siteNumber(site)
    const links = this.#links
    if (before !== null) for (links.open(before); links.next(); ) this.#named(own).before = page
    if (after !== null) {
      for (links.open(after); links.next(); ) {
        const target = this.#named(own)
        if (target.after === page) continue
        target.after = page
        if (target.before !== page) target.won.push(page)
      }
    }
    if (before === null) return
    for (links.open(before); links.next(); ) {
      const target = this.#named(own)
      if (target.after === page || target.gone === page) continue
      target.gone = page
      target.lost.push(page)
    }
  }

  /** Sorted by site: rows that come in the order of an index cost less. */
  *rows(): Generator<TargetRow> {
    const out = new ByteWriter(4096)
    for (const { key: site, targets } of this.#sites.sort((a, b) => (a.key < b.key ? -1 : 1))) {
      const moved = targets.filter(({ won, lost }) => won.length + lost.length > 0)
      for (const [slot, members] of slots(moved)) yield { site, slot, packed: pack(out, members) }
    }
  }

  /** The target of the link that was read last. */
  #named(own: number): Target {
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
    const mask = this.#places.length - 1
    let place = firstLocation(this.#places, low, high, site)
    for (let number = this.#places[place]; number !== 0; number = this.#places[place]) {
      const target = this.#targets[number - 1]
      if (target.low === low && target.high === high && target.site === site) return target
      place = (place + 1) & mask
    }
    const target: Target = { low, high, site, won: [], lost: [], before: 0, after: 0, gone: 0 }
    this.#places[place] = this.#targets.push(target)
    this.#sites[site].targets.push(target)
    if (this.#targets.length * 2 > this.#places.length) this.#grow()
    return target
  }

  #grow(): void {
    const places = new Int32Array(this.#places.length * 2)
    const mask = places.length - 1
    for (const [at, { low, high, site }] of this.#targets.entries()) {
      let place = firstLocation(places, low, high, site)
      while (places[place] !== 0) place = (place + 1) & mask
      places[place] = at + 1
    }
    this.#places = places
  }
}

/** The site tells apart the same key in two sites, which only a forger makes. */
function firstLocation(places: Int32Array, low: number, high: number, site: number): number {
  return hashSlot(low ^ Math.imul(site, 0x9e3779b1), high, 31 - Math.clz32(places.length))
}

function slots(targets: readonly Target[]): Iterable<[slot: number, members: readonly Target[]]> {
  if (targets.length === 0) return []
  if (targets.length <= MAX_UNSPLIT) return [[ALL_SLOTS, targets]]
  const bySlot = new Map<number, Target[]>()
  for (const target of targets) {
    const slot = slotOf(target.high)
    const members = bySlot.get(slot)
    if (members === undefined) bySlot.set(slot, [target])
    else members.push(target)
  }
  return bySlot
}

function pack(out: ByteWriter, targets: readonly Target[]): Uint8Array {
  out.clear()
  for (const { low, high, won, lost } of targets) {
    out.u32(low)
    out.u32(high)
    out.count(won.length)
    out.count(lost.length)
    packIds(out, won)
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
