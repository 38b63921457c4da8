/**
 * From pairs to groups with one original each. Pairs that hang together make a group, its best-ranked site is the original,
 * and each other one is compared with it: likeness is not transitive, so a site that is like the original's replica but not
 * like the original stays, and the rest elects again.
 */

export interface Grouped {
  original: number
  replicas: number[]
}

/** Elections within one group of sites that hang together; a chain of sites, each a little like the next, ends there. */
const MAX_ELECTIONS = 8

/**
 * `members` sites, ranked from 1, the best first; `isOut`: those that are no candidates any more. `alike` is asked with the
 * better rank first. Time: linear in pairs, and at most eight questions a site.
 */
export function groupsOf(
  members: number,
  pairs: Iterable<{ a: number; b: number }>,
  alike: (original: number, replica: number) => boolean,
  isOut: (rank: number) => boolean = () => false,
): Grouped[] {
  const groups: Grouped[] = []
  for (let waiting of connected(members, pairs)) {
    waiting = waiting.filter((rank) => !isOut(rank))
    for (let round = 0; round < MAX_ELECTIONS && waiting.length > 1; round++) {
      const [original, ...others] = waiting
      const replicas = others.filter((rank) => alike(original, rank))
      if (replicas.length > 0) groups.push({ original, replicas })
      const gone = new Set(replicas)
      waiting = others.filter((rank) => !gone.has(rank))
    }
  }
  return groups
}

/** Sets of two and more that hang together by pairs, each in the order of ranks. */
function* connected(members: number, pairs: Iterable<{ a: number; b: number }>): Iterable<number[]> {
  const parent = Int32Array.from({ length: members + 1 }, (_, i) => i)
  const root = (rank: number): number => {
    while (parent[rank] !== rank) rank = parent[rank] = parent[parent[rank]]
    return rank
  }
  for (const { a, b } of pairs) {
    const one = root(a)
    const other = root(b)
    // The better rank is the root, so that it is met first below.
    if (one !== other) parent[Math.max(one, other)] = Math.min(one, other)
  }
  const next = new Int32Array(members + 1)
  const last = Int32Array.from({ length: members + 1 }, (_, i) => i)
  for (let rank = 1; rank <= members; rank++) {
    const first = root(rank)
    if (first === rank) continue
    next[last[first]] = rank
    last[first] = rank
  }
  for (let first = 1; first <= members; first++) {
    if (parent[first] !== first || next[first] === 0) continue
    const group: number[] = []
    for (let rank = first; rank !== 0; rank = next[rank]) group.push(rank)
    yield group
  }
}
