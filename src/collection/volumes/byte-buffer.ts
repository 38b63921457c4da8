/** One reused buffer before a file: small pieces are gathered, so that the file sees few, large, sequential writes. */
import type { AppendFile } from '../../base/disk.ts'

export class ByteBuffer {
  readonly #bytes: Buffer
  #filled = 0

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafeSlow(size)
  }

  get filled(): number {
    return this.#filled
  }

  add(file: AppendFile, bytes: Uint8Array): void {
    if (this.#filled + bytes.length > this.#bytes.length) this.flush(file)
    if (bytes.length >= this.#bytes.length) {
      file.write(bytes)
      return
    }
    this.#bytes.set(bytes, this.#filled)
    this.#filled += bytes.length
  }

  flush(file: AppendFile): void {
    if (this.#filled === 0) return
    const ready = this.#bytes.subarray(0, this.#filled)
    this.#filled = 0
    file.write(ready)
  }
}
