/**
 * Collects the pieces of a body. Big pieces are kept by reference and copied once, at the end; small ones are gathered
 * in slabs at once, because a million one-byte pieces would cost two hundred times their bytes.
 */
const SMALL = 2_048
const SLAB = 16_384
const NOTHING = new Uint8Array(0)

export class BytePile {
  readonly #pieces: Uint8Array[] = []
  #slab: Buffer | undefined
  #used = 0
  length = 0

  add(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.length += piece.length
    if (piece.length >= SMALL || (this.#pieces.length === 0 && this.#slab === undefined)) {
      this.#closeSlab()
      this.#pieces.push(piece)
      return
    }
    if (this.#slab !== undefined && this.#used + piece.length > SLAB) this.#closeSlab()
    this.#slab ??= Buffer.allocUnsafeSlow(SLAB)
    this.#slab.set(piece, this.#used)
    this.#used += piece.length
  }

  bytes(): Uint8Array {
    this.#closeSlab()
    if (this.#pieces.length === 0) return NOTHING
    if (this.#pieces.length === 1) return this.#pieces[0]
    const whole = Buffer.concat(this.#pieces, this.length)
    this.#pieces.length = 0
    this.#pieces.push(whole)
    return whole
  }

  #closeSlab(): void {
    if (this.#slab === undefined) return
    this.#pieces.push(this.#slab.subarray(0, this.#used))
    this.#slab = undefined
    this.#used = 0
  }
}
