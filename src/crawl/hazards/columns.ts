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
