/**
 * What bytes begin with when they are not text: the signatures of the MIME Sniffing Standard (§6), and of what else the web
 * serves under wrong names. Short ones prove something only where the bytes are no text: `BM` begins a bitmap, and a
 * sentence about cars.
 */

interface Signature {
  bytes: readonly number[]
  at: number
  type: string
  /** Also a beginning of ordinary text: counts only together with bytes that no text has. */
  weak: boolean
}

function signature(type: string, begin: string, more: { at?: number; weak?: boolean } = {}): Signature {
  return { bytes: [...Buffer.from(begin, 'latin1')], at: more.at ?? 0, type, weak: more.weak ?? false }
}

const WEAK = { weak: true }

const SIGNATURES: readonly Signature[] = [
  signature('application/pdf', '%PDF-'),
  signature('application/postscript', '%!PS-Adobe-'),
  signature('application/rtf', '{\\rtf'),
  signature('image/gif', 'GIF87a'),
  signature('image/gif', 'GIF89a'),
  signature('image/png', '\x89PNG\r\n\x1a\n'),
  signature('image/jpeg', '\xff\xd8\xff'),
  signature('image/webp', 'WEBPVP', { at: 8 }),
  signature('image/x-icon', '\0\0\x01\0'),
  signature('image/bmp', 'BM', WEAK),
  signature('image/tiff', 'II*\0'),
  signature('image/tiff', 'MM\0*'),
  signature('application/gzip', '\x1f\x8b\x08'),
  signature('application/zip', 'PK\x03\x04'),
  signature('application/zip', 'PK\x05\x06'),
  signature('application/x-rar-compressed', 'Rar!\x1a\x07'),
  signature('application/x-7z-compressed', '7z\xbc\xaf\x27\x1c'),
  signature('application/x-bzip2', 'BZh', WEAK),
  signature('application/x-xz', '\xfd7zXZ\0'),
  signature('application/zstd', '\x28\xb5\x2f\xfd'),
  signature('application/x-tar', 'ustar', { at: 257, weak: true }),
  signature('application/x-ole-storage', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
  signature('application/x-shockwave-flash', 'FWS', WEAK),
  signature('application/x-shockwave-flash', 'CWS', WEAK),
  signature('application/x-shockwave-flash', 'ZWS', WEAK),
  signature('application/x-msdownload', 'MZ', WEAK),
  signature('application/x-executable', '\x7fELF'),
  signature('application/java-vm', '\xca\xfe\xba\xbe'),
  signature('application/wasm', '\0asm'),
  signature('font/woff', 'wOFF', WEAK),
  signature('font/woff2', 'wOF2', WEAK),
  signature('audio/mpeg', 'ID3', WEAK),
  signature('audio/mpeg', '\xff\xfb', WEAK),
  signature('audio/midi', 'MThd\0'),
  signature('audio/wav', 'WAVE', { at: 8, weak: true }),
  signature('video/avi', 'AVI ', { at: 8, weak: true }),
  signature('video/mp4', 'ftyp', { at: 4, weak: true }),
  signature('application/ogg', 'OggS\0'),
  signature('video/webm', '\x1a\x45\xdf\xa3'),
  signature('video/mpeg', '\0\0\x01\xba'),
  signature('application/x-sqlite3', 'SQLite format 3\0'),
]

/** `hasBinary`: there are bytes among them that no text has. */
export function signatureOf(head: Uint8Array, hasBinary: boolean): string | undefined {
  for (const { bytes, at, type, weak } of SIGNATURES) {
    if (head[at] !== bytes[0] || (weak && !hasBinary)) continue
    if (bytes.every((byte, i) => head[at + i] === byte)) return type
  }
  return undefined
}
