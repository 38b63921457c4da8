/** The text of a sitemap. They are UTF-8 by their protocol; feeds and the unlucky are something else. */
import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'

/** A mark at the beginning or what the bytes are beyond doubt; else what HTTP or the XML declaration say. */
export function sitemapText(bytes: Uint8Array, charset: string | undefined): string {
  const sure = markOf(bytes) ?? wideOf(bytes) ?? (isUtf8(bytes) ? 'utf-8' : undefined)
  if (sure !== undefined) return new TextDecoder(sure).decode(bytes)
  const told = decoderOf(charset) ?? decoderOf(declaredIn(bytes)) ?? new TextDecoder('windows-1252')
  return told.decode(bytes)
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
