/** The families of a site while its pages are judged: found by their pattern, begun when they are not known, and measured. */
import { type Family, freshFamily, isFolder, measureFamily } from './family.ts'
import { mark } from './marks.ts'
import type { OpenTraps } from './open-traps.ts'
import { roomOf } from './suspects.ts'

/** All that the rows of a site and its suspect patterns may take, in characters of JSON. */
const ROOM = 11_000
const ROOM_OF_A_CLEARED = 40

/** Patterns that showed many contents and made room: begun again, they are not judged as if they had shown none. */
const MAX_FORGOTTEN = 40
const MANY_KINDS = 4

/** The family of a pattern; `counted` are those of the page that is judged. */
export function familyOf(traps: OpenTraps, pattern: string, counted: Family[]): Family {
  let family = traps.families.get(pattern)
  if (family === undefined) {
    family = freshFamily(pattern)
    if (traps.forgotten.includes(mark(pattern))) family.kinds = MANY_KINDS
    traps.families.set(pattern, family)
  }
  if (!counted.includes(family)) counted.push(family)
  return family
}

/** Measures what the page has changed. The families that say least go when all of them take too much: nothing suspicious, not seen for long. */
export function makeRoom(traps: OpenTraps, counted: readonly Family[], now: number): void {
  for (const family of counted) {
    const size = measureFamily(family)
    traps.taken += size - family.size
    family.size = size
  }
  const { families, cleared = [] } = traps
  const room = ROOM - roomOf(traps.suspects) - ROOM_OF_A_CLEARED * cleared.length
  if (traps.taken <= room || families.size === 1) return
  const gone: number[] = []
  while (traps.taken > room && families.size > 1) {
    const coldest = coldestOf(families, now)
    if (coldest.kinds >= MANY_KINDS) gone.push(mark(coldest.pattern))
    forget(traps, coldest.pattern)
  }
  if (gone.length === 0) return
  const others = traps.forgotten.filter((one) => !gone.includes(one))
  traps.forgotten = [...others, ...gone].slice(-MAX_FORGOTTEN)
}

export function forget(traps: OpenTraps, pattern: string): void {
  traps.taken -= traps.families.get(pattern)?.size ?? 0
  traps.families.delete(pattern)
}

function coldestOf(families: ReadonlyMap<string, Family>, now: number): Family {
  let coldest: Family | undefined
  let min = Number.POSITIVE_INFINITY
  for (const family of families.values()) {
    const worth = worthOf(family, now)
    if (worth >= min) continue
    min = worth
    coldest = family
  }
  return coldest!
}

/** In pages that the site may answer before it is forgotten. A folder of many contents is what keeps it from being stopped. */
function worthOf(family: Family, now: number): number {
  const { streak, same, lost, slow, hollow, parameters } = family
  const evidence = streak + same + lost + 2 * slow + 2 * hollow
  const folder = family.kinds >= MANY_KINDS && isFolder(family) ? 100 : 0
  // So is what is known of parameters that come in several ways.
  const place = parameters !== undefined && parameters[4].length > 2 ? 100 : 0
  return 4 * Math.min(evidence, 30) + folder + place - (now - family.at)
}
