/**
 * Reads the target URIs of responses and revisits in WARC files, compressed per record, as a whole, or not at all. Only the
 * header and the first bytes of each record's block are read; the rest is skipped, so records may have any size.
 */
import { endOfHead } from '../../web/http/head.ts'
import { mediaTypeOf } from '../../web/http/headers.ts'
import { parseHttpBlock } from '../../web/warc/http-block.ts'
import { recordHead } from '../../web/warc/reader.ts'
import { target } from './cdx.ts'
import { type Chunks, Damaged, type Found, refused, unfolded } from './input.ts'

const LONGEST_HEAD = 256 * 1024
/** Of a block: enough for the status line and, in most responses, the media type. */
const PEEKED = 8 * 1024

const CR = 0x0d
const LF = 0x0a

export async function* capturedUrls(chunks: Chunks): AsyncGenerator<readonly Found[]> {
  const file = new Pulled(unfolded(chunks))
  try {
    for (let record = 1; ; record++) {
      const skipped = await toRecord(file, record)
      if (skipped > 0) yield [refused(`${skipped} bytes`, record, 'no record begins where one should')]
      const head = await nextHead(file, record)
      if (head === undefined) break
      const isCapture = head.type === 'response' || head.type === 'revisit'
      const peeked = isCapture ? Math.min(head.length, PEEKED) : 0
      while (file.held.length < peeked && (await file.more())) {}
      if (isCapture && head.url !== undefined && (peeked > 0 || head.type === 'revisit'))
        yield captured(head.url, file.held.subarray(0, peeked), record)
      if (!(await file.skip(head.length))) throw new Damaged(`ends inside record ${record}`)
    }
    if (file.at === 0) yield [{ kind: 'note', what: 'it is empty' }]
  } finally {
    await file.close()
  }
}

/** Bytes that are read when they are needed. */
class Pulled {
  held: Uint8Array = new Uint8Array(0)
  /** Where `held` begins in the decompressed file. */
  at = 0
  readonly #chunks: AsyncGenerator<Uint8Array>

  constructor(chunks: AsyncGenerator<Uint8Array>) {
    this.#chunks = chunks
  }

  /** False at the end of the file. */
  async more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next()
    if (done) return false
    this.held = this.held.length === 0 ? value : Buffer.concat([this.held, value])
    return true
  }

  take(length: number): Uint8Array {
    const taken = this.held.subarray(0, length)
    this.held = this.held.subarray(length)
    this.at += taken.length
    return taken
  }

  /** False: the file ends before. */
  async skip(length: number): Promise<boolean> {
    let left = length
    for (; left > this.held.length; ) {
      left -= this.take(this.held.length).length
      if (!(await this.more())) return false
    }
    this.take(left)
    return true
  }

  async close(): Promise<void> {
    await this.#chunks.return(undefined)
  }
}

interface Head {
  type: string
  url: string | undefined
  length: number
}

const START = 'WARC/'

const fault = (file: Pulled, record: number, what: string) =>
  new Damaged(`${what} (record ${record}, byte ${file.at} of its decompressed text)`)

/**
 * To where a record begins, or to the end of the file: how many bytes were passed that belong to none. Some writers' lengths are
 * wrong by a byte; such a record must not cost those behind it.
 */
async function toRecord(file: Pulled, record: number): Promise<number> {
  for (;;) {
    while (file.held[0] === CR || file.held[0] === LF) file.take(1)
    if (file.held.length >= START.length) break
    if (!(await file.more())) break
  }
  const begin = file.at
  const isStart = START.startsWith(Buffer.from(file.held.subarray(0, START.length)).toString('latin1'))
  if (isStart) return 0
  if (record === 1) throw fault(file, record, 'is not a WARC file')
  for (;;) {
    const found = Buffer.from(file.held.buffer, file.held.byteOffset, file.held.length).indexOf(`\n${START}`)
    if (found >= 0) {
      file.take(found + 1)
      return file.at - begin
    }
    file.take(file.held.length - Math.min(file.held.length, START.length))
    if (!(await file.more())) throw fault(file, record, 'is damaged: no record begins where one should')
  }
}

/** Undefined at the end of the file. */
async function nextHead(file: Pulled, record: number): Promise<Head | undefined> {
  if (file.held.length === 0) return undefined
  for (;;) {
    const { end } = endOfHead(file.held)
    if (end >= 0) {
      const { headers } = recordHead(file.held.subarray(0, end))
      const length = headers.get('Content-Length') ?? ''
      if (!/^\d{1,15}$/.test(length)) throw fault(file, record, 'has a record without a Content-Length')
      file.take(end)
      const type = headers.get('WARC-Type')?.toLowerCase() ?? ''
      return { type, url: headers.uri('WARC-Target-URI'), length: Number(length) }
    }
    if (file.held.length > LONGEST_HEAD) throw fault(file, record, 'has a record whose header does not end')
    if (!(await file.more())) throw fault(file, record, 'ends inside the header of a record')
  }
}

const ODD_STATUS = /^HTTP\/\S+ +(\d{3})/i

/** By the status and media type at the beginning of the block. */
function captured(url: string, block: Uint8Array, at: number): Found[] {
  const head = parseHttpBlock(block)
  if (head !== undefined)
    return target({
      ...{ url, at, status: String(head.status) },
      mediaType: mediaTypeOf(head.headers).type,
    })
  // A status that no server may send is still one that was not successful.
  const [, status] = ODD_STATUS.exec(Buffer.from(block.subarray(0, 100)).toString('latin1')) ?? []
  return target({ url, at, status, mediaType: undefined })
}
