/**
 * The links of some pages, reversed: the pages that each target gained and lost, packed by site. A site with many targets is
 * split by the first byte of their keys, so that a look-up reads a small part of a large site.
 */
import { ByteWriter } from '../../base/bytes.ts'
import { signed64 } from '../../base/digest.ts'
import { unpackLinks } from '../../contracts/adjacency.ts'

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

/** The slot of a target, by its unsigned key, in a site that is split. */
export const slotOf = (key: bigint): number => Number(key >> 56n)

/** Page ids in ascending order, because pages are added in that order. */
interface Target {
  key: bigint
  gained: number[]
  lost: number[]
}

export class LinkTargets {
  /** By site, then by key as a text: V8 seeds the hashes of texts, so links whose keys collide cannot be forged. */
  readonly #sites = new Map<bigint, Map<string, Target>>()

  /** A page that has a URL twice links to it once. */
  add({ page: id, site, before, after }: Change): void {
    const page = Number(id)
    const had = this.#targets(site, before)
    const has = this.#targets(site, after)
    for (const target of has) if (!had.has(target)) target.gained.push(page)
    for (const target of had) if (!has.has(target)) target.lost.push(page)
  }

  /** Sorted by site: rows in the order of an index cost less. */
  *rows(): Generator<TargetRow> {
    const out = new ByteWriter(4096)
    for (const [site, targets] of [...this.#sites].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const changed = [...targets.values()].filter(({ gained, lost }) => gained.length + lost.length > 0)
      for (const [slot, members] of slots(changed)) yield { site, slot, targets: pack(out, members) }
    }
  }

  #targets(own: bigint, packed: Uint8Array | null): Set<Target> {
    const links = packed === null ? [] : unpackLinks(packed)
    return new Set(links.map(({ siteKey, key }) => this.#target(siteKey === undefined ? own : signed64(siteKey), key)))
  }

  #target(site: bigint, key: bigint): Target {
    let targets = this.#sites.get(site)
    if (targets === undefined) this.#sites.set(site, (targets = new Map()))
    let target = targets.get(String(key))
    if (target === undefined) targets.set(String(key), (target = { key, gained: [], lost: [] }))
    return target
  }
}

function slots(targets: readonly Target[]): Iterable<[slot: number, members: readonly Target[]]> {
  if (targets.length === 0) return []
  if (targets.length <= MAX_UNSPLIT) return [[ALL_SLOTS, targets]]
  return Map.groupBy(targets, ({ key }) => slotOf(key))
}

function pack(out: ByteWriter, targets: readonly Target[]): Uint8Array {
  out.clear()
  for (const { key, gained, lost } of targets) {
    out.u64(key)
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
