/**
 * Gzip for many short texts, faster than zlib's fastest level and with fewer bytes.
 *
 * CPU and bytes for a record of each kind, by turns in one process (2026-11, an AMD EPYC); what Node has is a zlib with vectors:
 *
 *     records                       zlib, level 1     gzip -1    here
 *     pages of the benchmark  15 KB   110 µs 4,419     4,744    49 µs 4,290
 *     requests               650 B     15 µs   472       471     7 µs   472
 *     HTML from disks         31 KB   161 µs 6,920     7,079    77 µs 6,750
 *     JSON                    28 KB   111 µs 4,634     4,812    59 µs 4,426
 *     JavaScript              19 KB   123 µs 4,802     4,921    59 µs 4,634
 *     CSS                      9 KB    54 µs 2,604     2,650    27 µs 2,521
 *     Markdown                11 KB    95 µs 3,904     4,022    46 µs 3,816
 *     noise                   15 KB   138 µs 15,023             22 µs 15,023
 *
 * Of a page's 49, 32 are the search for matches, 5 the writing of codes, 4 the building of them, and 4 the CRC, which is Node's.
 *
 * Why it can be faster: zlib clears a table of 64 KB for each record, it goes through chains of places with a test
 * after each, and it asks of each symbol what kind it is when it writes. Here nothing is cleared (`assembly/gzip.wasm.ts`), the
 * search does the same few steps whatever it finds (`assembly/match-finder.ts`), symbols are written two at a time without a
 * question (`assembly/tokens.ts`), and codes are built from the symbols that occur (`assembly/codes.ts`). It is WebAssembly
 * because JavaScript has no vectors and no 64-bit integers that are not objects.
 *
 * One chunk of up to 64 KB at a time: nearly every record is one. Longer ones are emitted piece by piece, so the memory of the
 * module is all that is needed, 0.7 MB. The same input always makes the same bytes, whatever was packed before.
 */
import { crc32 } from 'node:zlib'
import { loadWasm } from '../../base/load-wasm.ts'

/** Takes bytes at once: it copies or writes them before it returns. */
export type Emit = (bytes: Uint8Array) => void

/** All parts as one member. Whoever takes the bytes may throw: the next member is begun anew. */
export type Gzip = (emit: Emit, parts: readonly Uint8Array[]) => void

interface Deflater {
  memory: { buffer: ArrayBuffer }
  chunkBytes(): number
  input(): number
  output(): number
  begin(room: number): void
  more(): number
  finish(length: number, crc: number, size: number): number
}

export function openGzip(): Gzip {
  const deflater = loadWasm<Deflater>(new URL('gzip.wasm', import.meta.url))
  const memory = new Uint8Array(deflater.memory.buffer)
  const output = memory.subarray(deflater.output())
  const max = deflater.chunkBytes()
  return (emit, parts) => {
    let size = 0
    let crc = 0
    for (const part of parts) {
      size += part.length
      crc = crc32(part, crc)
    }
    deflater.begin(Math.min(size, max))
    let start = deflater.input()
    let filled = 0
    for (const part of parts) {
      let at = 0
      while (part.length - at > max - filled) {
        const next = at + max - filled
        memory.set(part.subarray(at, next), start + filled)
        emit(output.subarray(0, deflater.more()))
        start = deflater.input()
        filled = 0
        at = next
      }
      memory.set(at === 0 ? part : part.subarray(at), start + filled)
      filled += part.length - at
    }
    emit(output.subarray(0, deflater.finish(filled, crc, size % 2 ** 32)))
  }
}
