/**
 * An incremental reader of HTTP/1.x answers: fed with a socket's pieces, it keeps the head as it came and the body without its
 * chunks, and reports when the answer is complete. It does no I/O, and how the bytes are cut makes no difference.
 *
 * States: `head` → (interim answers are skipped) → `body` → `over`.
 */
import { assert } from '../base/assert.ts'
import type { Answer, Headers, Want } from '../contracts/exchange.ts'
import type { FailureKind } from '../contracts/outcome.ts'
import { ChunkedBody } from '../web/http/chunked.ts'
import { endOfHead, type Framing, framingOf, type Head, isHttp10, keepsAlive, parseHead } from '../web/http/head.ts'
import { headerOf } from '../web/http/headers.ts'

/** Of the head, with the interim answers and empty lines before it. */
export const MAX_HEAD_BYTES = 65_536
const MAX_HEAD_LINES = 200
const MAX_INTERIM_ANSWERS = 10

const START = Buffer.from('http/')
const LF = 10
const CR = 13

export class ResponseReader {
  readonly #wants: (status: number, headers: Headers) => Want
  #state: 'head' | 'body' | 'over' = 'head'
  /** An incomplete head. */
  #pending: BodyBuffer | undefined
  /** Where in the pending bytes an unfinished line begins. */
  #lineStart = 0
  /** Bytes before this head: interim answers, empty lines. */
  #skipped = 0
  #interim = 0

  #head: Head | undefined
  #wireHead: Uint8Array | undefined
  #framing: Framing = { kind: 'none' }
  #max = 0
  #payload = new BodyBuffer()
  #chunked: ChunkedBody | undefined
  #reusable = false

  constructor(wants: (status: number, headers: Headers) => Want) {
    this.#wants = wants
  }

  /** Once the answer is over: the connection may carry another request. */
  get reusable(): boolean {
    return this.#reusable
  }

  /** Takes the next bytes, copying what it needs; returns the answer when they complete it. */
  feed(bytes: Buffer): Answer | undefined {
    assert(this.#state !== 'over', 'an answer that is over is fed')
    if (bytes.length === 0) return undefined
    return this.#state === 'head' ? this.#feedHead(bytes) : this.#feedBody(bytes, 0)
  }

  /** The server has closed the connection. */
  end(): Answer {
    assert(this.#state !== 'over', 'an answer that is over ends')
    if (this.#state === 'head') return this.#fail('reset', 'closed before the head was complete')
    if (this.#framing.kind === 'until-close' || this.#chunked?.isWhole === true) return this.#full()
    return this.interrupt('disconnect') ?? this.#fail('reset', 'closed before the body came')
  }

  /** The answer so far, if some of the body has come; the exchange is over either way. */
  interrupt(why: 'time' | 'disconnect'): Answer | undefined {
    return this.#state === 'body' && this.#payload.length > 0 ? this.#cut(why) : undefined
  }

  #feedHead(bytes: Buffer): Answer | undefined {
    let head = bytes
    if (this.#pending !== undefined) {
      this.#pending.add(bytes)
      head = this.#pending.bytes()
    }
    let start = 0
    for (;;) {
      if (this.#lineStart === start) start = this.#skipEmptyLines(head, start)
      if (!beginsRight(head, start)) return this.#fail('protocol', 'not an HTTP answer')
      const max = start + MAX_HEAD_BYTES - this.#skipped
      const { end, lineStart } = endOfHead(head, this.#lineStart, max)
      this.#lineStart = lineStart
      if (end < 0) {
        if (head.length > max) return this.#fail('head-too-large', `over ${MAX_HEAD_BYTES} bytes`)
        this.#keepPending(head, start)
        return undefined
      }
      const wireHead = Buffer.from(head.subarray(start, end))
      const parsed = parseHead(wireHead, MAX_HEAD_LINES)
      if (parsed === undefined) return this.#fail('protocol', 'malformed status line')
      if (parsed === 'too many lines') return this.#fail('head-too-large', `over ${MAX_HEAD_LINES} lines`)
      // 101 ends the exchange: we asked for no other protocol.
      if (parsed.status >= 200 || parsed.status === 101) return this.#takeHead(parsed, wireHead, head, end)
      if (++this.#interim > MAX_INTERIM_ANSWERS) return this.#fail('protocol', 'interim answers without end')
      this.#skipped += end - start
      start = end
      this.#lineStart = end
    }
  }

  /** RFC 9112 §2.2: empty lines before an answer are skipped. */
  #skipEmptyLines(head: Buffer, start: number): number {
    let at = start
    while (at < head.length && (head[at] === LF || head[at] === CR)) at++
    this.#skipped += at - start
    this.#lineStart = at
    return at
  }

  /** Copies an incomplete head. */
  #keepPending(head: Buffer, start: number): void {
    if (this.#pending !== undefined && start === 0) return
    this.#lineStart -= start
    this.#pending = new BodyBuffer()
    this.#pending.add(head.subarray(start))
  }

  #takeHead(head: Head, wireHead: Uint8Array, bytes: Buffer, bodyStart: number): Answer | undefined {
    this.#pending = undefined
    this.#head = head
    this.#wireHead = wireHead
    const want = this.#wants(head.status, head.headers)
    if (!want.download) {
      this.#state = 'over'
      return { kind: 'declined', head, wireHead, want }
    }
    this.#framing = framingOf(head)
    this.#max = want.limitBytes
    this.#state = 'body'
    switch (this.#framing.kind) {
      case 'unclear':
        return this.#fail('protocol', this.#framing.why)
      case 'none':
        return this.#full(bytes.length === bodyStart && head.status !== 101 && keepsAlive(head))
      case 'length':
        if (this.#max <= 0) return this.#cut('length')
        this.#payload.expect(Math.min(this.#framing.length, this.#max))
        break
      case 'chunked':
        this.#chunked = new ChunkedBody(this.#payload, this.#max)
    }
    return bodyStart < bytes.length ? this.#feedBody(bytes, bodyStart) : undefined
  }

  #feedBody(bytes: Buffer, from: number): Answer | undefined {
    if (this.#chunked !== undefined) return this.#feedChunked(this.#chunked, bytes, from)
    const length = this.#framing.kind === 'length' ? this.#framing.length : Number.POSITIVE_INFINITY
    const before = this.#payload.length
    const end = Math.min(bytes.length, from + Math.min(length, this.#max) - before)
    this.#payload.add(from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end))
    if (this.#payload.length === length) return this.#full(end === bytes.length && this.#keepsAlive())
    if (this.#payload.length < this.#max) return undefined
    // A body delimited by close is too long only when one more byte has come.
    return this.#framing.kind === 'length' || end < bytes.length ? this.#cut('length') : undefined
  }

  #feedChunked(chunked: ChunkedBody, bytes: Buffer, from: number): Answer | undefined {
    const { state, end } = chunked.feed(bytes, from)
    switch (state) {
      case 'more':
        return undefined
      case 'done':
        return this.#full(end === bytes.length && this.#keepsAlive())
      case 'limit':
        return this.#cut('length')
      case 'broken':
        return this.#fail('protocol', 'malformed chunk')
    }
  }

  /** Chunks in an HTTP/1.0 answer or beside a length are read, but the connection is not reused. */
  #keepsAlive(): boolean {
    const head = this.#head
    assert(head !== undefined, 'a body has a head')
    if (!keepsAlive(head)) return false
    return this.#chunked === undefined || !(isHttp10(head) || headerOf(head.headers, 'content-length') !== undefined)
  }

  #full(reusable = false): Answer {
    this.#reusable = reusable
    return { kind: 'full', ...this.#body() }
  }

  #cut(why: 'length' | 'time' | 'disconnect'): Answer {
    return { kind: 'cut', why, ...this.#body() }
  }

  #body() {
    assert(this.#head !== undefined && this.#wireHead !== undefined, 'a body has a head')
    this.#state = 'over'
    return { head: this.#head, wireHead: this.#wireHead, payload: this.#payload.bytes() }
  }

  #fail(kind: FailureKind, detail: string): Answer {
    this.#state = 'over'
    return { kind: 'failed', failure: { kind, detail } }
  }
}

/** Detects a stream that is not HTTP by its first letters instead of reading 64 KB of it. */
function beginsRight(bytes: Buffer, start: number): boolean {
  const length = Math.min(START.length, bytes.length - start)
  // 0x20 lowercases letters and leaves the slash.
  for (let i = 0; i < length; i++) if ((bytes[start + i] | 0x20) !== START[i]) return false
  return true
}

const FIRST = 16 * 1024
/** The most that is allocated on the strength of Content-Length alone. */
const BELIEVED = 256 * 1024
const NOTHING = Buffer.alloc(0)

/** Bytes in one growing buffer of its own. Copying costs a microsecond per page, and retains no memory of the socket. */
export class BodyBuffer {
  #bytes = NOTHING
  #expected = 0
  length = 0

  /** At most this many bytes will come. */
  expect(bytes: number): void {
    this.#expected = bytes
  }

  add(piece: Uint8Array): void {
    if (piece.length === 0) return
    const needed = this.length + piece.length
    if (needed > this.#bytes.length) this.#grow(needed)
    this.#bytes.set(piece, this.length)
    this.length = needed
  }

  bytes(): Buffer {
    return this.length === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.length)
  }

  #grow(needed: number): void {
    const twice = this.#bytes.length * 2
    const room =
      this.#expected >= needed
        ? Math.min(this.#expected, Math.max(needed, twice, BELIEVED))
        : Math.max(needed, twice, FIRST)
    const grown = Buffer.allocUnsafeSlow(room)
    grown.set(this.bytes())
    this.#bytes = grown
  }
}
