/** Reads a capture from its volume. */
import type { Instant } from '../../base/clock.ts'
import { type HttpBlock, parseHttpBlock } from '../../web/warc/http-block.ts'
import { parseIsoInstant } from '../../web/warc/instant-text.ts'
import { MEMBER_LIMITS, parseRecord, readMember, type WarcHeaders } from '../../web/warc/reader.ts'
import type { ReadLocation, RecordLocation } from './local-volumes.ts'

export interface ReadCapture {
  kind: 'capture'
  warcHeaders: WarcHeaders
  /** The head of this capture, even if its body comes from an earlier one; of a 304, that of the earlier one. */
  http: HttpBlock
  /** Without transfer coding, with content coding. */
  body: Uint8Array
  /** Of a revisit: where the body is from. */
  original?: { url: string; at: Instant }
}

export interface Unreadable {
  kind: 'unreadable'
  why: string
}

/** The location of the capture of `url` at `at` that is not a revisit. */
export type FindOriginal = (
  url: string,
  at: Instant,
) => RecordLocation | undefined | Promise<RecordLocation | undefined>

export async function readCapture(
  volumes: ReadLocation,
  location: RecordLocation,
  findOriginal: FindOriginal,
): Promise<ReadCapture | Unreadable> {
  const read = await readHere(volumes, location)
  if (read.kind === 'unreadable') return read
  if (read.warcHeaders.get('WARC-Type') !== 'revisit') return withHead(read, location)
  const url = read.warcHeaders.uri('WARC-Refers-To-Target-URI')
  const at = parseIsoInstant(read.warcHeaders.get('WARC-Refers-To-Date') ?? '')
  if (url === undefined || at === undefined) return unreadable(location, 'is a revisit that refers to nothing')
  const originalLocation = await findOriginal(url, at)
  if (originalLocation === undefined)
    return unreadable(location, `repeats ${url}, whose capture is not in the collection`)
  const originalRead = await readHere(volumes, originalLocation)
  const original = originalRead.kind === 'unreadable' ? originalRead : withHead(originalRead, originalLocation)
  if (original.kind === 'unreadable') return original
  if (original.warcHeaders.get('WARC-Type') !== 'response') {
    return unreadable(originalLocation, 'is the original of a revisit, but not a response')
  }
  const [digest, expected] = [original, read].map(({ warcHeaders }) => warcHeaders.get('WARC-Payload-Digest'))
  if (digest !== expected) return unreadable(originalLocation, 'does not have the payload that a revisit says it has')
  // A 304 has no head in its record, and one of another program's does not say what the body is.
  const http = read.http === undefined || read.http.status === 304 ? original.http : read.http
  return { ...read, http, body: original.body, original: { url, at } }
}

type Read = Omit<ReadCapture, 'http'> & { http: HttpBlock | undefined }

function withHead(read: Read, location: RecordLocation): ReadCapture | Unreadable {
  const { http } = read
  return http === undefined ? unreadable(location, 'is not an HTTP response') : { ...read, http }
}

async function readHere(volumes: ReadLocation, location: RecordLocation): Promise<Read | Unreadable> {
  if (location.length > MEMBER_LIMITS.packed) return unreadable(location, 'is longer than any record')
  const found = await volumes(location)
  if (found.kind === 'absent') return unreadable(location, found.why)
  const member = readMember(found.bytes, location.offset)
  if (member.kind === 'fault') return unreadable(location, member.detail)
  const record = parseRecord(member)
  if (record.kind === 'fault') return unreadable(location, record.detail)
  const http = parseHttpBlock(record.block)
  if (http === undefined && record.block.length > 0) return unreadable(location, 'is not an HTTP response')
  return { kind: 'capture', warcHeaders: record.headers, http, body: http?.payload ?? record.block }
}

function unreadable(location: RecordLocation, why: string): Unreadable {
  return { kind: 'unreadable', why: `${location.volume} at ${location.offset}: ${why}` }
}
