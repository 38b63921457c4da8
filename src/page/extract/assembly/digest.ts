/**
 * XXH64 (seed 0) of a text's UTF-8: `hash64` of `base/digest.ts`, without a copy of the text as a whole. The text comes in
 * parts: what is left out of it is read before it goes.
 */

const P1: u64 = ((0x9e3779b1 as u64) << 32) | (0x85ebca87 as u64)
const P2: u64 = ((0xc2b2ae3d as u64) << 32) | (0x27d4eb4f as u64)
const P3: u64 = ((0x165667b1 as u64) << 32) | (0x9e3779f9 as u64)
const P4: u64 = ((0x85ebca77 as u64) << 32) | (0xc2b2ae63 as u64)
const P5: u64 = ((0x27d4eb2f as u64) << 32) | (0x165667c5 as u64)

/** Bytes of four lanes, each a word of eight bytes. */
const STRIPE: usize = 32
/** Characters encoded at a time; behind their bytes is room for what a vector writes too much. */
const CHARACTERS: i32 = 4096
const UTF8: usize = memory.data(32 + 3 * CHARACTERS + 32)

/** Which bytes four characters have, by which of them have two, and three. */
const OWN_BYTES: usize = memory.data(16 * 256)
for (let lengths = 0; lengths < 256; lengths++) {
  let to = OWN_BYTES + 16 * lengths
  for (let i = 0; i < 4; i++) {
    if ((lengths >> (4 + i)) & 1) store<u8>(to++, 4 * i)
    if ((lengths >> i) & 1) store<u8>(to++, 4 * i + 1)
    store<u8>(to++, 4 * i + 2)
  }
}
/** The last characters of one byte and of two; where six bits go in the second byte and in the third; the marks of bytes. */
const ENCODING = memory.data<u32>([0x7f, 0x7ff, 0x3f00, 0x3f0000, 0x8080e0, 0x4000])
const ASCII = memory.data<u16>([0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f], 16)
const HIGH_BITS = memory.data<u16>([0xf800, 0xf800, 0xf800, 0xf800, 0xf800, 0xf800, 0xf800, 0xf800], 16)
const HALVES = memory.data<u16>([0xd800, 0xd800, 0xd800, 0xd800, 0xd800, 0xd800, 0xd800, 0xd800], 16)

let a: u64 = 0
let b: u64 = 0
let c: u64 = 0
let d: u64 = 0
/** Characters and bytes so far, and where those end that no stripe has taken yet. */
export let characters: i32 = 0
let total: u64 = 0
let behind: usize = UTF8

export function beginDigest(): void {
  a = P1 + P2
  b = P2
  c = 0
  d = 0 - P1
  characters = 0
  total = 0
  behind = UTF8
}

/** A part; no part may end within a pair. */
export function digest(from: usize, to: usize): void {
  if (from < to) characters += ((to - from) >> 1) as i32
  for (let at = from; at < to; ) {
    let end = min<usize>(to, at + 2 * CHARACTERS)
    // A pair stays together.
    if (end < to && (load<u16>(end - 2) & 0xfc00) === 0xd800) end -= 2
    const had = behind
    behind = encode(at, end, behind)
    total += behind - had
    at = end
    const stripes = stripesOf(UTF8, behind)
    // What no stripe has taken waits in front.
    memory.copy(UTF8, stripes, STRIPE)
    behind -= stripes - UTF8
  }
}

/** Halves of pairs become U+FFFD. */
function encode(at: usize, end: usize, to: usize): usize {
  const ascii = v128.load(ASCII)
  const high = v128.load(HIGH_BITS)
  const half = v128.load(HALVES)
  while (at < end) {
    const stop = min<usize>(end, at + 32)
    const first = v128.load(at)
    const second = v128.load(at, 16)
    const isWhole = stop === at + 32
    if (!v128.any_true(v128.andnot(v128.or(first, second), ascii))) {
      v128.store(to, i8x16.narrow_i16x8_u(first, second))
      to += (stop - at) >> 1
      at = stop
    } else if (
      isWhole &&
      !v128.any_true(v128.or(i16x8.eq(v128.and(first, high), half), i16x8.eq(v128.and(second, high), half)))
    ) {
      for (; at < stop; at += 8) to = encodeFour(v128.load16x4_u(at), to)
    } else {
      while (at < stop) {
        const code: u32 = load<u16>(at)
        const next: u32 = at + 2 < end ? load<u16>(at, 2) : 0
        const isPair = (code & 0xfc00) === 0xd800 && (next & 0xfc00) === 0xdc00
        to = isPair ? encodePair(code, next, to) : encodeOne((code & 0xf800) === 0xd800 ? 0xfffd : code, to)
        at += isPair ? 4 : 2
      }
    }
  }
  return to
}

/** Each as if it had three bytes; those that it has are put together. */
function encodeFour(codes: v128, to: usize): usize {
  const two = i32x4.gt_s(codes, v128.load32_splat(ENCODING))
  const three = i32x4.gt_s(codes, v128.load32_splat(ENCODING, 4))
  const shifted = i32x4.shl(codes, 16)
  let bytes = v128.or(i32x4.shr_u(codes, 12), v128.and(i32x4.shl(codes, 2), v128.load32_splat(ENCODING, 8)))
  bytes = v128.or(bytes, v128.and(shifted, v128.load32_splat(ENCODING, 12)))
  bytes = v128.or(bytes, v128.load32_splat(ENCODING, 16))
  bytes = v128.or(bytes, v128.andnot(v128.load32_splat(ENCODING, 20), three))
  bytes = v128.bitselect(bytes, shifted, two)
  const lengths = i32x4.bitmask(two) | (i32x4.bitmask(three) << 4)
  v128.store(to, i8x16.swizzle(bytes, v128.load(OWN_BYTES + 16 * lengths)))
  return to + 4 + popcnt(lengths)
}

function encodeOne(code: u32, to: usize): usize {
  if (code < 0x80) {
    store<u8>(to, code)
    return to + 1
  }
  if (code < 0x800) {
    store<u16>(to, 0x80c0 | (code >> 6) | ((code & 0x3f) << 8))
    return to + 2
  }
  store<u32>(to, 0x8080e0 | (code >> 12) | ((code & 0xfc0) << 2) | ((code & 0x3f) << 16))
  return to + 3
}

function encodePair(first: u32, second: u32, to: usize): usize {
  const code = 0x10000 + ((first & 0x3ff) << 10) + (second & 0x3ff)
  const low = ((code & 0xfc0) << 10) | ((code & 0x3f) << 24)
  store<u32>(to, 0x808080f0 | (code >> 18) | ((code >> 4) & 0x3f00) | low)
  return to + 4
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
  const end = behind
  let hash: u64 = P5
  if (total >= (STRIPE as u64)) {
    hash = rotl<u64>(a, 1) + rotl<u64>(b, 7) + rotl<u64>(c, 12) + rotl<u64>(d, 18)
    hash = merge(merge(merge(merge(hash, a), b), c), d)
  }
  hash += total
  let at = UTF8
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
