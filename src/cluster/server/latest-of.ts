/** Which question of a thread is its last: who asks again does not wait for the answer to the one before. */
import type { WorkerId } from '../../contracts/visit.ts'

export class LatestOf {
  /** Of those that are being answered. */
  readonly #last = new Map<WorkerId, symbol>()

  begin(thread: WorkerId): { isLast(): boolean; done(): void } {
    const question = Symbol(thread)
    this.#last.set(thread, question)
    const isLast = () => this.#last.get(thread) === question
    return {
      isLast,
      done: () => {
        if (isLast()) this.#last.delete(thread)
      },
    }
  }
}
