/** A match: bytes of what came out before, which may be its own. Up to 32 bytes more are written behind it. */
import { REPEATS, STEPS } from './memory'

const VECTOR: u32 = 16

export function makeRepeats(): void {
  for (let distance: u32 = 1; distance < VECTOR; distance++) {
    for (let byte: u32 = 0; byte < VECTOR; byte++) store<u8>(REPEATS + distance * VECTOR + byte, <u8>(byte % distance))
    store<u8>(STEPS + distance, <u8>(VECTOR - (VECTOR % distance)))
  }
}

export function copyMatch(to: usize, distance: u32, length: u32): void {
  const end = to + length
  if (distance >= VECTOR) {
    let from = to - distance
    v128.store(to, v128.load(from))
    v128.store(to, v128.load(from, VECTOR), VECTOR)
    for (to += 2 * VECTOR; to < end; to += VECTOR) {
      v128.store(to, v128.load(from, 2 * VECTOR))
      from += VECTOR
    }
  } else {
    const bytes = v128.swizzle(v128.load(to - distance), v128.load(REPEATS + distance * VECTOR))
    const step = <usize>load<u8>(STEPS + distance)
    for (; to < end; to += step) v128.store(to, bytes)
  }
}
