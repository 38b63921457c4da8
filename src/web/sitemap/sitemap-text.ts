/** The text of a sitemap. They are UTF-8 by their protocol; feeds and the unlucky are something else. */
import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import type { Stretches } from '../../base/stretches.ts'

/** Bytes that are decoded at a stretch: 1 to 10 ms. */
const A_STRETCH = 1024 * 1024

/** A mark at the beginning or what the bytes are beyond doubt; else what HTTP or the XML declaration say. Yields between stretches. */
export function* sitemapText(bytes: Uint8Array, charset: string | undefined): Stretches<string> {
  const decoder = decoderFor(bytes, charset)
  if (bytes.length <= A_STRETCH) return decoder.decode(bytes)
  const pieces: string[] = []
  for (let from = 0; from < bytes.length; from += A_STRETCH) {
    if (from > 0) yield
    pieces.push(decoder.decode(bytes.subarray(from, from + A_STRETCH), { stream: true }))
  }
  pieces.push(decoder.decode())
  return pieces.join('')
}

function decoderFor(bytes: Uint8Array, charset: string | undefined): TextDecoder {
  const sure = markOf(bytes) ?? wideOf(bytes) ?? (isUtf8(bytes) ? 'utf-8' : undefined)
  if (sure !== undefined) return new TextDecoder(sure)
  return decoderOf(charset) ?? decoderOf(declaredIn(bytes)) ?? new TextDecoder('windows-1252')
}

function markOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return undefined
}

/** `<` or `h` beside a zero: two bytes a letter. */
function wideOf(bytes: Uint8Array): string | undefined {
  if (bytes.length < 4) return undefined
  if (bytes[0] !== 0 && bytes[1] === 0 && bytes[2] !== 0 && bytes[3] === 0) return 'utf-16le'
  if (bytes[0] === 0 && bytes[1] !== 0 && bytes[2] === 0 && bytes[3] !== 0) return 'utf-16be'
  return undefined
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 256)).toString('latin1')
  return /^\s*<\?xml[^>]{0,150}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']/.exec(start)?.[1]
}

/** Two bytes a letter would have shown: who says so and sends something else is not believed. */
function decoderOf(label: string | undefined): TextDecoder | undefined {
  if (label === undefined || label.length > 40) return undefined
  try {
    const decoder = new TextDecoder(label)
    return decoder.encoding.startsWith('utf-16') ? undefined : decoder
  } catch {
    return undefined
  }
}
