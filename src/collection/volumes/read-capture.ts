/** What was captured, read back from its volume. */
import type { Instant } from '../../base/clock.ts'
import { type HttpBlock, parseHttpBlock } from '../../web/warc/http-block.ts'
import { parseIsoInstant } from '../../web/warc/instant-text.ts'
import { MEMBER_LIMITS, parseRecord, readMember, type WarcHeaders } from '../../web/warc/reader.ts'
import type { Place, ReadLocation } from './local-volumes.ts'

export interface ReadCapture {
  kind: 'capture'
  warcHeaders: WarcHeaders
  /** The head of this capture, also when its body comes from an earlier one. */
  http: HttpBlock
  /** The body without transfer coding; content coding is still on it. */
  body: Uint8Array
  /** Set when it is a revisit: where the body was taken from. */
  original?: { url: string; at: Instant }
}

export interface Unreadable {
  kind: 'unreadable'
  why: string
}

/** The place of the capture of `url` at `at` that is no revisit itself. */
export type FindOriginal = (url: string, at: Instant) => Place | undefined | Promise<Place | undefined>

export async function readCapture(
  volumes: ReadLocation,
  location: Place,
  findOriginal: FindOriginal,
): Promise<ReadCapture | Unreadable> {
  const read = await readHere(volumes, location)
  if (read.kind === 'unreadable' || read.warcHeaders.get('WARC-Type') !== 'revisit') return read
  const url = read.warcHeaders.uri('WARC-Refers-To-Target-URI')
  const at = parseIsoInstant(read.warcHeaders.get('WARC-Refers-To-Date') ?? '')
  if (url === undefined || at === undefined) return unreadable(location, 'is a revisit that refers to nothing')
  const originalLocation = await findOriginal(url, at)
  if (originalLocation === undefined)
    return unreadable(location, `repeats ${url}, whose capture is not in the collection`)
  const original = await readHere(volumes, originalLocation)
  if (original.kind === 'unreadable') return original
  if (original.warcHeaders.get('WARC-Type') !== 'response') {
    return unreadable(originalLocation, 'is the original of a revisit, but no response')
  }
  const [digest, expected] = [original, read].map(({ warcHeaders }) => warcHeaders.get('WARC-Payload-Digest'))
  if (digest !== expected) return unreadable(originalLocation, 'does not have the payload that a revisit says it has')
  return { ...read, body: original.body, original: { url, at } }
}

async function readHere(volumes: ReadLocation, location: Place): Promise<ReadCapture | Unreadable> {
  if (location.length > MEMBER_LIMITS.packed) return unreadable(location, 'is longer than any record')
  const found = await volumes(location)
  if (found.kind === 'absent') return unreadable(location, found.why)
  const member = readMember(found.bytes, location.offset)
  if (member.kind === 'fault') return unreadable(location, member.detail)
  const record = parseRecord(member)
  if (record.kind === 'fault') return unreadable(location, record.detail)
  const http = parseHttpBlock(record.block)
  if (http === undefined) return unreadable(location, 'holds no answer of HTTP')
  return { kind: 'capture', warcHeaders: record.headers, http, body: http.payload }
}

function unreadable(location: Place, why: string): Unreadable {
  return { kind: 'unreadable', why: `${location.volume} at ${location.offset}: ${why}` }
}
