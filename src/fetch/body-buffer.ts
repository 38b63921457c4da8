/**
 * The bytes of a body, in one buffer of its own that grows as they come. They are copied, which costs a microsecond for a
 * page: so nothing keeps the memory of a socket's pieces, and the body's own can be given back the moment it is read.
 */
import { release } from '../base/bytes.ts'

const FIRST = 16 * 1024
/** What a server announces is believed up to this before anything of it has come. */
const BELIEVED = 256 * 1024
const NOTHING = Buffer.alloc(0)

export class BodyBuffer {
  #bytes = NOTHING
  #expected = 0
  length = 0

  /** So many bytes will come, at most. */
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

  bytes(): Uint8Array {
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
    release(this.#bytes)
    this.#bytes = grown
  }
}
