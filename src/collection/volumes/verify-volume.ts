/**
 * Reads every record of a volume again and checks gzip's CRC, lengths, both digests, and that each request is next to its
 * answer. One record in memory at a time. Faults are reported with their offset, and reading goes on after them.
 */
import { turn } from '../../base/clock.ts'
import { sha1 } from '../../base/digest.ts'
import type { Disk } from '../../base/disk.ts'
import { parseHttpBlock } from '../../web/warc/http-block.ts'
import { parseIsoInstant } from '../../web/warc/instant-text.ts'
import { bytesOf, MemberReader, parseRecord, type WarcRecord } from '../../web/warc/reader.ts'
import { isNotModified } from '../../web/warc/record.ts'

/** A response or revisit in the volume, to compare with index and catalogue. */
export type FoundCapture = NonNullable<ReturnType<typeof captureOf>>

const RECORDS_PER_TURN = 200

/** Yields faults as they are found; returns the totals. Reading waits for `see`. */
export async function* verifyVolume(disk: Disk, path: string, see?: (found: FoundCapture) => void | Promise<void>) {
  const source = bytesOf(disk, path)
  const reader = new MemberReader(source)
  /** The last one: a request names its answer, which is just before it. */
  let answer: string | undefined
  const totals = { records: 0, captures: 0, bytes: source.size, problems: 0 }
  const fault = (offset: number, what: string) => {
    totals.problems++
    return { offset, what }
  }
  for (let count = 1; ; count++) {
    const member = reader.next()
    if (member === undefined) break
    if (member.kind === 'fault') {
      yield fault(member.offset, `${member.what}: ${member.detail}`)
      if (!reader.skip()) break
      continue
    }
    const record = parseRecord(member)
    if (record.kind === 'fault') {
      yield fault(record.offset, `${record.what}: ${record.detail}`)
      continue
    }
    totals.records++
    for (const what of faultsOf(record, count === 1)) yield fault(record.offset, what)
    const of = record.headers.uri('WARC-Concurrent-To')
    if (record.headers.get('WARC-Type') === 'request' && of !== undefined && of !== answer)
      yield fault(record.offset, 'request without its answer before it')
    const found = captureOf(record)
    if (found !== undefined) {
      totals.captures++
      answer = record.headers.uri('WARC-Record-ID')
      await see?.(found)
    }
    if (count % RECORDS_PER_TURN === 0) await turn()
  }
  return totals
}

const MUST_HAVE = ['WARC-Type', 'WARC-Record-ID', 'WARC-Date', 'Content-Length']

function* faultsOf(record: WarcRecord, isFirst: boolean): Generator<string> {
  for (const name of MUST_HAVE) if (record.headers.get(name) === undefined) yield `no ${name}`
  if (parseIsoInstant(record.headers.get('WARC-Date') ?? '') === undefined) yield 'WARC-Date is not a date'
  const blockDigest = record.headers.get('WARC-Block-Digest')
  if (differs(blockDigest, record.block)) yield `block digest is not ${blockDigest}`
  const type = record.headers.get('WARC-Type')
  if (isFirst && type !== 'warcinfo') yield 'the volume does not begin with warcinfo'
  if (type === 'revisit') {
    const refers = ['WARC-Refers-To-Target-URI', 'WARC-Refers-To-Date', 'WARC-Payload-Digest']
    for (const name of refers) if (record.headers.get(name) === undefined) yield `revisit without ${name}`
  }
  if (type !== 'response') return
  const http = parseHttpBlock(record.block)
  if (http === undefined) {
    yield 'response is not an HTTP response'
    return
  }
  const payloadDigest = record.headers.get('WARC-Payload-Digest')
  if (differs(payloadDigest, http.payload)) yield `payload digest is not ${payloadDigest}`
}

/** Digests of other kinds (other algorithms, hexadecimal) are not checked. */
function differs(digest: string | undefined, bytes: Uint8Array): boolean {
  if (digest === undefined || !/^sha1:[A-Z2-7]{32}$/.test(digest)) return false
  return sha1(bytes) !== digest
}

function captureOf(record: WarcRecord) {
  const kind = record.headers.get('WARC-Type')
  if (kind !== 'response' && kind !== 'revisit') return undefined
  const original = record.headers.uri('WARC-Refers-To-Target-URI')
  const originalAt = parseIsoInstant(record.headers.get('WARC-Refers-To-Date') ?? '')
  return {
    kind: kind as 'response' | 'revisit',
    offset: record.offset,
    length: record.length,
    url: record.headers.uri('WARC-Target-URI') ?? '',
    at: parseIsoInstant(record.headers.get('WARC-Date') ?? '') ?? 0,
    digest: record.headers.get('WARC-Payload-Digest') ?? '',
    status: isNotModified(record.headers.get('WARC-Profile'))
      ? 304
      : (parseHttpBlock(record.block.subarray(0, 64 * 1024))?.status ?? 0),
    /** The capture that a revisit refers to. */
    ...(original !== undefined && originalAt !== undefined && { original: { url: original, at: originalAt } }),
  }
}
