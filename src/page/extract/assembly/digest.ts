/** XXH64 (seed 0) of a text's characters, without a copy of the text. It comes in parts: what is left out of it is read before it goes. */

const P1: u64 = ((0x9e3779b1 as u64) << 32) | (0x85ebca87 as u64)
const P2: u64 = ((0xc2b2ae3d as u64) << 32) | (0x27d4eb4f as u64)
const P3: u64 = ((0x165667b1 as u64) << 32) | (0x9e3779f9 as u64)
const P4: u64 = ((0x85ebca77 as u64) << 32) | (0xc2b2ae63 as u64)
const P5: u64 = ((0x27d4eb2f as u64) << 32) | (0x165667c5 as u64)

/** Bytes of four lanes, each a word of eight bytes. */
const STRIPE: usize = 32
/** Bytes that do not fill a stripe yet. */
const WAITING: usize = memory.data(32)

let a: u64 = 0
let b: u64 = 0
let c: u64 = 0
let d: u64 = 0
/** So far. */
export let characters: i32 = 0
let waiting: usize = 0

export function beginDigest(): void {
  a = P1 + P2
  b = P2
  c = 0
  d = 0 - P1
  characters = 0
  waiting = 0
}

export function digest(from: usize, to: usize): void {
  if (from >= to) return
  characters += ((to - from) >> 1) as i32
  if (waiting > 0) {
    const more = min<usize>(STRIPE - waiting, to - from)
    memory.copy(WAITING + waiting, from, more)
    waiting += more
    from += more
    if (waiting < STRIPE) return
    stripesOf(WAITING, WAITING + STRIPE)
  }
  const rest = stripesOf(from, to)
  waiting = to - rest
  memory.copy(WAITING, rest, waiting)
}

/** Takes whole stripes, and says where they end. */
function stripesOf(at: usize, end: usize): usize {
  let first = a
  let second = b
  let third = c
  let fourth = d
  for (; at + STRIPE <= end; at += STRIPE) {
    first = round(first, load<u64>(at))
    second = round(second, load<u64>(at, 8))
    third = round(third, load<u64>(at, 16))
    fourth = round(fourth, load<u64>(at, 24))
  }
  a = first
  b = second
  c = third
  d = fourth
  return at
}

export function finishDigest(): u64 {
  const total = 2 * (characters as u64)
  const end = WAITING + waiting
  let hash: u64 = P5
  if (total >= (STRIPE as u64)) {
    hash = rotl<u64>(a, 1) + rotl<u64>(b, 7) + rotl<u64>(c, 12) + rotl<u64>(d, 18)
    hash = merge(merge(merge(merge(hash, a), b), c), d)
  }
  hash += total
  let at = WAITING
  for (; at + 8 <= end; at += 8) hash = rotl<u64>(hash ^ round(0, load<u64>(at)), 27) * P1 + P4
  if (at + 4 <= end) {
    hash = rotl<u64>(hash ^ ((load<u32>(at) as u64) * P1), 23) * P2 + P3
    at += 4
  }
  for (; at < end; at++) hash = rotl<u64>(hash ^ ((load<u8>(at) as u64) * P5), 11) * P1
  hash = (hash ^ (hash >> 33)) * P2
  hash = (hash ^ (hash >> 29)) * P3
  return hash ^ (hash >> 32)
}

function round(lane: u64, word: u64): u64 {
  return rotl<u64>(lane + word * P2, 31) * P1
}

function merge(hash: u64, lane: u64): u64 {
  return (hash ^ round(0, lane)) * P1 + P4
}
