/** Finds the one item that makes a transaction fail, so that it holds up no other. */
import { Problem, reasonOf } from '../../base/errors.ts'
import { retryKind } from '../../database/postgres/errors.ts'

/** The database may come back, and a conflicting transaction may end. */
export function isTemporary(error: unknown): boolean {
  return error instanceof Problem || retryKind(error, false) !== 'no'
}

/**
 * `attempt` works on the oldest items that wait, at most `atMost`, and gives `taken` those it has got. A temporary
 * failure is thrown, and so is any once `isOver`. After another, half of the items are tried, then half of these, until
 * an attempt succeeds, or one item fails alone, twice: it goes to `quarantine`, and the result is undefined.
 */
export async function bisect<Item, Result>(
  atMost: number,
  attempt: (atMost: number, taken: (items: readonly Item[]) => void) => Promise<Result>,
  quarantine: (item: Item, why: string) => Promise<void>,
  isOver: () => boolean,
): Promise<Result | undefined> {
  for (let size = atMost; ; ) {
    let items: readonly Item[] = []
    try {
      return await attempt(size, (taken) => {
        items = taken
      })
    } catch (error) {
      if (isTemporary(error) || isOver() || items.length === 0) throw error
      if (size === 1) {
        await quarantine(items[0], reasonOf(error))
        return undefined
      }
      size = Math.max(1, items.length >> 1)
    }
  }
}
