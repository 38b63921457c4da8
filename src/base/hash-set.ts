/** A set of 64-bit hashes in two typed arrays: 8 to 16 bytes a member, where a `Set<bigint>` takes over 60. */

const FEWEST_SLOTS = 16

export class HashSet64 {
  #slots: BigUint64Array
  #size = 0
  #hasZero = false

  constructor(members: Iterable<bigint> & { length?: number } = []) {
    let slots = FEWEST_SLOTS
    while (slots < 2 * (members.length ?? 0)) slots *= 2
    this.#slots = new BigUint64Array(slots)
    for (const member of members) this.add(member)
  }

  get size(): number {
    return this.#size
  }

  has(key: bigint): boolean {
    if (key === 0n) return this.#hasZero
    return this.#slots[this.#find(key)] === key
  }

  /** True if it was not there before. */
  add(key: bigint): boolean {
    if (key === 0n) {
      if (this.#hasZero) return false
      this.#hasZero = true
      this.#size++
      return true
    }
    let at = this.#find(key)
    if (this.#slots[at] === key) return false
    if (this.#size >= this.#slots.length * 0.6) {
      this.#grow()
      at = this.#find(key)
    }
    this.#slots[at] = key
    this.#size++
    return true
  }

  /** The slot that holds the key, or the empty one where it would go. Keys are hashes, so their low bits are the place. */
  #find(key: bigint): number {
    const mask = this.#slots.length - 1
    let at = Number(key & 0xffffffffn) & mask
    while (this.#slots[at] !== 0n && this.#slots[at] !== key) at = (at + 1) & mask
    return at
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new BigUint64Array(old.length * 2)
    for (const key of old) if (key !== 0n) this.#slots[this.#find(key)] = key
  }
}
