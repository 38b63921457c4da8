/**
 * One gzip member per record, written whole and synchronously: handing a page to the thread pool costs more than
 * compressing it.
 *
 * A record whose body is compressed already goes into *stored* blocks, which costs a CRC and a copy: 2 µs. Deflating
 * only its head would save some 800 bytes per page and cost some µs more, so it is not done.
 */
import { crc32, gunzipSync } from 'node:zlib'
import { type Emit, type Gzip, openGzip, zlibGzip } from '../deflate/gzip.ts'

const HEADER = new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3])
/** An empty last block in fixed codes. */
const LAST_EMPTY = new Uint8Array([3, 0])
const LARGEST_STORED = 65_535

const small = Buffer.allocUnsafeSlow(8)
const storedHead = small.subarray(0, 5)

/** Opened when first needed: most programs that read records write none. */
let gzip: Gzip | undefined

export function deflatedMember(emit: Emit, parts: readonly Uint8Array[]): void {
  gzip ??= openGzip()
  gzip(emit, parts)
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
  /** Bytes that fit into the block begun last. */
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

/**
 * A member that zlib has unpacked again. If other bytes came out of it than went in, zlib packs them. It guards against an error
 * in our own writers, which nobody would notice for years.
 */
export function checkedMember(make: Gzip, emit: Emit, parts: readonly Uint8Array[]): 'right' | 'wrong' {
  const pieces: Uint8Array[] = []
  make((bytes) => pieces.push(Buffer.from(bytes)), parts)
  const isRight = unpacksTo(Buffer.concat(parts), Buffer.concat(pieces))
  if (isRight) for (const piece of pieces) emit(piece)
  else zlibGzip(emit, parts)
  return isRight ? 'right' : 'wrong'
}

function unpacksTo(content: Buffer, member: Buffer): boolean {
  try {
    return gunzipSync(member, { maxOutputLength: content.length + 1 }).equals(content)
  } catch {
    return false
  }
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
