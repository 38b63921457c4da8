/** Heads of WARC 1.1 records. Every value passes `clean`, so no server's header can end its line and begin another. */
import type { Instant } from '../../base/clock.ts'
import { hash64 } from '../../base/digest.ts'
import type { Random } from '../../base/random.ts'
import { isoInstant } from './instant-text.ts'

export type Truncation = 'length' | 'time' | 'disconnect' | 'unspecified'

/** What the records of one exchange share. */
export interface RecordOfExchange {
  /** `urn:uuid:…` without angle brackets. */
  id: string
  /** When the request was sent: the same in request and response; a revisit refers to it. */
  at: Instant
  url: string
  ip: string
  /** The other record of the same exchange. */
  concurrentTo?: string
  /** `http/1.1`, `tls/1.3`: one header line each. */
  protocols: readonly string[]
  blockDigest: string
  /** Length of the block in bytes. */
  length: number
}

export interface ResponseRecord extends RecordOfExchange {
  payloadDigest: string
  truncated?: Truncation
  /** What was wrong with the server's certificate, as in crawl.log. */
  certificate?: string
}

export interface RevisitRecord extends ResponseRecord {
  profile: RevisitProfile
  original: { url: string; at: Instant }
}

export interface WarcInfo {
  /** `orbweaver/0.1.0` */
  software: string
  userAgent: string
  /** How robots.txt was treated: `obey`. */
  robots: string
  /** Who is responsible for the crawl: a URL or a mail address. */
  operator?: string
  description?: string
}

/** The end of each record, after its block. */
export const RECORD_END: Uint8Array = new TextEncoder().encode('\r\n\r\n')

/** Whether a record says that the server answered 304. */
export function isNotModified(profile: string | undefined): boolean {
  return profile?.endsWith('/revisit/server-not-modified') === true
}

const REVISIT_PROFILES = 'http://netpreserve.org/warc/1.1/revisit/'
export type RevisitProfile = 'identical-payload-digest' | 'server-not-modified'

export function requestHead(record: RecordOfExchange): string {
  return begin('request', record) + end('application/http;msgtype=request', record)
}

export function responseHead(record: ResponseRecord): string {
  return begin('response', record) + payloadLines(record) + end('application/http;msgtype=response', record)
}

/** A revisit: its block is the head of the answer alone (of a 304 it is empty), its payload is in an earlier record. */
export function revisitHead(record: RevisitRecord): string {
  return (
    begin('revisit', record) +
    payloadLines(record) +
    `WARC-Profile: ${REVISIT_PROFILES}${record.profile}\r\n` +
    `WARC-Refers-To-Target-URI: ${cleanUri(record.original.url)}\r\n` +
    `WARC-Refers-To-Date: ${isoInstant(record.original.at)}\r\n` +
    end('application/http;msgtype=response', record)
  )
}

export function warcinfoHead(record: {
  id: string
  at: Instant
  filename: string
  blockDigest: string
  length: number
}): string {
  return (
    `WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <${record.id}>\r\nWARC-Date: ${isoInstant(record.at)}\r\n` +
    `WARC-Filename: ${clean(record.filename)}\r\n` +
    end('application/warc-fields', record)
  )
}

/** The block of a warcinfo record: who made the volume, how, and who is responsible. */
export function warcinfoBlock(info: WarcInfo, hostname: string): string {
  const fields: [string, string | undefined][] = [
    ['software', info.software],
    ['format', 'WARC File Format 1.1'],
    ['conformsTo', 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/'],
    ['hostname', hostname],
    ['operator', info.operator],
    ['description', info.description],
    ['robots', info.robots],
    ['http-header-user-agent', info.userAgent],
  ]
  return fields.map(([name, value]) => (value ? `${name}: ${clean(value)}\r\n` : '')).join('')
}

function begin(type: string, record: Omit<RecordOfExchange, 'blockDigest' | 'length'>): string {
  let head =
    `WARC/1.1\r\nWARC-Type: ${type}\r\nWARC-Record-ID: <${record.id}>\r\nWARC-Date: ${isoInstant(record.at)}\r\n` +
    `WARC-Target-URI: ${cleanUri(record.url)}\r\n`
  if (record.concurrentTo !== undefined) head += `WARC-Concurrent-To: <${record.concurrentTo}>\r\n`
  head += `WARC-IP-Address: ${clean(record.ip)}\r\n`
  for (const protocol of record.protocols) head += `WARC-Protocol: ${clean(protocol)}\r\n`
  return head
}

function payloadLines(record: ResponseRecord): string {
  const truncated = record.truncated === undefined ? '' : `WARC-Truncated: ${record.truncated}\r\n`
  // Not in the standard, which lets readers ignore unknown fields (WARC 1.1, §4).
  const fault = record.certificate === undefined ? '' : `X-Crawler-Certificate: ${clean(record.certificate)}\r\n`
  return `WARC-Payload-Digest: ${clean(record.payloadDigest)}\r\n${truncated}${fault}`
}

function end(contentType: string, record: { blockDigest: string; length: number }): string {
  return (
    `WARC-Block-Digest: ${record.blockDigest}\r\nContent-Type: ${contentType}\r\n` +
    `Content-Length: ${record.length}\r\n\r\n`
  )
}

const CONTROL = /[\x00-\x1f\x7f]/
const NOT_IN_URI = /[\x00-\x20\x7f]/

function clean(value: string): string {
  return CONTROL.test(value) ? value.replace(/[\x00-\x1f\x7f]+/g, ' ') : value
}

/** Nothing is dropped from a URL: illegal characters are escaped, as a browser would have sent them. */
function cleanUri(url: string): string {
  if (!NOT_IN_URI.test(url)) return url
  return url.replace(/[\x00-\x20\x7f]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0'))
}

/** Names of records: random UUIDs (version 4), from the given source of randomness. */

const hex32 = (n: number) => n.toString(16).padStart(8, '0')

/**
 * A seed has 32 bits, so among a hundred thousand runs two would share theirs, and with it every name: 64 bits of the
 * writer's own name (host, worker, instant) are mixed in.
 */
export function recordIds(random: Random, writer: string): () => string {
  const own = hash64(writer)
  const ownHigh = Number(own >> 32n)
  const ownLow = Number(own & 0xffffffffn)
  return () => {
    const a = hex32((random.integer(2 ** 32) ^ ownHigh) >>> 0)
    const b = hex32((((random.integer(2 ** 32) ^ ownLow) & 0xffff0fff) | 0x4000) >>> 0)
    const c = hex32(((random.integer(2 ** 32) & 0x3fffffff) | 0x80000000) >>> 0)
    const d = hex32(random.integer(2 ** 32))
    return `urn:uuid:${a}-${b.slice(0, 4)}-${b.slice(4)}-${c.slice(0, 4)}-${c.slice(4)}${d}`
  }
}
