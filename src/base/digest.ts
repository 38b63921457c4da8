/** Hashes: SHA-1 in Base32 as web archives write it, and 64 bits of xxHash as the key of a URL. */
import { createHash, hash } from 'node:crypto'
import xxhash from 'xxhash-wasm'

const { h64, h64Raw } = await xxhash()

/** 64 bits that name a text (a URL, a host). 0.15 µs, where SHA-1 takes 0.8. */
export function hash64(text: string): bigint {
  return h64(text)
}

/** 64 bits of the characters of a page's text, as WebAssembly hashes them (`page/extract/assembly/digest.ts`). */
export function textHash(text: string): bigint {
  return h64Raw(Buffer.from(text, 'utf16le'))
}

/** The same 64 bits as SQLite and PostgreSQL hold them. */
export function signed64(key: bigint): bigint {
  return BigInt.asIntN(64, key)
}

export function unsigned64(key: bigint): bigint {
  return BigInt.asUintN(64, key)
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** `sha1:` and Base32, the form of WARC-Block-Digest and WARC-Payload-Digest. */
export function sha1(...parts: Uint8Array[]): string {
  // As text: a buffer for the 20 bytes costs as much as the digest of a request.
  if (parts.length === 1) return fromBinary(hash('sha1', parts[0], 'binary'))
  const whole = createHash('sha1')
  for (const part of parts) whole.update(part)
  return fromBinary(whole.digest('binary'))
}

/** RFC 4648: five bits a letter. SHA-1's 20 bytes make exactly 32 letters. */
function fromBinary(digest: string): string {
  let out = 'sha1:'
  let bits = 0
  let waiting = 0
  for (let at = 0; at < digest.length; at++) {
    bits = ((bits << 8) | digest.charCodeAt(at)) & 0xfff
    for (waiting += 8; waiting >= 5; waiting -= 5) out += BASE32[(bits >> (waiting - 5)) & 31]
  }
  return out
}
