/**
 * Check-outs whose answers did not come: what a server granted by them, or still grants while it holds the question,
 * nobody has. So as long as that may be, whoever asks again says what he has, and the rest is taken back.
 */
import type { Millis } from '../../base/clock.ts'

/** After its longest wait a server has this long to grant: a transaction, tried again while the database was away. */
const GRANTED_WITHIN: Millis = 60_000

export class Unanswered {
  /** Until when the question that is under way may be granted. */
  #pending: Millis | undefined
  /** And those before it that were not answered. */
  #lost: Millis | undefined

  /** Before each sending: whether sites may have been granted that never came here. */
  sending(now: Millis, waitMs: Millis): boolean {
    if (this.#pending !== undefined) this.#lost = Math.max(this.#lost ?? 0, this.#pending)
    this.#pending = now + waitMs + GRANTED_WITHIN
    return this.#lost !== undefined
  }

  /** The last one that was sent was answered. */
  answered(sentAt: Millis): void {
    this.#pending = undefined
    if (this.#lost !== undefined && this.#lost < sentAt) this.#lost = undefined
  }
}
