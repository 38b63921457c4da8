/** Names of records: random UUIDs (version 4), from the randomness that is handed in. */
import { hash64 } from '../../base/digest.ts'
import type { Random } from '../../base/random.ts'

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const hex32 = (n: number) => HEX[n >>> 24] + HEX[(n >>> 16) & 255] + HEX[(n >>> 8) & 255] + HEX[n & 255]

/**
 * A seed has 32 bits, so among a hundred thousand runs two would share theirs, and with it every name: 64 bits of the
 * writer's own name (host, worker, instant) are mixed in.
 */
export function recordIds(random: Random, writer: string): () => string {
  const own = hash64(writer)
  const ownHigh = Number(own >> 32n)
  const ownLow = Number(own & 0xffffffffn)
  return () => {
    const a = hex32((random.integer(2 ** 32) ^ ownHigh) >>> 0)
    const b = hex32((((random.integer(2 ** 32) ^ ownLow) & 0xffff0fff) | 0x4000) >>> 0)
    const c = hex32(((random.integer(2 ** 32) & 0x3fffffff) | 0x80000000) >>> 0)
    const d = hex32(random.integer(2 ** 32))
    return `urn:uuid:${a}-${b.slice(0, 4)}-${b.slice(4)}-${c.slice(0, 4)}-${c.slice(4)}${d}`
  }
}
