/**
 * Deflate streams and gzip members from outside, unpacked by Node's zlib. Content codings and volumes are read here alike;
 * what is missing or wrong at the end of a member costs nothing of what came before.
 */
import { constants, crc32, inflateRawSync } from 'node:zlib'

/** The most that zlib allocates before it knows how much comes out. */
const ROOM = 64 * 1024

/**
 * The raw stream from `start` on, as far as the input goes; `next` is the offset behind it. Of a damaged stream zlib's
 * synchronous calls give nothing.
 */
export function inflateRaw(
  input: Uint8Array,
  start: number,
  max: number,
): { bytes: Uint8Array; next: number } | 'damaged' | 'full' {
  try {
    const { buffer, engine } = inflateRawSync(input.subarray(start), {
      info: true,
      finishFlush: constants.Z_SYNC_FLUSH,
      chunkSize: ROOM,
      maxOutputLength: Math.max(1, max),
    }) as unknown as { buffer: Uint8Array; engine: { bytesWritten: number } }
    return { bytes: buffer, next: start + engine.bytesWritten }
  } catch (error) {
    return isTooLarge(error) ? 'full' : 'damaged'
  }
}

/** More came out than `maxOutputLength`. */
export function isTooLarge(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
}

export interface GzipMember {
  /** `early`: the input ends first. `full`: more comes out than was allowed. */
  end: 'whole' | 'early' | 'damaged' | 'full'
  /** What came out of it; undefined when its stream is damaged, or gives too much. */
  bytes: Uint8Array | undefined
  /** Behind the member, if it is whole. */
  next: number
  /** What is wrong with it. */
  detail: string
}

const NOTHING = new Uint8Array(0)

/** The member at `start`: whole only if its stream ends and its CRC and size agree. */
export function readGzipMember(input: Uint8Array, start: number, max: number): GzipMember {
  const header = gzipHeader(input, start)
  const faulty = (end: GzipMember['end'], detail: string, bytes?: Uint8Array) => ({ end, bytes, next: start, detail })
  if (header === 'early') return faulty(header, 'ends inside a gzip header', NOTHING)
  if (header === 'damaged') return faulty(header, 'no gzip member begins here', NOTHING)
  const stream = inflateRaw(input, header, max)
  if (stream === 'full') return faulty(stream, `unfolds to over ${max} bytes`)
  if (stream === 'damaged') return faulty(stream, 'deflate stream is damaged')
  const { bytes, next } = stream
  const trailer = new DataView(input.buffer, input.byteOffset + next, Math.min(8, input.length - next))
  if (trailer.byteLength >= 4 && trailer.getUint32(0, true) !== crc32(bytes))
    return faulty('damaged', 'CRC is wrong', bytes)
  if (trailer.byteLength < 8) return faulty('early', 'ends inside a member', bytes)
  if (trailer.getUint32(4, true) !== bytes.length % 2 ** 32)
    return faulty('damaged', 'size in the trailer is wrong', bytes)
  return { end: 'whole', bytes, next: next + 8, detail: '' }
}

const START = [0x1f, 0x8b, 8] as const
const FLAG = { headerCrc: 2, extra: 4, name: 8, comment: 16, unknown: 0xe0 } as const
const LONGEST_TEXT = 64 * 1024

/** Where the stream of the member at `start` begins, behind the optional fields that some writers make. */
export function gzipHeader(bytes: Uint8Array, start: number): number | 'early' | 'damaged' {
  const left = bytes.length - start
  if (START.some((byte, i) => i < left && bytes[start + i] !== byte)) return 'damaged'
  const flags = bytes[start + 3]
  if (flags & FLAG.unknown) return 'damaged'
  if (left < 10) return 'early'
  let at = start + 10
  if (flags & FLAG.extra) {
    if (at + 2 > bytes.length) return 'early'
    at += 2 + bytes[at] + bytes[at + 1] * 256
  }
  for (const text of [FLAG.name, FLAG.comment]) {
    if (!(flags & text)) continue
    const end = bytes.subarray(at, at + LONGEST_TEXT).indexOf(0) + at
    if (end < at) return bytes.length - at > LONGEST_TEXT ? 'damaged' : 'early'
    at = end + 1
  }
  if (flags & FLAG.headerCrc) {
    if (at + 2 > bytes.length) return 'early'
    if ((bytes[at] | (bytes[at + 1] << 8)) !== (crc32(bytes.subarray(start, at)) & 0xffff)) return 'damaged'
    at += 2
  }
  return at > bytes.length ? 'early' : at
}
