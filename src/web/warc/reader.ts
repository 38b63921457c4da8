/** Reads the records of a volume one by one. Lengths and names in them are checked, never trusted. */
import type { Disk } from '../../base/disk.ts'
import { gzipHeader, readGzipMember } from '../deflate/inflate.ts'
import { endOfHead, headerLines } from '../http/head.ts'
import { type HeaderLines, headerOf, headersOf } from '../http/headers.ts'

export interface WarcRecord {
  kind: 'record'
  /** Where the gzip member is in the file. */
  offset: number
  length: number
  /** `1.1` */
  version: string
  headers: WarcHeaders
  block: Uint8Array
}

export interface NotARecord {
  kind: 'fault'
  offset: number
  /** Length of a complete member that holds no record. */
  length: number
  what: 'no record'
  detail: string
}

/** Header lines in order; names compare without case. */
export class WarcHeaders {
  readonly lines: HeaderLines

  constructor(lines: HeaderLines) {
    this.lines = lines
  }

  get(name: string): string | undefined {
    return headerOf(this.lines, name)
  }

  all(name: string): string[] {
    return headersOf(this.lines, name)
  }

  /** A URI field, without the angle brackets that some writers put around it. */
  uri(name: string): string | undefined {
    const value = this.get(name)
    return value?.startsWith('<') && value.endsWith('>') ? value.slice(1, -1) : value
  }
}

/** Every record from `from` on. A fault of the file ends it; a member without a record does not. */
export function* records(
  source: ByteSource,
  from = 0,
  limits?: MemberLimits,
): Generator<WarcRecord | NotARecord | Fault, void> {
  const reader = new MemberReader(source, from, limits)
  for (;;) {
    const member = reader.next()
    if (member === undefined) return
    if (member.kind === 'fault') {
      yield member
      return
    }
    yield parseRecord(member)
  }
}

const LONGEST_HEAD = 256 * 1024
const decoder = new TextDecoder()

/** The one record in a member. */
export function parseRecord(member: Pick<Member, 'offset' | 'length' | 'bytes'>): WarcRecord | NotARecord {
  const { offset, length, bytes } = member
  const wrong = (detail: string): NotARecord => ({ kind: 'fault', offset, length, what: 'no record', detail })
  const { end: headEnd } = endOfHead(bytes, 0, LONGEST_HEAD)
  if (headEnd < 0) return wrong('the head of the record does not end')
  const { version, headers } = recordHead(bytes.subarray(0, headEnd))
  if (version === undefined) return wrong('does not begin with WARC/1.x')
  const declared = headers.get('Content-Length')
  if (declared === undefined || !/^\d{1,15}$/.test(declared)) return wrong('no Content-Length')
  const blockEnd = headEnd + Number(declared)
  if (blockEnd > bytes.length) {
    return wrong(`Content-Length ${declared}, but the block has ${bytes.length - headEnd} bytes`)
  }
  const tail = bytes.subarray(blockEnd)
  if (tail.length !== 4 || tail[0] !== 13 || tail[1] !== 10 || tail[2] !== 13 || tail[3] !== 10) {
    return wrong('the block is not followed by two empty lines and the end of the member')
  }
  const block = bytes.subarray(headEnd, blockEnd)
  return { kind: 'record', offset, length, version, headers, block }
}

/** The named fields are UTF-8 (WARC 1.1, §4), else written as in HTTP. */
export function recordHead(bytes: Uint8Array): { version: string | undefined; headers: WarcHeaders } {
  const lines = decoder.decode(bytes).split('\n')
  return { version: /^WARC\/(\d+\.\d+)\r?$/.exec(lines[0])?.[1], headers: new WarcHeaders(headerLines(lines)) }
}

/**
 * Reads the gzip members of a volume one after the other. Nothing in the file is trusted: a member counts only if its
 * stream ends and its CRC and size agree. Zeros, a torn tail and flipped bits are faults with an offset.
 */

export interface ByteSource {
  readonly size: number
  /** Up to `length` bytes from `offset`; fewer at the end. */
  read(offset: number, length: number): Uint8Array
}

export interface Member {
  kind: 'member'
  offset: number
  /** Compressed length, header and trailer included. */
  length: number
  bytes: Uint8Array
}

export interface Fault {
  kind: 'fault'
  offset: number
  /** `torn`: the file ends inside the member. `damaged`: this is not a member. `too large`: over the limits. */
  what: 'torn' | 'damaged' | 'too large'
  detail: string
}

export interface MemberLimits {
  /** Compressed bytes of one member. */
  packed: number
  /** Bytes that it may inflate to. */
  unpacked: number
}

export const MEMBER_LIMITS: MemberLimits = { packed: 256 * 2 ** 20, unpacked: 512 * 2 ** 20 }

const WINDOW = 1024 * 1024

export function bytesOf(disk: Disk, path: string): ByteSource {
  return { size: disk.size(path) ?? 0, read: (offset, length) => disk.read(path, offset, length) }
}

/** A position in a volume that moves from member to member over a window of bytes, each read once. */
export class MemberReader {
  readonly #source: ByteSource
  readonly #limits: MemberLimits
  #window: Uint8Array = new Uint8Array(0)
  #windowAt = 0
  #offset: number

  constructor(source: ByteSource, from = 0, limits: MemberLimits = MEMBER_LIMITS) {
    this.#source = source
    this.#offset = from
    this.#limits = limits
  }

  get offset(): number {
    return this.#offset
  }

  /** The member at this position, which moves behind it; a fault leaves the position. Undefined at the end. */
  next(): Member | Fault | undefined {
    const rest = this.#source.size - this.#offset
    if (rest <= 0) return undefined
    // A member larger than the window is inflated again from its start with twice as much: at most twice the work.
    for (let length = WINDOW; ; length *= 2) {
      const wanted = Math.min(length, rest, this.#limits.packed)
      const bytes = this.#bytes(wanted, length > WINDOW)
      const read = readMember(bytes, this.#offset, this.#limits.unpacked)
      if (read.kind === 'member') this.#offset += read.length
      if (read.kind !== 'fault' || read.what !== 'torn' || bytes.length >= rest) return read
      if (bytes.length >= this.#limits.packed) {
        return { kind: 'fault', offset: this.#offset, what: 'too large', detail: `over ${bytes.length} bytes` }
      }
      // The first attempt may have seen only the rest of the window; a fresh read that is short is the end of the file.
      if (length > WINDOW && bytes.length < wanted) return read
    }
  }

  /** After a fault, moves to the next position that looks like the beginning of a member; false when there is none. */
  skip(): boolean {
    for (let from = this.#offset + 1; from < this.#source.size; ) {
      this.#offset = from
      const bytes = this.#bytes(Math.min(WINDOW, this.#source.size - from), false)
      const found = findHeader(bytes)
      if (found >= 0) {
        this.#offset = from + found
        return true
      }
      if (bytes.length <= 3) break
      from += bytes.length - 3
    }
    this.#offset = this.#source.size
    return false
  }

  /** `all`: read anew instead of using the rest of the window. */
  #bytes(length: number, all: boolean): Uint8Array {
    const at = this.#offset - this.#windowAt
    const rest = this.#source.size - this.#offset
    // The next member would not fit into a nearly used window: less than half of it is not worth trying.
    const enough = Math.min(length, rest, all ? length : WINDOW / 2)
    if (at < 0 || at + enough > this.#window.length) {
      this.#window = this.#source.read(this.#offset, length)
      this.#windowAt = this.#offset
      return this.#window
    }
    return this.#window.subarray(at, Math.min(this.#window.length, at + length))
  }
}

const WHAT = { early: 'torn', damaged: 'damaged', full: 'too large' } as const

/** The member at the start of `bytes`; `torn` when they end before it does. */
export function readMember(bytes: Uint8Array, offset: number, unpackedLimit = MEMBER_LIMITS.unpacked): Member | Fault {
  const read = readGzipMember(bytes, 0, unpackedLimit)
  if (read.end === 'whole') return { kind: 'member', offset, length: read.next, bytes: read.bytes! }
  const isHole = bytes.subarray(0, 10).every((byte) => byte === 0)
  const detail = isHole ? 'a hole of zeros where a member should begin' : read.detail
  return { kind: 'fault', offset, what: WHAT[read.end], detail }
}

function findHeader(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(0x1f); at >= 0; at = bytes.indexOf(0x1f, at + 1)) {
    if (at + 3 < bytes.length && gzipHeader(bytes, at) !== 'damaged') return at
  }
  return -1
}
