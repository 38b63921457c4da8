/** How many bytes of parts one slice of work may take, so that it holds the thread for about 6 ms: learnt from the last ones. */
import type { Millis } from '../../base/clock.ts'

/** Under the 10 ms that it may take at most: the commit's sync of the disk comes on top. */
const AIM_MS = 6
const MIN_BYTES = 4 * 1024
const MAX_BYTES = 512 * 1024
/** A slice costs something whatever is in it; one of few bytes says little of what bytes cost. */
const TELLING_BYTES = 2 * 1024

export class Pace {
  #bytes = 32 * 1024

  get bytes(): number {
    return this.#bytes
  }

  learn(bytes: number, tookMs: Millis): void {
    if (bytes < TELLING_BYTES) return
    // Half of the way at once downwards and upwards: one slow sync of the disk does not decide alone.
    const ideal = tookMs <= 0 ? MAX_BYTES : (bytes / tookMs) * AIM_MS
    const next = (this.#bytes + ideal) / 2
    this.#bytes = Math.round(Math.min(MAX_BYTES, Math.max(MIN_BYTES, next)))
  }
}
