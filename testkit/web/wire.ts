/** An answer as bytes on the wire: head, content coding, framing. */
import {
  brotliCompressSync,
  constants,
  crc32,
  deflateRawSync,
  deflateSync,
  gzipSync,
  type ZlibOptions,
  zstdCompressSync,
} from 'node:zlib'
import type { Instant, Millis } from '../../src/base/clock.ts'
import type { Head, Headers } from '../../src/contracts/exchange.ts'
import type { Coding, Framing } from './site-plan.ts'

export interface WebRequest {
  /** Absolute, without fragment. */
  url: string
  at: Instant
  /** The how-many-eth request for this URL: 1 for the first. Pages that fail at first need it; others do not look. */
  attempt: number
  headers: Headers
}

export interface WireAnswer {
  kind: 'answer'
  latencyMs: Millis
  head: Head
  wireHead: Uint8Array<ArrayBuffer>
  /** As it is sent, chunk framing included. */
  wireBody: Uint8Array<ArrayBuffer>
  /** Without transfer coding. */
  payload: Uint8Array<ArrayBuffer>
  /** What the chunks of a chunked body hold; 0: not chunked. */
  chunkBytes: number
  /** False: the server closes after the body. */
  keepAlive: boolean
  /** False: the body ends before its framing says so. */
  whole: boolean
  /** Sent again and again after the body, without end. */
  drip?: { bytes: Uint8Array<ArrayBuffer>; everyMs: Millis }
}

export type WebAnswer =
  | WireAnswer
  /** The request is read and nothing ever comes. */
  | { kind: 'silent' }
  /** The connection is closed before a byte of the answer. */
  | { kind: 'reset'; latencyMs: Millis }
  /** Bytes that are no HTTP. */
  | { kind: 'garbage'; latencyMs: Millis; bytes: Uint8Array<ArrayBuffer> }

export interface AnswerParts {
  status: number
  headers: [string, string][]
  payload: Uint8Array<ArrayBuffer>
  framing: Framing
  keepAlive: boolean
  latencyMs: Millis
}

const REASONS: Record<number, string> = {
  200: 'OK',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  410: 'Gone',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

const CHUNK_BYTES = 4096
const NOTHING = new Uint8Array(0)

export function wireAnswer(parts: AnswerParts): WireAnswer {
  const bodiless = parts.status === 304
  const chunked = parts.framing === 'chunked' && !bodiless
  const keepAlive = parts.keepAlive && (parts.framing !== 'close' || bodiless)
  const headers = [...parts.headers]
  if (chunked) headers.push(['Transfer-Encoding', 'chunked'])
  else if (parts.framing === 'length' && !bodiless) headers.push(['Content-Length', `${parts.payload.length}`])
  headers.push(['Connection', keepAlive ? 'keep-alive' : 'close'])
  const head: Head = { version: 'HTTP/1.1', status: parts.status, reason: REASONS[parts.status] ?? 'Other', headers }
  const payload = bodiless ? NOTHING : parts.payload
  return {
    kind: 'answer',
    latencyMs: parts.latencyMs,
    head,
    wireHead: headBytes(head),
    wireBody: chunked ? chunks(payload) : payload,
    payload,
    chunkBytes: chunked ? CHUNK_BYTES : 0,
    keepAlive,
    whole: true,
  }
}

export function headBytes(head: Head): Uint8Array<ArrayBuffer> {
  let text = `${head.version} ${head.status} ${head.reason}\r\n`
  for (const [name, value] of head.headers) text += `${name}: ${value}\r\n`
  const bytes = new Uint8Array(text.length + 2)
  Buffer.from(bytes.buffer).write(`${text}\r\n`, 'latin1')
  return bytes
}

function chunks(payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < payload.length; at += CHUNK_BYTES) {
    const piece = payload.subarray(at, at + CHUNK_BYTES)
    pieces.push(ascii(`${piece.length.toString(16)}\r\n`), piece, ascii('\r\n'))
  }
  pieces.push(ascii('0\r\n\r\n'))
  return join(pieces)
}

/** How many bytes of a chunked body carry the first `payloadBytes` of its payload. */
export function chunkedLength(payloadBytes: number, total: number): number {
  let wire = 0
  for (let at = 0; at < payloadBytes; at += CHUNK_BYTES) {
    const size = Math.min(CHUNK_BYTES, total - at)
    wire += size.toString(16).length + 2
    if (at + size > payloadBytes) return wire + payloadBytes - at
    wire += size + 2
  }
  return wire
}

/** How many bytes of payload are in the first `wireBytes` of a chunked body. */
export function chunkedPayload(wireBytes: number, total: number): number {
  let payload = 0
  while (payload < total) {
    const size = Math.min(CHUNK_BYTES, total - payload)
    wireBytes -= size.toString(16).length + 2
    if (wireBytes <= size) return payload + Math.max(0, wireBytes)
    payload += size
    wireBytes -= size + 2
  }
  return payload
}

const ascii = (text: string) => Buffer.from(text, 'latin1')

export function join(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0
  for (const piece of pieces) length += piece.length
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

export function encodeBody(payload: Uint8Array<ArrayBuffer>, coding: Coding): Uint8Array<ArrayBuffer> {
  switch (coding) {
    case 'identity':
      return payload
    case 'gzip':
      return new Uint8Array(gzipSync(payload, deflateOptions(payload)))
    case 'deflate':
      return new Uint8Array(deflateSync(payload, deflateOptions(payload)))
    case 'br':
      return new Uint8Array(brotliCompressSync(payload, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }))
    case 'zstd':
      return new Uint8Array(zstdCompressSync(payload))
  }
}

/** A window that holds the whole body packs it as well, with 64 KB of tables instead of 256: 30 µs instead of 43. */
function deflateOptions(payload: Uint8Array): ZlibOptions {
  return payload.length <= 8192 ? { level: 1, windowBits: 13, memLevel: 6 } : { level: 1 }
}

export function headerOf(headers: Headers, name: string): string | undefined {
  for (const [key, value] of headers) if (key.toLowerCase() === name) return value
  return undefined
}

let bomb: Uint8Array<ArrayBuffer> | undefined

/** 320 KB of gzip that are 320 MB of spaces: one deflate block of 10 MB, repeated. */
export function gzipBomb(): Uint8Array<ArrayBuffer> {
  if (bomb !== undefined) return bomb
  const block = Buffer.alloc(10 << 20, ' ')
  const packed = deflateRawSync(block, { finishFlush: constants.Z_FULL_FLUSH })
  const times = 32
  let sum = 0
  for (let i = 0; i < times; i++) sum = crc32(block, sum)
  const tail = Buffer.alloc(10)
  tail.set([3, 0])
  tail.writeUInt32LE(sum, 2)
  tail.writeUInt32LE((block.length * times) >>> 0, 6)
  const start = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
  bomb = join([start, ...Array.from({ length: times }, () => packed), tail])
  return bomb
}
