/** What was captured, read back from its volume. */
import type { Instant } from '../../base/clock.ts'
import { type HttpBlock, parseHttpBlock } from '../../web/warc/http-block.ts'
import { parseIsoInstant } from '../../web/warc/instant-text.ts'
import { MEMBER_LIMITS, readMember } from '../../web/warc/member-reader.ts'
import { parseRecord, type WarcHeaders } from '../../web/warc/reader.ts'
import type { Place, ReadPlace } from './local-volumes.ts'

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
  volumes: ReadPlace,
  place: Place,
  findOriginal: FindOriginal,
): Promise<ReadCapture | Unreadable> {
  const read = await readHere(volumes, place)
  if (read.kind === 'unreadable' || read.warcHeaders.get('WARC-Type') !== 'revisit') return read
  const url = read.warcHeaders.uri('WARC-Refers-To-Target-URI')
  const at = parseIsoInstant(read.warcHeaders.get('WARC-Refers-To-Date') ?? '')
  if (url === undefined || at === undefined) return unreadable(place, 'is a revisit that refers to nothing')
  const originalPlace = await findOriginal(url, at)
  if (originalPlace === undefined) return unreadable(place, `repeats ${url}, whose capture is not in the collection`)
  const original = await readHere(volumes, originalPlace)
  if (original.kind === 'unreadable') return original
  if (original.warcHeaders.get('WARC-Type') !== 'response') {
    return unreadable(originalPlace, 'is the original of a revisit, but no response')
  }
  const [digest, expected] = [original, read].map(({ warcHeaders }) => warcHeaders.get('WARC-Payload-Digest'))
  if (digest !== expected) return unreadable(originalPlace, 'does not have the payload that a revisit says it has')
  return { ...read, body: original.body, original: { url, at } }
}

async function readHere(volumes: ReadPlace, place: Place): Promise<ReadCapture | Unreadable> {
  if (place.length > MEMBER_LIMITS.packed) return unreadable(place, 'is longer than any record')
  const found = await volumes(place)
  if (found.kind === 'absent') return unreadable(place, found.why)
  const member = readMember(found.bytes, place.offset)
  if (member.kind === 'fault') return unreadable(place, member.detail)
  const record = parseRecord(member)
  if (record.kind === 'fault') return unreadable(place, record.detail)
  const http = parseHttpBlock(record.block)
  if (http === undefined) return unreadable(place, 'holds no answer of HTTP')
  return { kind: 'capture', warcHeaders: record.headers, http, body: http.payload }
}

function unreadable(place: Place, why: string): Unreadable {
  return { kind: 'unreadable', why: `${place.volume} at ${place.offset}: ${why}` }
}
