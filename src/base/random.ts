/** The only source of randomness, so that a run can be repeated from its seed. */
import { randomBytes, randomFillSync } from 'node:crypto'

export interface Random {
  /** Uniform in [0, 1). */
  next(): number
  /** Uniform in 0 … below-1. */
  integer(below: number): number
}

/** xoshiro128**: small, fast, passes BigCrush; the seed is spread by splitmix32. */
export function seededRandom(seed: number): Random {
  let s = seed >>> 0
  const splitmix = () => {
    s = (s + 0x9e3779b9) | 0
    let z = s ^ (s >>> 16)
    z = Math.imul(z, 0x21f0aaad)
    z ^= z >>> 15
    z = Math.imul(z, 0x735a2d97)
    return (z ^ (z >>> 15)) >>> 0
  }
  let a = splitmix()
  let b = splitmix()
  let c = splitmix()
  let d = splitmix()
  const next32 = () => {
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9)
    const t = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= t
    d = rotateLeft(d, 11)
    return result >>> 0
  }
  return {
    next: () => (next32() * 2 ** 21 + (next32() >>> 11)) / 2 ** 53,
    integer: (below) => Math.floor((next32() / 2 ** 32) * below),
  }
}

export function freshSeed(): number {
  return randomFillSync(new Uint32Array(1))[0]
}

/** A name that no other process will choose. */
export function freshId(): string {
  return randomBytes(8).toString('hex')
}

function rotateLeft(x: number, k: number): number {
  return (x << k) | (x >>> (32 - k))
}

/** For secrets: cryptographically random. */
export function freshBytes(length: number): Uint8Array {
  return randomFillSync(new Uint8Array(length))
}
