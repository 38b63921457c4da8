/** Every property of the synthetic web is a draw from hashes of (seed, site, page, purpose): no state, any order, the same answer. */

/** 32 well mixed bits from a few whole numbers. */
export function draw(seed: number, a: number, b = 0, c = 0): number {
  return mix(mix(mix(seed ^ 0x9e3779b9, a), b), c)
}

function mix(h: number, value: number): number {
  h = Math.imul(h ^ (value | 0), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 15) ^ 0x27d4eb2f, 0xc2b2ae35)
  return (h ^ (h >>> 13)) >>> 0
}

/** A draw as a number in [0, 1). */
export function unit(bits: number): number {
  return bits / 2 ** 32
}

/** 32 bits of a text, for what has no number: a path made up by a hazard, a planted host. */
export function drawText(seed: number, text: string): number {
  let h = seed ^ 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return mix(h, text.length)
}

/** A row of draws that belong together (the links of one page). */
export class Draws {
  #state: number

  constructor(start: number) {
    this.#state = start | 0
  }

  bits(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0
    let z = this.#state ^ (this.#state >>> 16)
    z = Math.imul(z, 0x21f0aaad)
    z ^= z >>> 15
    z = Math.imul(z, 0x735a2d97)
    return (z ^ (z >>> 15)) >>> 0
  }

  /** Uniform in [0, 1). */
  unit(): number {
    return this.bits() / 2 ** 32
  }

  /** Uniform in 0 … count-1. */
  below(count: number): number {
    return Math.floor((this.bits() / 2 ** 32) * count)
  }

  /** True in this share of cases. */
  yes(share: number): boolean {
    return this.bits() < share * 2 ** 32
  }
}
