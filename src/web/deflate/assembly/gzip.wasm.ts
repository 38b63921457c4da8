/** A gzip member from chunks: `begin`, then `more` for each chunk that is full and not the last, then `finish`. */

import { makeFixedCodes, makeHeaderOrder, putBlock } from './block'
import { makeReversed } from './codes'
import { findMatches } from './match-finder'
import {
  ARENA,
  ARENA_END,
  alignToByte,
  beginOutput,
  beginStream,
  CHUNK,
  clear,
  END,
  OUTPUT,
  out,
  PLACES,
  PLACES_END,
  putBits,
  WINDOW,
} from './memory'

memory.grow((<i32>(END + 65535) >> 16) - memory.size())
makeReversed()
makeHeaderOrder()
makeFixedCodes()

/** Where the next chunk goes. */
let next: usize = ARENA
/** Where the record begins, or the arena if that is later: what is below belongs to other records. */
let floor: usize = ARENA

export function chunkBytes(): u32 {
  return CHUNK
}

/** Where the bytes of the next chunk are expected. */
export function input(): usize {
  return next
}

/** Where the output of `more` and `finish` is: to be taken before the next call. */
export function output(): usize {
  return OUTPUT
}

/**
 * Begins a record whose first chunk has `room` bytes. Earlier records stay: their addresses are below the floor. Only a
 * full arena starts over, and the table with it.
 */
export function begin(room: u32): void {
  if (next + room > ARENA_END) {
    next = ARENA
    clear(PLACES, PLACES_END - PLACES)
  }
  floor = next
  beginStream()
  // Deflate, no name, no time, fastest level, Unix.
  putBits(0x0008_8b1f, 32)
  putBits(0x0304_0000_0000, 48)
}

function deflate(length: u32, isLast: bool): void {
  const start = next
  next += length
  v128.store(next, i64x2.splat(0))
  v128.store(next, i64x2.splat(0), 16)
  putBlock(start, length, findMatches(start, next, floor), isLast)
}

/** Returns how many bytes it has made. */
export function more(): u32 {
  deflate(CHUNK, false)
  if (next + CHUNK > ARENA_END) slide()
  const made = <u32>(out - OUTPUT)
  beginOutput()
  return made
}

/** Moves the last window to the start of the arena, and the table's positions with it. */
function slide(): void {
  const by = next - WINDOW - ARENA
  memory.copy(ARENA, next - WINDOW, WINDOW)
  next -= by
  floor = max(floor, ARENA + by) - by
  const low = i32x4.splat(<i32>by)
  for (let at = PLACES; at < PLACES_END; at += 16) v128.store(at, i32x4.sub(i32x4.max_u(v128.load(at), low), low))
}

export function finish(length: u32, crc: u32, size: u32): u32 {
  deflate(length, true)
  alignToByte()
  putBits(crc, 32)
  putBits(size, 32)
  return <u32>(out - OUTPUT)
}
