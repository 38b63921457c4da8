/** The bytes of a body in one growing buffer of its own. Copying costs a microsecond per page, and retains no memory of the socket. */

const FIRST = 16 * 1024
/** The most that is allocated on the strength of Content-Length alone. */
const BELIEVED = 256 * 1024
const NOTHING = Buffer.alloc(0)

export class BodyBuffer {
  #bytes = NOTHING
  #expected = 0
  length = 0

  /** At most this many bytes will come. */
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
    this.#bytes = grown
  }
}
