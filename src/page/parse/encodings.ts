/** The encodings of the Encoding Standard by their labels, and their decoders. */
import { TextDecoder } from 'node:util'
import { decodeKorean } from './korean.ts'

interface Decoder {
  decode(bytes: Uint8Array): string
}

/** Labels come from outside: cached up to this number. The standard has some 220. */
const MAX_LABELS = 400
const encodings = new Map<string, string | undefined>()
const decoders = new Map<string, Decoder>([['euc-kr', { decode: decodeKorean }]])

/** The encoding of a label; undefined when there is none (or only "replacement", which decodes nothing). */
export function encodingOf(label: string): string | undefined {
  if (label.length > 64) return undefined
  if (encodings.has(label)) return encodings.get(label)
  const encoding = findEncoding(label)
  if (encodings.size < MAX_LABELS) encodings.set(label, encoding)
  return encoding
}

/** `charset`: as `encodingOf` names it. */
export function decoderOf(charset: string): Decoder {
  encodingOf(charset)
  return decoders.get(charset) ?? new TextDecoder(charset)
}

function findEncoding(label: string): string | undefined {
  try {
    const decoder = new TextDecoder(label)
    if (!decoders.has(decoder.encoding)) decoders.set(decoder.encoding, decoder)
    return decoder.encoding
  } catch {
    return undefined
  }
}
