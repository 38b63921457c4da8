/**
 * Bytes that someone else wrote, decompressed and split into lines, in batches and bounded memory; and what readers find in
 * them. A truncated or damaged file yields everything before the damage and then reports where that is.
 */
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { encodingOf } from '../../base/bytes.ts'
import type { Instant } from '../../base/clock.ts'
import type { SeedSource } from '../../frontier/contract.ts'
import type { WebUrl } from '../../web/url/web-url.ts'

/** What a source of seeds yields, in batches: a list need not fit in memory. */
export type Found =
  | {
      kind: 'seed'
      url: WebUrl
      /** Its line, record or row; 0 if there is none. */
      at: number
      /** N: a domain name to try; M: a sitemap. */
      path?: 'N' | 'M'
      lastmod?: Instant
      /** As the source declares it, if known. */
      mediaType?: string
      /** The original text, if a mistake was corrected. */
      instead?: string
    }
  | { kind: 'refused'; text: string; at: number; why: string }
  /** A remark on the input as a whole. */
  | { kind: 'note'; what: string }

export interface SeedInput {
  source: SeedSource
  /** A file or folder, for messages. */
  name: string
  /** What `at` counts. */
  unit: 'line' | 'record' | 'site' | 'URL'
  found: AsyncIterable<readonly Found[]>
}

export function refused(text: string, at: number, why: string): Found {
  return { kind: 'refused', text: clip(text), at, why }
}

/** For a message: one short line without control characters. */
export function clip(text: string): string {
  const plain = text.slice(0, 120).replace(/[\x00-\x1f\x7f-\x9f]/g, '\ufffd')
  return plain.length <= 80 ? plain : `${plain.slice(0, 79)}…`
}

export type Chunks = AsyncIterable<Uint8Array>

/** The file cannot be read further. The message completes a sentence that begins with its name. */
export class Damaged extends Error {}

const GZIP = [0x1f, 0x8b]
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd]
/** At most this much before the damage is lost with a damaged member. */
const OUT_BYTES = 64 * 1024

/** Decompresses gzip. */
export async function* unfolded(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]()
  try {
    const head = await headOf(source, ZSTD.length)
    if (begins(head, ZSTD)) throw new Damaged('is compressed with zstd; decompress it first')
    const whole = withHead(head, source)
    if (begins(head, GZIP)) yield* gunzipped(whole)
    else yield* whole
  } finally {
    await source.return?.()
  }
}

/** Enough bytes to recognise the format, or the whole file if it is shorter. */
async function headOf(source: AsyncIterator<Uint8Array>, length: number): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array(0)
  while (head.length < length) {
    const next = await source.next()
    if (next.done === true) break
    head = Buffer.concat([head, next.value])
  }
  return head
}

async function* withHead(head: Uint8Array, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head
  for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value
}

function begins(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, i) => bytes[i] === byte)
}

/** Any number of members, as web archives and `cat a.gz b.gz` make them. */
async function* gunzipped(chunks: Chunks): AsyncGenerator<Uint8Array> {
  let read = 0
  const gunzip = createGunzip({ chunkSize: OUT_BYTES })
  const counted = async function* () {
    for await (const chunk of chunks) {
      read += chunk.length
      yield chunk
    }
  }
  let failure: NodeJS.ErrnoException | undefined
  pipeline(counted, gunzip, (error) => {
    failure ??= error ?? undefined
  })
  try {
    for await (const bytes of gunzip) yield bytes as Uint8Array
  } catch (error) {
    const { code, message } = (failure ?? error) as NodeJS.ErrnoException
    // Errors that are not from zlib come from the disk, or are bugs.
    if (code === 'Z_BUF_ERROR') throw new Damaged(`ends inside a gzip member (after ${read} bytes)`)
    if (code?.startsWith('Z_')) throw new Damaged(`is damaged near byte ${gunzip.bytesWritten}: ${message}`)
    throw failure ?? error
  }
  // zlib treats anything after a member that is not another member as the end of the file.
  if (gunzip.bytesWritten < read)
    throw new Damaged(`is damaged at byte ${gunzip.bytesWritten}: no gzip member begins there`)
}

export interface Line {
  /** Starts at 1. */
  number: number
  /** Without the line end; only the beginning if the line is too long. */
  text: string
  isTooLong: boolean
}

/** Longer than any accepted URL plus the other fields on a line of an index. */
const LONGEST_LINE = 64 * 1024
const SHOWN_OF_TOO_LONG = 200

/** What a reader of lines finds in a file. */
export async function* foundIn(chunks: Chunks, read: (line: Line) => Found[]): AsyncGenerator<readonly Found[]> {
  for await (const lines of linesOf(unfolded(chunks)))
    yield lines.flatMap((line) =>
      line.isTooLong ? [refused(line.text, line.number, 'the line is too long')] : read(line),
    )
}

async function* textsOf(chunks: Chunks): AsyncGenerator<string> {
  const source = chunks[Symbol.asyncIterator]()
  try {
    const head = await headOf(source, 2)
    const decoder = new TextDecoder(encodingOf(head))
    for await (const chunk of withHead(head, source)) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } finally {
    await source.return?.()
  }
}

/** Lines end with LF, CRLF or a lone CR; a byte order mark at the start is dropped. */
export async function* linesOf(chunks: Chunks, longest = LONGEST_LINE): AsyncGenerator<readonly Line[]> {
  let number = 0
  let rest = ''
  const lineOf = (text: string): Line => {
    const isTooLong = text.length > longest
    return { number: ++number, text: isTooLong ? text.slice(0, SHOWN_OF_TOO_LONG) : text, isTooLong }
  }
  for await (const text of textsOf(chunks)) {
    // A CR at the end may be half of a line end.
    const texts = (rest + text).split(/\r\n|\n|\r(?!$)/)
    rest = texts.pop()!
    if (rest.length > longest + 1) rest = rest.slice(0, longest + 1) + (rest.endsWith('\r') ? '\r' : '')
    if (texts.length > 0) yield texts.map(lineOf)
  }
  const last = rest.split(/\r\n|\n|\r/)
  if (last.at(-1) === '') last.pop()
  if (last.length > 0) yield last.map(lineOf)
}
