/** The charset that bytes look like, when nobody says. */
import { analyse } from 'chardet'
import type { EncodingOf } from './meta-prescan.ts'

/** Enough for statistics of letters; chardet takes about 1 ms for it. */
const SAMPLE_BYTES = 4 * 1024
/** Of 100. Under this chardet only says that nothing speaks against it. */
const LEAST_CONFIDENCE = 20
/** How much of the page the sample is drawn from: mark-up is left out of it. */
const SEARCHED_BYTES = 64 * 1024
/** ASCII before the first other byte tells nothing, but letters around it do. */
const CONTEXT_BYTES = 64

const LESS = 0x3c
const GREATER = 0x3e

export function detectCharset(bytes: Uint8Array, encodingOf: EncodingOf): string | undefined {
  for (const { name, confidence } of analyse(sampleOf(bytes))) {
    if (confidence < LEAST_CONFIDENCE) continue
    // UTF-32 and the like are known to chardet and not to the web.
    const encoding = encodingOf(name)
    if (encoding !== undefined) return encoding
  }
  return undefined
}

/** What lies outside tags, from a little before the first byte that is not ASCII. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte >= 0x80)
  const from = Math.max(0, first - CONTEXT_BYTES)
  const to = Math.min(bytes.length, from + SEARCHED_BYTES)
  const sample = new Uint8Array(SAMPLE_BYTES)
  let length = 0
  let inTag = false
  for (let at = from; at < to && length < SAMPLE_BYTES; at++) {
    const byte = bytes[at]
    if (byte === LESS) inTag = true
    else if (byte === GREATER) inTag = false
    else if (!inTag) sample[length++] = byte
  }
  // All of it in one unclosed tag, perhaps: then as it is.
  return length > 0 ? sample.subarray(0, length) : bytes.subarray(from, Math.min(to, from + SAMPLE_BYTES))
}

/** UTF-16 without a mark shows as ASCII with a zero in every other place. */
export function utf16WithoutBom(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const pairs = Math.min(16, bytes.length >> 1)
  if (pairs < 4) return undefined
  const zeroAt = bytes[0] === 0 ? 0 : 1
  for (let i = 0; i < pairs; i++) {
    if (bytes[2 * i + zeroAt] !== 0 || bytes[2 * i + 1 - zeroAt] === 0) return undefined
  }
  return zeroAt === 0 ? 'utf-16be' : 'utf-16le'
}
