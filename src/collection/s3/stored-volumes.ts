/**
 * Volumes in an object store. An object cannot grow, and a multipart upload is visible only when complete; but a record must be
 * durable before its report is sent. So each piece of a growing volume is an object of its own, `NAME.pieces/OFFSET`. When the
 * volume is complete it is stored again as a whole, under its NAME, and the pieces are removed. Each byte is sent twice;
 * readers try the whole, then the pieces.
 */
import type { ObjectStore } from './s3-store.ts'

interface Piece {
  key: string
  offset: number
  size: number
}

const OFFSET_DIGITS = 15
const REMOVED_AT_ONCE = 1000

export function storedVolumes(store: ObjectStore) {
  /** Known lengths of volumes. */
  const lengths = new Map<string, number>()
  const folderOf = (name: string) => `${name}.pieces/`
  const keyOf = (name: string, offset: number) => folderOf(name) + String(offset).padStart(OFFSET_DIGITS, '0')

  const piecesOf = async (name: string): Promise<Piece[]> => {
    const folder = folderOf(name)
    const found = await store.list(folder)
    return found.map(({ key, size }) => ({ key, size, offset: Number(key.slice(folder.length)) }))
  }
  const removePieces = async (name: string) => {
    const keys = (await piecesOf(name)).map(({ key }) => key)
    for (let at = 0; at < keys.length; at += REMOVED_AT_ONCE) await store.remove(keys.slice(at, at + REMOVED_AT_ONCE))
  }
  const readLength = async (name: string): Promise<number> =>
    (await store.size(name)) ?? (await piecesOf(name)).reduce((end, piece) => grown(end, piece), 0)

  return {
    /** Resolves when the bytes are durable, with the length of the volume up to the first gap. */
    async append(name: string, offset: number, bytes: Uint8Array): Promise<number> {
      let end = lengths.get(name) ?? (await readLength(name))
      if (offset === end && bytes.length > 0) {
        await store.put(keyOf(name, offset), bytes)
        end += bytes.length
      }
      lengths.set(name, end)
      return end
    },
    /** `read`: from a complete copy of the volume. */
    async seal(name: string, size: number, read: (offset: number, length: number) => Uint8Array): Promise<void> {
      if ((await store.size(name)) !== size) await store.putLarge(name, size, read)
      await removePieces(name)
      lengths.delete(name)
    },
    /** Whole and pieces. */
    async remove(name: string): Promise<void> {
      await removePieces(name)
      await store.remove([name])
      lengths.delete(name)
    },
    /** Fewer bytes at the end. */
    async readAt(name: string, offset: number, length: number): Promise<Uint8Array> {
      const whole = () => store.get(name, offset, length)
      return (await whole()) ?? (await fromPieces(name, offset, length)) ?? (await whole()) ?? new Uint8Array(0)
    },
  }

  /** Undefined when a piece is gone, because the volume was completed meanwhile. */
  async function fromPieces(name: string, offset: number, length: number): Promise<Uint8Array | undefined> {
    const parts: Uint8Array[] = []
    let at = offset
    for (const piece of await piecesOf(name)) {
      if (piece.offset > at || at >= offset + length) break
      if (piece.offset + piece.size <= at) continue
      const wanted = Math.min(piece.offset + piece.size, offset + length) - at
      const bytes = await store.get(piece.key, at - piece.offset, wanted)
      if (bytes === undefined) return undefined
      parts.push(bytes)
      at += bytes.length
    }
    return parts.length === 0 ? undefined : Buffer.concat(parts, at - offset)
  }
}

/** Pieces may overlap: one that was sent again after a restart may be longer. */
function grown(end: number, { offset, size }: Piece): number {
  return offset <= end ? Math.max(end, offset + size) : end
}
