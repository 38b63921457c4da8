/**
 * Reads a file from elsewhere, decompressing gzip, in bounded memory. A truncated or damaged file yields everything before
 * the damage and then reports where that is.
 */
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'

export type Chunks = AsyncIterable<Uint8Array>

/** The file cannot be read further. The message completes a sentence that begins with its name. */
export class Damaged extends Error {}

const GZIP = [0x1f, 0x8b]
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd]
/** At most this much before the damage is lost with a damaged member. */
const OUT_BYTES = 64 * 1024

export async function* unfolded(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]()
  try {
    const head = await headOf(source)
    if (begins(head, ZSTD)) throw new Damaged('is compressed with zstd; decompress it first')
    const whole = withHead(head, source)
    if (begins(head, GZIP)) yield* gunzipped(whole)
    else yield* whole
  } finally {
    await source.return?.()
  }
}

/** Enough bytes to recognise the format, or the whole file if it is shorter. */
async function headOf(source: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array(0)
  while (head.length < ZSTD.length) {
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
