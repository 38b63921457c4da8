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
