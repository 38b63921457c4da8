/** Cheap 32-bit hashes ("marks"), for use in memory only, and lists of them. */

export function mark(text: string): number {
  return mix(markOn(EMPTY, text, 0, text.length))
}

/** 32 of the 64 bits of a URL key, signed. Bigint arithmetic would cost ten times as much. */
export function lowHalf(key: bigint): number {
  bits64.setBigUint64(0, key, true)
  return bits64.getInt32(0, true)
}

export function highHalf(key: bigint): number {
  bits64.setBigUint64(0, key, true)
  return bits64.getInt32(4, true)
}

const bits64 = new DataView(new ArrayBuffer(8))

/** For text in pieces: begin with `EMPTY`, end with `mix`. Signed, like every hash that `markOn` returns. */
export const EMPTY = 0x811c9dc5 | 0

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
 * Lists of numbers in a site's memory are changed in place during a visit and hold signed 32-bit integers only: one
 * larger number would turn the list into doubles and deoptimise the code. The stored memory is unsigned.
 */

export function toSigned(list: readonly number[]): number[] {
  return list.map((one) => one | 0)
}

export function toUnsigned(list: readonly number[]): number[] {
  return list.map((one) => one >>> 0)
}

/** Removes `width` numbers from `from` on by moving the rest up; the caller overwrites the end. */
export function shift(list: number[], from: number, width: number): void {
  // `copyWithin` takes thirty times as long.
  for (let at = from + width; at < list.length; at++) list[at - width] = list[at]
}

/** Marks of 24 bits as text: half as long as their digits. */
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const VALUE = new Uint8Array(128)
for (let at = 0; at < LETTERS.length; at++) VALUE[LETTERS.charCodeAt(at)] = at

export function writeMarks(marks: readonly number[]): string {
  let all = ''
  for (const bits of marks)
    all += LETTERS[bits >>> 18] + LETTERS[(bits >>> 12) & 63] + LETTERS[(bits >>> 6) & 63] + LETTERS[bits & 63]
  return all
}

export function readMarks(text: string): number[] {
  const marks: number[] = []
  for (let at = 0; at + 4 <= text.length; at += 4) {
    let bits = 0
    for (let letter = at; letter < at + 4; letter++) bits = (bits << 6) | VALUE[text.charCodeAt(letter) & 127]
    marks.push(bits)
  }
  return marks
}

/** The latest `max` numbers in order of arrival; when full, the oldest is overwritten. */
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
