/**
 * Delta debugging (Zeller's ddmin): of the things that may have to do with a failure, few that are enough for it. In the
 * end none of them can be left out, unless `stillFails` was asked too often: then `isMinimal` is false.
 */
export interface Shortened<Item> {
  items: Item[]
  tries: number
  isMinimal: boolean
}

export interface ShortenLimits {
  tries: number
  /** Asked before every try. */
  isTimeOver(): boolean
}

export async function shorten<Item>(
  items: readonly Item[],
  stillFails: (items: readonly Item[]) => Promise<boolean>,
  { tries: max, isTimeOver }: ShortenLimits,
): Promise<Shortened<Item>> {
  let left = [...items]
  let tries = 0
  for (let pieces = Math.min(2, left.length); left.length > 0; ) {
    const size = Math.ceil(left.length / pieces)
    let smaller: Item[] | undefined
    for (let from = 0; from < left.length && smaller === undefined; from += size) {
      if (tries >= max || isTimeOver()) return { items: left, tries, isMinimal: false }
      const without = [...left.slice(0, from), ...left.slice(from + size)]
      tries++
      if (await stillFails(without)) smaller = without
    }
    if (smaller !== undefined) {
      left = smaller
      pieces = Math.min(Math.max(pieces - 1, 2), left.length)
    } else if (size === 1) break
    else pieces = Math.min(2 * pieces, left.length)
  }
  return { items: left, tries, isMinimal: true }
}
