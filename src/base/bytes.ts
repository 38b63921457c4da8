/**
 * Writing and reading compact binary values: counts as varints, 64-bit keys, texts with their length. What is written is returned, so
 * that one description of a layout can serve for both directions.
 */
import { assert } from './assert.ts'

const encoder = new TextEncoder()

/** A larger buffer is replaced by a small one when the writer is cleared. */
const MAX_KEPT = 1024 * 1024
/** Letters. The length of most texts, in bytes, fits one byte of varint, whatever the letters are. */
const LONGEST_SHORT = 42

export class ByteWriter {
  #bytes: Uint8Array
  #view: DataView
  #at = 0

  constructor(expected = 256) {
    this.#bytes = new Uint8Array(expected)
    this.#view = new DataView(this.#bytes.buffer)
  }

  get length(): number {
    return this.#at
  }

  /** Keeps the buffer: making one costs more than filling it. */
  clear(): void {
    this.#at = 0
    if (this.#bytes.length <= MAX_KEPT) return
    this.#bytes = new Uint8Array(MAX_KEPT / 16)
    this.#view = new DataView(this.#bytes.buffer)
  }

  byte(value: number): number {
    this.#room(1)
    this.#bytes[this.#at++] = value
    return value
  }

  /** A whole number ≥ 0 up to 2^53 as a varint. */
  count(value: number): number {
    this.#room(8)
    // Most are small whole numbers; -0, fractions and negative ones are not among these.
    if (value >>> 0 === value && value < 0x80) return (this.#bytes[this.#at++] = value)
    assert(Number.isSafeInteger(value) && value >= 0, `count ${value}`)
    let left = value
    for (; left >= 0x80; left = Math.floor(left / 0x80)) this.#bytes[this.#at++] = (left % 0x80) | 0x80
    this.#bytes[this.#at++] = left
    return value
  }

  number(value: number): number {
    this.#room(8)
    this.#view.setFloat64(this.#at, value, true)
    this.#at += 8
    return value
  }

  u32(value: number): void {
    this.#room(4)
    this.#view.setUint32(this.#at, value, true)
    this.#at += 4
  }

  u64(value: bigint): bigint {
    this.#room(8)
    this.#view.setBigUint64(this.#at, value, true)
    this.#at += 8
    return value
  }

  text(value: string): void {
    this.#room(8 + value.length * 3)
    if (value.length > LONGEST_SHORT) {
      this.blob(encoder.encode(value))
      return
    }
    const { written } = encoder.encodeInto(value, this.#bytes.subarray(this.#at + 1))
    this.#bytes[this.#at] = written
    this.#at += 1 + written
  }

  blob(value: Uint8Array): Uint8Array {
    this.count(value.length)
    this.#room(value.length)
    this.#bytes.set(value, this.#at)
    this.#at += value.length
    return value
  }

  copyTo(target: Uint8Array, at: number): void {
    target.set(this.#bytes.subarray(0, this.#at), at)
  }

  /** A copy: what is written afterwards does not change it. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#at)
  }

  #room(more: number): void {
    if (this.#at + more <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + more))
    grown.set(this.#bytes)
    this.#bytes = grown
    this.#view = new DataView(grown.buffer)
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Of a text that somebody wrote: UTF-8, unless it begins with the byte order mark of UTF-16 (PowerShell writes it). */
export function encodingOf(start: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : 'utf-8'
}

export class ByteReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  byte(): number {
    this.#need(1)
    return this.#bytes[this.#at++]
  }

  count(): number {
    let value = 0
    for (let factor = 1; factor <= 2 ** 49; factor *= 0x80) {
      const byte = this.byte()
      value += (byte & 0x7f) * factor
      if (byte < 0x80 && value <= Number.MAX_SAFE_INTEGER) return value
    }
    throw new RangeError('count out of range')
  }

  number(): number {
    this.#need(8)
    const value = this.#view.getFloat64(this.#at, true)
    this.#at += 8
    return value
  }

  u32(): number {
    this.#need(4)
    const value = this.#view.getUint32(this.#at, true)
    this.#at += 4
    return value
  }

  u64(): bigint {
    this.#need(8)
    const value = this.#view.getBigUint64(this.#at, true)
    this.#at += 8
    return value
  }

  text(): string {
    return decoder.decode(this.blob())
  }

  blob(): Uint8Array {
    const length = this.count()
    this.#need(length)
    const value = this.#bytes.subarray(this.#at, this.#at + length)
    this.#at += length
    return value
  }

  #need(length: number): void {
    if (this.#at + length > this.#bytes.length) throw new RangeError('bytes end too early')
  }
}

/** The encoding that a text's first bytes name. */
export function byteOrderMark(bytes: Uint8Array): 'utf-8' | 'utf-16be' | 'utf-16le' | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return undefined
}
