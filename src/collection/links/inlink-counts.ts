/**
 * How many pages link to each URL, in memory: 12 bytes a slot, so that a weight costs no query. It is filled from the reverse
 * index, which is read as a whole: once when it is opened, and again when `fill` is called.
 */
import { unsigned64 } from '../../base/digest.ts'
import { hashSlot } from '../../base/hash-set.ts'
import type { UrlKey } from '../../contracts/visit.ts'
import type { Database } from '../../database/database.ts'
import { countedTargets } from './read-inlinks.ts'

/** 192 MiB at most. Further targets count as not linked. */
const MAX_SLOTS = 2 ** 24
const FEWEST_SLOTS = 1024
const MAX_LOAD = 0.7

export class InlinkCounts {
  readonly #maxSlots: number
  #keys = new BigUint64Array(FEWEST_SLOTS)
  /** 0: the slot is empty. */
  #counts = new Uint32Array(FEWEST_SLOTS)
  #size = 0

  constructor(maxSlots = MAX_SLOTS) {
    this.#maxSlots = maxSlots
  }

  /** Reads the index anew. Until it is read, the earlier counts are returned. */
  async fill(database: Database): Promise<void> {
    const next = new InlinkCounts(this.#maxSlots)
    await database.read(async (tx) => {
      for await (const { key, pages } of countedTargets(tx)) next.#set(unsigned64(key), pages)
    })
    this.#keys = next.#keys
    this.#counts = next.#counts
    this.#size = next.#size
  }

  of(key: UrlKey): number {
    return this.#counts[this.#slotOf(key)]
  }

  #set(key: bigint, count: number): void {
    if (this.#size >= MAX_LOAD * this.#keys.length && !this.#grow()) return
    const slot = this.#slotOf(key)
    if (this.#counts[slot] === 0) this.#size++
    this.#keys[slot] = key
    this.#counts[slot] = Math.min(count, 2 ** 32 - 1)
  }

  /** The slot of the key, or the empty one where it would be. */
  #slotOf(key: bigint): number {
    const mask = this.#keys.length - 1
    const [low, high] = [Number(BigInt.asIntN(32, key)), Number(BigInt.asIntN(32, key >> 32n))]
    let slot = hashSlot(low, high, 31 - Math.clz32(this.#keys.length))
    while (this.#counts[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & mask
    return slot
  }

  #grow(): boolean {
    if (this.#keys.length >= this.#maxSlots) return false
    const [keys, counts] = [this.#keys, this.#counts]
    this.#keys = new BigUint64Array(2 * keys.length)
    this.#counts = new Uint32Array(2 * keys.length)
    for (const [from, count] of counts.entries()) {
      if (count === 0) continue
      const slot = this.#slotOf(keys[from])
      this.#keys[slot] = keys[from]
      this.#counts[slot] = count
    }
    return true
  }
}
