/** The header of a block with codes of its own: how long they are, runs of equal lengths in short, in codes once more. */
import { putBits } from './bits'
import { buildCode } from './codes'
import {
  ALL_BITS,
  clear,
  DISTANCE_BITS,
  HEADER_BITS,
  HEADER_CODES,
  HEADER_COUNTS,
  HEADER_ORDER,
  HEADER_SYMBOLS,
  LITERAL_BITS,
} from './memory'
import { DISTANCES, LITERALS } from './symbols'

/** Lengths 0–15 themselves, then: the last one again, zeros, more zeros. */
const AGAIN: u32 = 16
const ZEROS: u32 = 17
const MANY_ZEROS: u32 = 18
const SYMBOLS: u32 = 19
const LONGEST_CODE: u32 = 7

let literals: u32 = 0
let distances: u32 = 0
let symbols: u32 = 0
let lengths: u32 = 0

/** In which order the lengths of the header's own codes come: those that are seldom needed last, where they can be left out. */
export function makeHeaderOrder(): void {
  store<u32>(HEADER_ORDER, AGAIN | (ZEROS << 8) | (MANY_ZEROS << 16))
  for (let step: u32 = 0; step < 8; step++) {
    store<u8>(HEADER_ORDER + 4 + 2 * step, <u8>(8 + step))
    store<u8>(HEADER_ORDER + 5 + 2 * step, <u8>(7 - step))
  }
}

function extraOf(symbol: u32): u32 {
  return symbol < AGAIN ? 0 : symbol === AGAIN ? 2 : symbol === ZEROS ? 3 : 7
}

function usedOf(lengthsAt: usize, count: u32): u32 {
  while (load<u8>(lengthsAt + count - 1) === 0) count--
  return count
}

function add(symbol: u32, extra: u32): void {
  store<u16>(HEADER_SYMBOLS + (symbols++ << 1), <u16>(symbol | (extra << 8)))
  store<u32>(symbol << 2, load<u32>(symbol << 2, HEADER_COUNTS) + 1, HEADER_COUNTS)
}

function addRun(length: u32, run: u32): void {
  if (length === 0) {
    for (; run > 10; run -= min<u32>(run, 138)) add(MANY_ZEROS, min<u32>(run, 138) - 11)
    if (run > 2) {
      add(ZEROS, run - 3)
      return
    }
  } else if (run > 3) {
    add(length, 0)
    for (run--; run > 2; run -= min<u32>(run, 6)) add(AGAIN, min<u32>(run, 6) - 3)
  }
  for (; run > 0; run--) add(length, 0)
}

/** For the lengths as they are. Returns how many bits it takes. */
export function prepareHeader(): u32 {
  literals = usedOf(LITERAL_BITS, LITERALS)
  distances = usedOf(DISTANCE_BITS, DISTANCES)
  memory.copy(ALL_BITS, LITERAL_BITS, literals)
  memory.copy(ALL_BITS + literals, DISTANCE_BITS, distances)
  store<u8>(ALL_BITS + literals + distances, 255)
  clear(HEADER_COUNTS, 4 * 32)
  symbols = 0
  for (let at: u32 = 0; at < literals + distances; ) {
    const length = load<u8>(at, ALL_BITS)
    let run: u32 = 1
    while (load<u8>(at + run, ALL_BITS) === length) run++
    addRun(length, run)
    at += run
  }
  const bits = buildCode(HEADER_COUNTS, SYMBOLS, LONGEST_CODE, HEADER_BITS, HEADER_CODES)
  lengths = SYMBOLS
  while (load<u8>(HEADER_BITS + load<u8>(lengths - 1, HEADER_ORDER)) === 0) lengths--
  return 14 + 3 * lengths + bits + extraBits()
}

function extraBits(): u32 {
  let bits: u32 = 0
  for (let symbol = AGAIN; symbol <= MANY_ZEROS; symbol++)
    bits += load<u32>(symbol << 2, HEADER_COUNTS) * extraOf(symbol)
  return bits
}

export function putHeader(): void {
  putBits((literals - 257) | ((distances - 1) << 5) | ((lengths - 4) << 10), 14)
  for (let at: u32 = 0; at < lengths; at++) putBits(load<u8>(HEADER_BITS + load<u8>(at, HEADER_ORDER)), 3)
  for (let at: u32 = 0; at < symbols; at++) {
    const value = <u32>load<u16>(at << 1, HEADER_SYMBOLS)
    const code = load<u32>((value & 255) << 2, HEADER_CODES)
    const length = code >> 24
    putBits((code & 0xffffff) | ((value >> 8) << length), length + extraOf(value & 255))
  }
}
