/**
 * Unpacks raw deflate streams: `feed` and `begin`, then `run` until it returns why it stopped, with `feed` for more
 * input and `slide` when the output is full. A stream may begin where the one before has ended.
 */

import { decodeSymbols, makeRepeats } from './inflate/decode-symbols'
import { makeFixedTables, makeMeanings, readCodes, takeFixedTables } from './inflate/decode-table'
import {
  available,
  BLOCK_ENDS,
  bitsAt,
  DAMAGED,
  DONE,
  END,
  FULL,
  GOING,
  HUNGRY,
  INPUT,
  INPUT_BYTES,
  OUTPUT,
  OUTPUT_END,
  out,
  position,
  setAvailable,
  setOut,
  setPosition,
  WINDOW,
} from './inflate/memory'

memory.grow((<i32>(END + 65535) >> 16) - memory.size())
makeMeanings()
makeRepeats()
makeFixedTables()

const STORED: u32 = 0
const FIXED: u32 = 1
const OWN: u32 = 2

let isInBlock = false
let isLastBlock = false
let isStored = false
/** Of a stored block. */
let bytesLeft: u32 = 0
/** Where the stream begins, or the part of it that is still there. */
let floor: usize = OUTPUT

export function input(): usize {
  return INPUT
}

export function inputBytes(): u32 {
  return INPUT_BYTES
}

export function output(): usize {
  return OUTPUT
}

export function outputEnd(): usize {
  return OUTPUT_END
}

/** Where the next byte goes. */
export function made(): usize {
  return out
}

/** Bytes that are read completely. */
export function read(): u32 {
  return position >> 3
}

/** Bytes that are read at least in part: after the end of a stream, the next begins behind them. */
export function touched(): u32 {
  return (position + 7) >> 3
}

/** Replaces the input; its first byte is the one that is not completely read. */
export function feed(bytes: u32): void {
  setPosition(position & 7)
  setAvailable(bytes << 3)
}

/** Begins a stream at this byte of the input. */
export function begin(at: u32): void {
  setPosition(at << 3)
  floor = out
  isInBlock = false
  isLastBlock = false
}

/** The output has been taken. */
export function clear(): void {
  setOut(OUTPUT)
}

/** As `clear`, but the last window stays, for the rest of the stream. */
export function slide(): void {
  const by = out - WINDOW - OUTPUT
  memory.copy(OUTPUT, out - WINDOW, WINDOW)
  floor = max(floor, OUTPUT + by) - by
  setOut(OUTPUT + WINDOW)
}

export function run(end: usize): i32 {
  while (true) {
    if (!isInBlock) {
      if (isLastBlock) return DONE
      const status = beginBlock()
      if (status !== GOING) return status
    }
    const status = isStored ? copyStored(end) : decodeSymbols(end, floor)
    if (status !== BLOCK_ENDS) return status
    isInBlock = false
  }
}

/** All of its head, or nothing of it. */
function beginBlock(): i32 {
  if (position + 3 > available) return HUNGRY
  const bits = <u32>bitsAt(position)
  const kind = (bits >> 1) & 3
  if (kind === STORED) {
    const status = readStoredHead((position + 3 + 7) & ~7)
    if (status !== GOING) return status
  } else if (kind === FIXED) {
    takeFixedTables()
    setPosition(position + 3)
  } else if (kind === OWN) {
    const status = readCodes(position + 3)
    if (status !== GOING) return status
  } else {
    return DAMAGED
  }
  isStored = kind === STORED
  isLastBlock = <bool>(bits & 1)
  isInBlock = true
  return GOING
}

function readStoredHead(at: u32): i32 {
  if (at + 32 > available) return HUNGRY
  const length = <u32>bitsAt(at)
  bytesLeft = length & 0xffff
  setPosition(at + 32)
  return bytesLeft === ((length >> 16) ^ 0xffff) ? GOING : DAMAGED
}

function copyStored(end: usize): i32 {
  const there = min((available - position) >> 3, <u32>max<isize>(end - out, 0))
  const bytes = min(bytesLeft, there)
  memory.copy(out, INPUT + (position >> 3), bytes)
  setOut(out + bytes)
  setPosition(position + (bytes << 3))
  bytesLeft -= bytes
  if (bytesLeft === 0) return BLOCK_ENDS
  return out >= end ? FULL : HUNGRY
}

/** The greatest prime below 2^16, and how many bytes may be added before the sums must be reduced. */
const ADLER: u32 = 65521
const ADLER_BYTES: usize = 5552

/** zlib's checksum: continues the sum so far, at first 1. */
export function adler32(sums: u32, from: usize, to: usize): u32 {
  let bytes = sums & 0xffff
  let places = sums >> 16
  while (from < to) {
    for (const until = min(to, from + ADLER_BYTES); from < until; from++) {
      bytes += load<u8>(from)
      places += bytes
    }
    bytes %= ADLER
    places %= ADLER
  }
  return bytes | (places << 16)
}
