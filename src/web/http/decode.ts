/**
 * Removes content codings with Node's zlib, synchronously for most bodies: handing 15 KB to the thread pool costs more
 * than inflating it. A bomb ends at the limit and a damaged stream at the damage; what came out before is kept.
 */
import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib'
import { inflateRaw, isTooLarge, readGzipMember } from '../deflate/inflate.ts'

export interface DecodeLimit {
  /** The most bytes of the decoded body. */
  bytes: number
  /** The most bytes out per byte in; small bodies may always grow to `FREE_BYTES`. */
  ratio: number
}

/** As crawl.log shows it after `coding:`. */
export type CodingTrouble =
  /** Announced, but the bytes are not coded: they are the page. */
  | 'not-sent'
  /** The stream ends before its end. */
  | 'early'
  /** The stream is broken, or its checksum or length is wrong. */
  | 'damaged'
  /** An unknown name: the bytes cannot be interpreted. */
  | 'unknown'
  /** More codings than are removed. */
  | 'too-many'

export interface Decoded {
  bytes: Uint8Array
  /** The limit was reached: `bytes` is a beginning. */
  cut: boolean
  /** What was wrong with the coding. */
  trouble?: CodingTrouble
}

/** For `ratio`: a body that grows more when decoded is a bomb. Text compresses 5 to 20 times, and rarely 200. */
export const BOMB_RATIO = 1000
const MAX_CODINGS = 3
const FREE_BYTES = 65_536
/** Unpacked while all other visits of the thread wait: 4 MB take 10 to 20 ms. */
const MAX_AT_ONCE = 4 * 2 ** 20
/** RFC 9659: a zstd window in HTTP is at most 8 MB; without this a frame may ask for 128. */
const ZSTD_PARAMS = { [constants.ZSTD_d_windowLogMax]: 23 }

type Coding = 'gzip' | 'deflate' | 'br' | 'zstd'

const CODINGS: Readonly<Record<string, Coding>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
  zstd: 'zstd',
}

/**
 * Small bodies at once, large ones in Node's thread pool, so that a bomb or a sitemap of 24 MB blocks no one.
 * So do streams with damage inside, because Node's synchronous calls give all or nothing: finding the longest prefix that
 * decodes took 20 attempts of 12 ms for a brotli bomb of 51 bytes.
 */
export async function decodeContent(
  payload: Uint8Array,
  contentEncoding: string | undefined,
  limit: DecodeLimit,
): Promise<Decoded> {
  const names = contentEncoding === undefined ? [] : codingNames(contentEncoding)
  if (names.length > MAX_CODINGS) return bounded(payload, limit.bytes, 'too-many')
  let bytes = payload
  let trouble: CodingTrouble | undefined
  // The ratio counts from the wire to the page; otherwise two codings in a row would square it.
  const max = Math.min(limit.bytes, Math.max(FREE_BYTES, Math.floor(payload.length * limit.ratio)))
  for (const name of names.reverse()) {
    if (bytes.length === 0) break
    const step = removeCoding(bytes, name, Math.min(max, MAX_AT_ONCE)) ?? (await unfold(bytes, CODINGS[name], max))
    trouble = step.trouble ?? trouble
    // Nothing under an unknown coding can be unpacked either.
    if (trouble === 'unknown') return bounded(bytes, limit.bytes, trouble)
    if (step.cut) return trouble === undefined ? step : { ...step, trouble }
    bytes = step.bytes
  }
  return bounded(bytes, limit.bytes, trouble)
}

/**
 * As `decodeContent`; the decoded bytes are only for `use`, and their memory is returned when it ends. Left to the collector,
 * they cost as much again as unpacking them.
 */
export async function withDecoded<Answer>(
  payload: Uint8Array,
  contentEncoding: string | undefined,
  limit: DecodeLimit,
  use: (decoded: Decoded) => Promise<Answer>,
): Promise<Answer> {
  const decoded = await decodeContent(payload, contentEncoding, limit)
  try {
    return await use(decoded)
  } finally {
    const { buffer } = decoded.bytes
    // Small ones share a piece of Node's pool.
    if (buffer instanceof ArrayBuffer && buffer !== payload.buffer && buffer.byteLength !== Buffer.poolSize)
      buffer.transfer(0)
  }
}

function codingNames(contentEncoding: string): string[] {
  if (contentEncoding.length > 200) return new Array(MAX_CODINGS + 1).fill('')
  return contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity' && !isNoCoding(name))
}

/** Servers that put the charset here, or `none`, code nothing; browsers read their pages too. */
function isNoCoding(name: string): boolean {
  return /^(none|binary|[78]bit|utf-?8|us-ascii|iso-8859-\d{1,2}|windows-125\d)$/.test(name)
}

function bounded(bytes: Uint8Array, max: number, trouble: CodingTrouble | undefined): Decoded {
  const cut = bytes.length > max
  const kept = cut ? bytes.subarray(0, max) : bytes
  return trouble === undefined ? { bytes: kept, cut } : { bytes: kept, cut, trouble }
}

/** Undefined: larger than that, or broken in a way that needs a stream to say how far it goes. */
export function removeCoding(bytes: Uint8Array, name: string, max: number): Decoded | undefined {
  switch (CODINGS[name]) {
    case 'gzip':
      // Many servers announce gzip and send plain text: that is the page.
      if (bytes[0] !== 0x1f || (bytes.length > 1 && bytes[1] !== 0x8b)) return untouched(bytes, 'not-sent')
      return atOnce(gunzipSync, bytes, max, () => brokenGzip(bytes, max))
    case 'deflate': {
      // It means zlib, but half the servers that say it send the raw stream.
      const [first, second] = hasZlibHeader(bytes) ? [inflateSync, inflateRawSync] : [inflateRawSync, inflateSync]
      return atOnce(first, bytes, max, () => atOnce(second, bytes, max, () => brokenDeflate(bytes, max)))
    }
    case 'br':
      return atOnce(brotliDecompressSync, bytes, max)
    case 'zstd':
      if (bytes.length >= 4 && !isFrame(bytes)) return untouched(bytes, 'not-sent')
      return atOnce(zstdFramesSync, bytes, max)
    default:
      return untouched(bytes, 'unknown')
  }
}

function untouched(bytes: Uint8Array, trouble: CodingTrouble): Decoded {
  return { bytes, cut: false, trouble }
}

/** A frame's magic number, or a skippable frame's. */
function isFrame(bytes: Uint8Array, at = 0): boolean {
  const [a, b, c, d] = bytes.subarray(at, at + 4)
  if (b === 0xb5 && c === 0x2f && d === 0xfd) return a === 0x28
  return (a & 0xf0) === 0x50 && b === 0x2a && c === 0x4d && d === 0x18
}

/** Node stops behind the first frame; there may be more (RFC 8878 §3), and the first may be one to skip. */
function zstdFramesSync(packed: Uint8Array, bounds: Bounds): Uint8Array {
  const frames: Uint8Array[] = []
  let left = bounds.maxOutputLength
  for (let at = 0; ; ) {
    const options = { ...bounds, maxOutputLength: Math.max(1, left), params: ZSTD_PARAMS, info: true }
    const { buffer, engine } = zstdDecompressSync(packed.subarray(at), options) as unknown as Unpacked
    if (buffer.length > left || frames.length === MAX_MEMBERS) throw new RangeError('left to the thread pool')
    frames.push(buffer)
    left -= buffer.length
    at += engine.bytesWritten
    if (!isFrame(packed, at)) return frames.length === 1 ? buffer : Buffer.concat(frames)
  }
}

interface Unpacked {
  buffer: Uint8Array
  engine: { bytesWritten: number }
}

function hasZlibHeader(bytes: Uint8Array): boolean {
  return (bytes[0] & 0x0f) === 8 && bytes.length > 1 && ((bytes[0] << 8) | bytes[1]) % 31 === 0
}

interface Bounds {
  chunkSize: number
  maxOutputLength: number
}

/** Over half of Node's pool: a buffer of its own, which can be returned. */
const MIN_ROOM = 40_000
const MAX_ROOM = 262_144
/** Each member or frame is a call of its own; more of them are left to the thread pool. */
const MAX_MEMBERS = 16

/** `broken` is asked about bytes that do not unpack, unless they only unpack to too much. */
function atOnce(
  unpack: (packed: Uint8Array, bounds: Bounds) => Uint8Array,
  packed: Uint8Array,
  max: number,
  broken?: () => Decoded | undefined,
): Decoded | undefined {
  const chunkSize = Math.min(MAX_ROOM, Math.max(MIN_ROOM, unpack === gunzipSync ? gzipSize(packed) : packed.length * 4))
  try {
    return { bytes: unpack(packed, { chunkSize, maxOutputLength: Math.max(1, max) }), cut: false }
  } catch (error) {
    return isTooLarge(error) ? undefined : broken?.()
  }
}

/**
 * As the trailer says it, and one more: if all fits at once, zlib needs no window and nothing is joined. A size that is a lie
 * costs no more than `MAX_ROOM`.
 */
function gzipSize(packed: Uint8Array): number {
  const [a = 0, b = 0, c = 0, d = 0] = packed.subarray(-4)
  return a + b * 2 ** 8 + c * 2 ** 16 + d * 2 ** 24 + 1
}

/** Ends early, or a trailer is wrong, or something else follows: the members before are good, and what came of the last. */
function brokenGzip(packed: Uint8Array, max: number): Decoded | undefined {
  const parts: Uint8Array[] = []
  let left = max
  let at = 0
  while (parts.length < MAX_MEMBERS) {
    const { bytes, end, next } = readGzipMember(packed, at, left)
    if (bytes === undefined) return undefined
    parts.push(bytes)
    if (end === 'early' || end === 'damaged') return { bytes: Buffer.concat(parts), cut: false, trouble: end }
    left -= bytes.length
    at = next
  }
  return undefined
}

/** The same for a zlib stream, with a sum behind it, or a raw one. */
function brokenDeflate(packed: Uint8Array, max: number): Decoded | undefined {
  const isZlib = hasZlibHeader(packed)
  const stream = inflateRaw(packed, isZlib ? 2 : 0, max)
  if (typeof stream === 'string' || stream.bytes.length === 0) return undefined
  const isEarly = !isZlib || stream.next + 4 > packed.length
  return { bytes: stream.bytes, cut: false, trouble: isEarly ? 'early' : 'damaged' }
}

/** How Node unpacks codings in its thread pool, and how a stream gives what it has of a broken one; `deflate` has two forms. */
const STREAMS = {
  gzip: { open: createGunzip, flush: constants.Z_SYNC_FLUSH },
  zlib: { open: createInflate, flush: constants.Z_SYNC_FLUSH },
  raw: { open: createInflateRaw, flush: constants.Z_SYNC_FLUSH },
  br: { open: createBrotliDecompress, flush: constants.BROTLI_OPERATION_FLUSH },
  zstd: { open: createZstdDecompress, flush: constants.ZSTD_e_flush, params: ZSTD_PARAMS },
}
type Stream = keyof typeof STREAMS

const MAX_FRAMES = 1000

/** As far as it goes, in the thread pool, piece by piece. */
async function unfold(packed: Uint8Array, coding: Coding, max: number): Promise<Decoded> {
  if (coding !== 'zstd') return unfoldStream(packed, coding, max)
  const frames: Uint8Array[] = []
  let left = max
  for (let at = 0; ; ) {
    const { bytes, read, ...frame } = await unfoldStream(packed.subarray(at), coding, left)
    frames.push(bytes)
    left -= bytes.length
    at += read
    const isLast = frame.cut || frame.trouble !== undefined || !isFrame(packed, at)
    if (isLast) return { ...frame, bytes: Buffer.concat(frames) }
    if (frames.length === MAX_FRAMES) return { bytes: Buffer.concat(frames), cut: true }
  }
}

interface Streamed extends Decoded {
  /** Bytes of the stream that ended. */
  read: number
}

async function unfoldStream(packed: Uint8Array, coding: Coding, max: number): Promise<Streamed> {
  let best: Streamed | undefined
  let stream: Stream = 'raw'
  for (const one of streamsOf(packed, coding)) {
    const found = await streamed(packed, one, max)
    if (found.trouble === undefined) return found
    if (best !== undefined && found.bytes.length <= best.bytes.length) continue
    best = found
    stream = one
  }
  const { bytes, trouble } = best!
  if (bytes.length >= MAX_AT_ONCE) return best!
  // Node drops the output of the piece in which a stream breaks: small pieces lose little.
  const piece = Math.max(MIN_PIECE, Math.ceil(packed.length / MAX_PIECES))
  const again = await streamed(packed, stream, max, piece)
  return { ...again, trouble }
}

const MIN_PIECE = 64
const MAX_PIECES = 2000

function streamsOf(packed: Uint8Array, coding: Coding): readonly Stream[] {
  if (coding !== 'deflate') return [coding]
  return hasZlibHeader(packed) ? ['zlib', 'raw'] : ['raw', 'zlib']
}

/** `piece`: for a broken stream, in pieces of this size; an early end is then not an error. */
function streamed(packed: Uint8Array, as: Stream, max: number, piece?: number): Promise<Streamed> {
  return new Promise((resolve) => {
    const { open, flush, ...params } = STREAMS[as]
    const stream = open({ chunkSize: MAX_ROOM, ...params, ...(piece !== undefined && { finishFlush: flush }) })
    const pieces: Uint8Array[] = []
    let length = 0
    const over = (trouble?: CodingTrouble) => {
      stream.destroy()
      const bytes = Buffer.concat(pieces, Math.min(length, max))
      resolve({ bytes, cut: length > max, read: stream.bytesWritten, ...(trouble !== undefined && { trouble }) })
    }
    stream.on('data', (some: Uint8Array) => {
      pieces.push(some)
      length += some.length
      if (length > max) over()
    })
    stream.on('end', () => over())
    stream.on('error', ({ code }: NodeJS.ErrnoException) => over(code === 'Z_BUF_ERROR' ? 'early' : 'damaged'))
    const step = piece ?? packed.length
    for (let at = 0; at < packed.length; at += step) stream.write(packed.subarray(at, at + step))
    stream.end()
  })
}
