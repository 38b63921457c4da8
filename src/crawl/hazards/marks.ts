/** 32 bits that name a text, and what is counted in bits. Cheap, for marks in memory only. */

export function mark(text: string): number {
  return mix(markOn(EMPTY, text, 0, text.length))
}

/** 32 of the 64 bits that name a URL, with a sign as everywhere in lists (`columns.ts`). A bigint for them costs ten times as much. */
export function lowHalf(key: bigint): number {
  bits64.setBigUint64(0, key, true)
  return bits64.getInt32(0, true)
}

export function highHalf(key: bigint): number {
  bits64.setBigUint64(0, key, true)
  return bits64.getInt32(4, true)
}

const bits64 = new DataView(new ArrayBuffer(8))

/** Of a text in pieces: begun with `EMPTY`, ended with `mix`. */
export const EMPTY = 0x811c9dc5

export function markOn(hash: number, text: string, from: number, to: number): number {
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

export function mix(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

export function ones(word: number): number {
  word -= (word >>> 1) & 0x55555555
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/**
 * Lists of numbers in a site's memory. While a site is visited they are written to in place, and all hashes in them are signed
 * integers of 32 bits: a list with one larger number in it holds doubles only, and code that was made for one kind of list
 * is made anew for the other. In the stored memory they have no sign.
 */

export function toSigned(list: readonly number[]): number[] {
  return list.map((one) => one | 0)
}

export function toUnsigned(list: readonly number[]): number[] {
  return list.map((one) => one >>> 0)
}

/** Takes out so many numbers from `at` on: the others move up, and as many at the end are to be written. */
export function shift(list: number[], from: number, width: number): void {
  // `copyWithin` takes thirty times as long.
  for (let at = from + width; at < list.length; at++) list[at - width] = list[at]
}

/** The last numbers, as many as there is room for, in the order in which they came: a full one writes over its oldest. */
export class Latest {
  readonly #list: number[]
  readonly #max: number
  #next: number

  constructor(list: readonly number[], max: number) {
    this.#list = toSigned(list.slice(-max))
    this.#max = max
    this.#next = this.#list.length % max
  }

  has(one: number): boolean {
    return this.#list.includes(one)
  }

  add(one: number): void {
    this.#list[this.#next] = one
    this.#next = (this.#next + 1) % this.#max
  }

  /** From the oldest on. */
  list(): number[] {
    return this.#list.length < this.#max
      ? toUnsigned(this.#list)
      : toUnsigned([...this.#list.slice(this.#next), ...this.#list.slice(0, this.#next)])
  }
}
