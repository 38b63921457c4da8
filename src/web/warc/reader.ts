/** Records of a volume, read one by one. Lengths and names in them are checked, never trusted. */
import { type ByteSource, type Fault, type Member, type MemberLimits, MemberReader } from './member-reader.ts'

export interface WarcRecord {
  kind: 'record'
  /** Where the gzip member lies in the file. */
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
  /** Length of the member that is whole but holds no record. */
  length: number
  what: 'no record'
  detail: string
}

/** Header lines in order; names compare without regard to case. */
export class WarcHeaders {
  readonly lines: readonly (readonly [name: string, value: string])[]

  constructor(lines: readonly (readonly [string, string])[]) {
    this.lines = lines
  }

  get(name: string): string | undefined {
    const wanted = name.toLowerCase()
    for (const [own, value] of this.lines) if (own.toLowerCase() === wanted) return value
    return undefined
  }

  all(name: string): string[] {
    const wanted = name.toLowerCase()
    return this.lines.filter(([own]) => own.toLowerCase() === wanted).map(([, value]) => value)
  }

  /** A URI field, without the angle brackets that some writers put around it. */
  uri(name: string): string | undefined {
    const value = this.get(name)
    return value?.startsWith('<') && value.endsWith('>') ? value.slice(1, -1) : value
  }
}

/** Every record from `from` on. A fault of the file ends it; a member that holds no record does not. */
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
  const headEnd = endOfHead(bytes)
  if (headEnd < 0) return wrong('the head of the record does not end')
  const head = parseHead(decoder.decode(bytes.subarray(0, headEnd)))
  if (head === undefined) return wrong('does not begin with WARC/1.x')
  const declared = head.headers.get('Content-Length')
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
  return { kind: 'record', offset, length, version: head.version, headers: head.headers, block }
}

function parseHead(text: string): { version: string; headers: WarcHeaders } | undefined {
  const lines = text.split('\r\n')
  const version = /^WARC\/(\d+\.\d+)$/.exec(lines[0])?.[1]
  if (version === undefined) return undefined
  const headers: [string, string][] = []
  for (const line of lines.slice(1)) {
    if (line === '') continue
    const folded = (line[0] === ' ' || line[0] === '\t') && headers.length > 0
    if (folded) {
      headers[headers.length - 1][1] += ' ' + line.trim()
      continue
    }
    const colon = line.indexOf(':')
    if (colon > 0) headers.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()])
  }
  return { version, headers: new WarcHeaders(headers) }
}

/** Behind the first empty line, or -1. */
function endOfHead(bytes: Uint8Array): number {
  const limit = Math.min(bytes.length, LONGEST_HEAD) - 3
  for (let at = bytes.indexOf(13); at >= 0 && at < limit; at = bytes.indexOf(13, at + 1)) {
    if (bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at + 4
  }
  return -1
}
