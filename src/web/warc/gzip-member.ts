/**
 * One gzip member per record, written whole and synchronously: handing a page to the thread pool costs more than
 * compressing it.
 *
 * Level 1 takes some 110 µs for a page of 15 KB, nearly all of it in zlib itself (level 2: 130 µs for 4 % fewer bytes), and
 * 13 µs for the 700 bytes of a request, a third of which zlib takes to begin. A record whose body is compressed already
 * is laid down in *stored* blocks instead, which costs a CRC and a copy: 2 µs. Deflating its head only (that is possible:
 * runs of deflated and stored blocks may follow one another) would save some 800 bytes a page and cost 26 µs more, so it is
 * not done.
 */
import { constants, crc32, deflateRawSync } from 'node:zlib'

/** Takes bytes at once: it copies or writes them before it returns. */
export type Emit = (bytes: Uint8Array) => void

const HEADER = new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3])
/** An empty last block in fixed codes, when no other block was the last. */
const LAST_EMPTY = new Uint8Array([3, 0])
const LARGEST_STORED = 65_535

/** Deflate works on slices of at most this, so that the largest body takes no more memory than an ordinary page. */
const SLICE = 256 * 1024
const slice = Buffer.allocUnsafeSlow(SLICE)
const small = Buffer.allocUnsafeSlow(8)
const storedHead = small.subarray(0, 5)

/**
 * Room for the output is made anew for each record, and every 64 MB of such room bring a collection of the whole heap: so
 * it is for what text comes to at level 1, a third, and the few that need more get a second piece. windowBits and memLevel
 * make no difference that could be measured, but for the shortest.
 */
const SHORT = 4096
const PAGE = 20_000
const FINISH_SHORT = { level: 1, chunkSize: 2048, memLevel: 5, windowBits: 12 }
const FINISH_PAGE = { level: 1, chunkSize: 8 * 1024 }
const FINISH_LONG = { level: 1, chunkSize: 32 * 1024 }
/** Ends on a whole byte, but not the stream. */
const FLUSH = { level: 1, chunkSize: 64 * 1024, finishFlush: constants.Z_SYNC_FLUSH }

export function deflatedMember(emit: Emit, parts: readonly Uint8Array[]): void {
  emit(HEADER)
  let filled = 0
  let size = 0
  let crc = 0
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      if (filled === SLICE) {
        emit(deflateRawSync(slice, FLUSH))
        crc = crc32(slice, crc)
        size += SLICE
        filled = 0
      }
      const length = Math.min(part.length - at, SLICE - filled)
      slice.set(length === part.length ? part : part.subarray(at, at + length), filled)
      filled += length
      at += length
    }
  }
  const rest = slice.subarray(0, filled)
  if (size === 0) {
    emit(deflateRawSync(rest, filled <= SHORT ? FINISH_SHORT : filled <= PAGE ? FINISH_PAGE : FINISH_LONG))
  } else {
    emit(deflateRawSync(rest, FLUSH))
    emit(LAST_EMPTY)
  }
  emitTrailer(emit, crc32(rest, crc), size + filled)
}

export function storedMember(emit: Emit, parts: readonly Uint8Array[]): void {
  let size = 0
  let crc = 0
  for (const part of parts) {
    crc = crc32(part, crc)
    size += part.length
  }
  emit(HEADER)
  if (size === 0) emit(LAST_EMPTY)
  let left = size
  /** What the block that was begun last still takes. */
  let room = 0
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      if (room === 0) {
        room = Math.min(left, LARGEST_STORED)
        left -= room
        emitStoredHead(emit, room, left === 0)
      }
      const length = Math.min(part.length - at, room)
      emit(length === part.length ? part : part.subarray(at, at + length))
      room -= length
      at += length
    }
  }
  emitTrailer(emit, crc, size)
}

function emitStoredHead(emit: Emit, length: number, isLast: boolean): void {
  small[0] = isLast ? 1 : 0
  small[1] = length & 255
  small[2] = length >>> 8
  small[3] = ~length & 255
  small[4] = (~length >>> 8) & 255
  emit(storedHead)
}

function emitTrailer(emit: Emit, crc: number, size: number): void {
  small.writeUInt32LE(crc, 0)
  small.writeUInt32LE(size % 2 ** 32, 4)
  emit(small)
}
