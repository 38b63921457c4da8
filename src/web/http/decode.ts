/**
 * Content codings taken off, synchronously: handing a page of 15 KB to the thread pool costs more than inflating it.
 * A bomb ends at the bound and a damaged stream where the damage is; in both cases what came out before is kept.
 * What most of the web sends, gzip and deflate, is unpacked by `deflate/`, the rest by Node.
 */
import { brotliDecompressSync, constants, zstdDecompressSync } from 'node:zlib'
import { letGo } from '../../base/let-go.ts'
import { type Inflate, openInflate, type Wrapping } from '../deflate/inflate.ts'

export interface DecodeLimit {
  /** Most bytes of the decoded body. */
  bytes: number
  /** Most bytes out for a byte in; small bodies may always grow to `FREE_BYTES`. */
  ratio: number
}

export interface Decoded {
  bytes: Uint8Array
  /** The bound was reached: `bytes` is a beginning. */
  cut: boolean
  /** What was wrong with the coding, for people. */
  trouble?: string
  /** Gives back the memory of `bytes`, where they have some to themselves: nobody may look at them from then on. */
  letGo?(): void
}

const MOST_CODINGS = 3
const FREE_BYTES = 65_536
/** RFC 9659: a zstd window in HTTP is at most 8 MB; without this a frame may ask for 128. */
const ZSTD_PARAMS = { [constants.ZSTD_d_windowLogMax]: 23 }

interface Coding {
  decompress: (bytes: Uint8Array, bounds: Bounds) => Uint8Array
  /** The flush that demands the stream's end, and the one that takes what there is. */
  finish: number
  flush: number
}

interface Bounds {
  finishFlush: number
  chunkSize: number
  maxOutputLength: number
}

const brotli: Coding = {
  decompress: brotliDecompressSync,
  finish: constants.BROTLI_OPERATION_FINISH,
  flush: constants.BROTLI_OPERATION_FLUSH,
}
const zstd: Coding = {
  decompress: (bytes, bounds) => zstdDecompressSync(bytes, { ...bounds, params: ZSTD_PARAMS }),
  finish: constants.ZSTD_e_end,
  flush: constants.ZSTD_e_flush,
}

export function decodeContent(payload: Uint8Array, contentEncoding: string | undefined, limit: DecodeLimit): Decoded {
  const names = contentEncoding === undefined ? [] : codingNames(contentEncoding)
  if (names.length > MOST_CODINGS) return bounded(payload, limit.bytes, `${names.length} codings`)
  let bytes = payload
  let trouble: string | undefined
  let letGo: Decoded['letGo']
  // The ratio counts from the wire to the page, or two codings in a row would square it.
  const most = Math.min(limit.bytes, Math.max(FREE_BYTES, Math.floor(payload.length * limit.ratio)))
  for (const name of names.reverse()) {
    if (bytes.length === 0) break
    const step = removeCoding(bytes, name, most)
    trouble = step.trouble ?? trouble
    if (step.cut) return { ...step, trouble: trouble ?? `over ${most} bytes` }
    bytes = step.bytes
    letGo = step.letGo
  }
  const decoded = bounded(bytes, limit.bytes, trouble)
  return letGo === undefined ? decoded : { ...decoded, letGo }
}

function codingNames(contentEncoding: string): string[] {
  if (contentEncoding.length > 200) return new Array(MOST_CODINGS + 1).fill('')
  return contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
}

function bounded(bytes: Uint8Array, most: number, trouble: string | undefined): Decoded {
  const cut = bytes.length > most
  const kept = cut ? bytes.subarray(0, most) : bytes
  return trouble === undefined ? { bytes: kept, cut } : { bytes: kept, cut, trouble }
}

function removeCoding(bytes: Uint8Array, name: string, most: number): Decoded {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      // Servers that announce gzip and send plain text are common enough; what they sent is the page.
      if (bytes[0] !== 0x1f || (bytes.length > 1 && bytes[1] !== 0x8b))
        return untouched(bytes, 'gzip announced, not sent')
      return unpack(bytes, 'gzip', name, most)
    case 'deflate':
      return inflateDeflate(bytes, most)
    case 'br':
      return decompress(brotli, bytes, name, most)
    case 'zstd':
      if (!looksLikeZstd(bytes)) return untouched(bytes, 'zstd announced, not sent')
      return decompress(zstd, bytes, name, most)
    default:
      return untouched(bytes, `unknown coding ${name.replace(/[^!-~]/g, '?').slice(0, 40)}`)
  }
}

function untouched(bytes: Uint8Array, trouble: string): Decoded {
  return { bytes, cut: false, trouble }
}

/** `deflate` means zlib, and half the servers that say it send the raw stream. */
function inflateDeflate(bytes: Uint8Array, most: number): Decoded {
  const isZlib = (bytes[0] & 0x0f) === 8 && bytes.length > 1 && ((bytes[0] << 8) | bytes[1]) % 31 === 0
  const first = unpack(bytes, isZlib ? 'zlib' : 'raw', 'deflate', most)
  if (first.trouble === undefined || first.bytes.length > 0) return first
  const second = unpack(bytes, isZlib ? 'raw' : 'zlib', 'deflate', most)
  return second.bytes.length > 0 ? second : first
}

/** Opened when it is first needed. */
let inflate: Inflate | undefined

/** Nothing behind the bound is looked at. */
function unpack(packed: Uint8Array, wrapping: Wrapping, name: string, most: number): Decoded {
  inflate ??= openInflate()
  const { bytes, end } = inflate(packed, wrapping, most)
  const decoded = { bytes, letGo: () => letGo(bytes) }
  if (end === 'whole' || end === 'full') return { ...decoded, cut: end === 'full' }
  return { ...decoded, cut: false, trouble: end === 'early' ? `${name} ends early` : `${name} is damaged` }
}

/** A frame's magic number, or a skippable frame's. */
function looksLikeZstd(bytes: Uint8Array): boolean {
  if (bytes.length < 4) return true
  if (bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd) return bytes[0] === 0x28
  return (bytes[0] & 0xf0) === 0x50 && bytes[1] === 0x2a && bytes[2] === 0x4d && bytes[3] === 0x18
}

function decompress(coding: Coding, bytes: Uint8Array, name: string, most: number): Decoded {
  const whole = attempt(coding, bytes, coding.finish, most)
  if (whole instanceof Uint8Array) return bounded(whole, most, undefined)
  if (whole === 'too large') return { ...longestBeginning(coding, bytes, most), cut: true }
  const sofar = attempt(coding, bytes, coding.flush, most)
  if (sofar instanceof Uint8Array) return bounded(sofar, most, `${name} ends early`)
  const beginning = longestBeginning(coding, bytes, most)
  return sofar === 'too large' ? { ...beginning, cut: true } : { ...beginning, trouble: `${name} is damaged` }
}

const LEAST_ROOM = 16_384
const MOST_ROOM = 262_144

type Failed = 'too large' | 'damaged'

/** Up to twice the bound may come out, so that a beginning that ends between once and twice needs no search. */
function attempt(coding: Coding, bytes: Uint8Array, finishFlush: number, most: number): Uint8Array | Failed {
  const chunkSize = Math.min(MOST_ROOM, Math.max(LEAST_ROOM, bytes.length * 4))
  try {
    return coding.decompress(bytes, { finishFlush, chunkSize, maxOutputLength: Math.max(1, most * 2) })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : 'damaged'
  }
}

/**
 * Node's synchronous calls give all or nothing, so the longest beginning that still decodes is searched for: each
 * guess follows from the rate so far, else halves what is unknown. At most 20 guesses; a bomb
 * of zeros that would be 100 MB costs 10 ms at a bound of 2 MB, the worst seen (brotli) 50.
 */
function longestBeginning(coding: Coding, bytes: Uint8Array, most: number): Decoded {
  const closeEnough = Math.max(1, bytes.length >> 16)
  let best: Uint8Array = new Uint8Array(0)
  let good = 0
  let bad = bytes.length
  for (let guesses = 0; guesses < 20 && bad - good > closeEnough && best.length < most; guesses++) {
    const byRate = guesses % 2 === 1 && best.length > 0 ? Math.ceil((good * most * 1.1) / best.length) : 0
    const middle = byRate > good && byRate < bad ? byRate : good + ((bad - good) >> 1)
    const out = attempt(coding, bytes.subarray(0, middle), coding.flush, most)
    if (out instanceof Uint8Array) {
      good = middle
      if (out.length >= best.length) best = out
    } else {
      bad = middle
    }
  }
  return bounded(best, most, undefined)
}
