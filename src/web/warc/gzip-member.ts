/**
 * One gzip member per record, written whole and synchronously: handing a page to the thread pool costs more than
 * compressing it.
 *
 * Level 1 takes 51 µs for a page of 15 KB (with 16 KB of output buffer 64) and 12 µs for the 800 bytes of a request. A
 * record whose body is compressed already is laid down in *stored* blocks instead, which costs a CRC and a copy: a page
 * of 4 KB of gzip and its request together take 20 µs. Deflating their heads only (that is possible: runs of deflated and
 * stored blocks may follow one another) would save some 800 bytes a page and cost 26 µs more, so it is not done.
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

/** Under this, less memory to prepare takes a third off. */
const SHORT = 4096
const FINISH = { level: 1, chunkSize: 32 * 1024 }
const FINISH_SHORT = { level: 1, chunkSize: 2048, memLevel: 5, windowBits: 12 }
/** Ends on a whole byte, but not the stream. */
const FLUSH = { level: 1, chunkSize: 64 * 1024, finishFlush: constants.Z_SYNC_FLUSH }

export function deflatedMember(emit: Emit, parts: readonly Uint8Array[]): void {
  emit(HEADER)
  let filled = 0
  let slices = 0
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      if (filled === SLICE) {
        emit(deflateRawSync(slice, FLUSH))
        filled = 0
        slices++
      }
      const length = Math.min(part.length - at, SLICE - filled)
      slice.set(length === part.length ? part : part.subarray(at, at + length), filled)
      filled += length
      at += length
    }
  }
  const rest = slice.subarray(0, filled)
  if (slices === 0) {
    emit(deflateRawSync(rest, filled <= SHORT ? FINISH_SHORT : FINISH))
  } else {
    emit(deflateRawSync(rest, FLUSH))
    emit(LAST_EMPTY)
  }
  emitTrailer(emit, parts)
}

export function storedMember(emit: Emit, parts: readonly Uint8Array[]): void {
  emit(HEADER)
  const blockHead = small.subarray(0, 5)
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const length = Math.min(part.length - at, LARGEST_STORED)
      blockHead[0] = 0
      blockHead.writeUInt16LE(length, 1)
      blockHead.writeUInt16LE(length ^ 0xffff, 3)
      emit(blockHead)
      emit(length === part.length ? part : part.subarray(at, at + length))
      at += length
    }
  }
  emit(LAST_EMPTY)
  emitTrailer(emit, parts)
}

function emitTrailer(emit: Emit, parts: readonly Uint8Array[]): void {
  let crc = 0
  let size = 0
  for (const part of parts) {
    crc = crc32(part, crc)
    size += part.length
  }
  small.writeUInt32LE(crc, 0)
  small.writeUInt32LE(size % 2 ** 32, 4)
  emit(small)
}
