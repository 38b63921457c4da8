/**
 * Reads the target URIs of responses and revisits in WARC files, compressed per record, as a whole, or not at all. Only the
 * header and the first bytes of each record's block are read; the rest is skipped, so records may have any size.
 */
import { endOfHead } from '../../web/http/head.ts'
import { headerOf, parseMediaType } from '../../web/http/headers.ts'
import { parseHttpBlock } from '../../web/warc/http-block.ts'
import { recordHead } from '../../web/warc/reader.ts'
import { target } from './cdx.ts'
import { type Chunks, Damaged, unfolded } from './decompress.ts'
import type { Found } from './found.ts'

const LONGEST_HEAD = 256 * 1024
/** Of a block: enough for the status line and, in most responses, the media type. */
const PEEKED = 8 * 1024

const CR = 0x0d
const LF = 0x0a

export async function* capturedUrls(chunks: Chunks): AsyncGenerator<readonly Found[]> {
  const scanner = new WarcScanner()
  let isEmpty = true
  for await (const chunk of unfolded(chunks)) {
    isEmpty &&= chunk.length === 0
    const { found, damage } = scanner.push(chunk)
    if (found.length > 0) yield found
    if (damage !== undefined) throw damage
  }
  if (isEmpty) yield [{ kind: 'note', what: 'it is empty' }]
  const found = scanner.end()
  if (found.length > 0) yield found
  if (scanner.damage !== undefined) throw scanner.damage
}

interface Head {
  type: string
  url: string | undefined
  length: number
}

/** Takes bytes in pieces and returns the URLs of the records that they complete. */
export class WarcScanner {
  #held: Uint8Array = new Uint8Array(0)
  #head: Head | undefined
  /** Bytes of the block still to be skipped. */
  #skip = 0
  /** Where `#held` begins in the decompressed file. */
  #at = 0
  #records = 0
  damage: Damaged | undefined

  push(chunk: Uint8Array): { found: Found[]; damage?: Damaged } {
    const found: Found[] = []
    if (this.#held.length === 0 && this.#skip >= chunk.length) {
      this.#skip -= chunk.length
      this.#at += chunk.length
      return { found }
    }
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    while (this.damage === undefined && this.#step(found, false)) {}
    // A copy, so that a few bytes do not keep a whole chunk in memory.
    this.#held = new Uint8Array(this.#held)
    return this.damage === undefined ? { found } : { found, damage: this.damage }
  }

  /** Finishes the last record; a file that ends inside a record is damaged. */
  end(): Found[] {
    const found: Found[] = []
    while (this.damage === undefined && this.#step(found, true)) {}
    if (this.damage !== undefined) return found
    if (this.#head !== undefined || this.#skip > 0) this.damage = new Damaged(`ends inside record ${this.#records}`)
    else if (this.#held.length > 0) this.#fault('ends inside the header of a record')
    return found
  }

  #fault(what: string): void {
    this.damage = new Damaged(`${what} (record ${this.#records + 1}, byte ${this.#at} of its decompressed text)`)
  }

  #take(length: number): Uint8Array {
    const taken = this.#held.subarray(0, length)
    this.#held = this.#held.subarray(length)
    this.#at += taken.length
    return taken
  }

  /** One step; false when more bytes are needed. */
  #step(found: Found[], isEnd: boolean): boolean {
    if (this.#skip > 0) {
      if (this.#held.length === 0) return false
      this.#skip -= this.#take(this.#skip).length
      return true
    }
    if (this.#head !== undefined) return this.#block(this.#head, found, isEnd)
    return this.#nextHead()
  }

  #nextHead(): boolean {
    let blank = 0
    while (this.#held[blank] === CR || this.#held[blank] === LF) blank++
    this.#take(blank)
    if (this.#held.length === 0) return false
    const begin = Buffer.from(this.#held.subarray(0, 5)).toString('latin1')
    if (!'WARC/'.startsWith(begin)) {
      this.#fault(this.#records === 0 ? 'is not a WARC file' : 'is damaged: no record begins where one should')
      return false
    }
    const { end } = endOfHead(this.#held)
    if (end < 0) {
      if (this.#held.length > LONGEST_HEAD) this.#fault('has a record whose header does not end')
      return false
    }
    const head = readHead(this.#held.subarray(0, end))
    if (head === undefined) {
      this.#fault('has a record without a Content-Length')
      return false
    }
    this.#take(end)
    this.#records++
    this.#head = head
    return true
  }

  /** Reads status and media type from the beginning of the block. */
  #block({ type, url, length }: Head, found: Found[], isEnd: boolean): boolean {
    const wanted = url === undefined || !(type === 'response' || type === 'revisit') ? 0 : Math.min(length, PEEKED)
    if (this.#held.length < wanted && !isEnd) return false
    if (wanted > 0 || (url !== undefined && type === 'revisit' && length === 0)) {
      const block = this.#held.subarray(0, wanted)
      const head = parseHttpBlock(block)
      // A status that no server may send is still one that was not successful.
      const status =
        head === undefined
          ? ODD_STATUS.exec(Buffer.from(block.subarray(0, 100)).toString('latin1'))?.[1]
          : String(head.status)
      const mediaType = head && parseMediaType(headerOf(head.headers, 'content-type')).type
      found.push(...target({ url: url ?? '', status, mediaType, at: this.#records }))
    }
    this.#head = undefined
    this.#skip = length
    return true
  }
}

const ODD_STATUS = /^HTTP\/\S+ +(\d{3})/i

function readHead(bytes: Uint8Array): Head | undefined {
  const { headers } = recordHead(bytes)
  const length = headers.get('Content-Length')
  if (length === undefined || !/^\d{1,15}$/.test(length)) return undefined
  return {
    type: headers.get('WARC-Type')?.toLowerCase() ?? '',
    url: headers.uri('WARC-Target-URI'),
    length: Number(length),
  }
}
