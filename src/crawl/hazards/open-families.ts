/**
 * The families of a site while one page is judged. Rows of the site's memory are opened, changed and closed again; a row that
 * was closed is never written, so that an older memory stays as it was.
 */
import type { FamilyRow, TrapMemory } from '../../contracts/trap-memory.ts'
import { COLUMN, closeRow, type Family, freshFamily, openRow, sizeOf } from './family.ts'
import { mark } from './marks.ts'
import { roomOf } from './suspects.ts'

/** All that the rows of a site and its suspect patterns may take, in characters of JSON. */
const ROOM = 11_000
const ROOM_OF_A_CLEARED = 40

export interface OpenFamilies {
  /** The family of a pattern, begun when it is not known. */
  of(pattern: string): Family
  close(): { families: FamilyRow[]; forgotten: readonly number[] | undefined; taken: number }
}

/** Patterns that showed many contents and made room: begun again, they are not judged as if they had shown none. */
const MAX_FORGOTTEN = 40
const MANY_KINDS = 4

export function openFamilies(traps: TrapMemory, now: number): OpenFamilies {
  const { families: rows = NO_ROWS, forgotten, suspects, cleared = [] } = traps
  const open: Family[] = []
  const places: number[] = []
  return {
    of(pattern) {
      for (const family of open) if (family.pattern === pattern) return family
      let at = 0
      while (at < rows.length && rows[at][0] !== pattern) at++
      const family = at === rows.length ? freshFamily(pattern) : openRow(rows[at])
      if (at === rows.length && forgotten?.includes(mark(pattern))) family.kinds = MANY_KINDS
      open.push(family)
      places.push(at)
      return family
    },
    close() {
      const closed = rows.slice()
      let taken = traps.taken ?? takenBy(rows)
      for (let at = 0; at < open.length; at++) {
        const row = closeRow(open[at])
        taken += sizeOf(row) - open[at].size
        if (places[at] === rows.length) closed.push(row)
        else closed[places[at]] = row
      }
      const room = ROOM - roomOf(suspects) - ROOM_OF_A_CLEARED * cleared.length
      if (taken <= room || closed.length === 1) return { families: closed, forgotten, taken }
      const gone = makeRoom(closed, now, taken - room)
      const others = (forgotten ?? []).filter((one) => !gone.includes(one))
      const all = gone.length === 0 ? forgotten : [...others, ...gone].slice(-MAX_FORGOTTEN)
      return { families: closed, forgotten: all, taken: takenBy(closed) }
    },
  }
}

const NO_ROWS: readonly FamilyRow[] = []

/** What rows take, in characters of JSON at most. */
export function takenBy(rows: readonly FamilyRow[]): number {
  let size = 0
  for (const row of rows) size += sizeOf(row)
  return size
}

/** The families that say least go: nothing suspicious, not seen for long. Marks of those that showed much. */
function makeRoom(rows: FamilyRow[], now: number, excess: number): number[] {
  const gone: number[] = []
  while (excess > 0 && rows.length > 1) {
    let coldest = 0
    let min = Number.POSITIVE_INFINITY
    for (let at = 0; at < rows.length; at++) {
      const worth = worthOf(rows[at], now)
      if (worth < min) {
        min = worth
        coldest = at
      }
    }
    const [pattern, counts] = rows[coldest]
    if (counts[COLUMN.kinds] >= MANY_KINDS) gone.push(mark(pattern))
    excess -= sizeOf(rows[coldest])
    rows.splice(coldest, 1)
  }
  return gone
}

/** In pages that the site may answer before it is forgotten. A folder of many contents is what keeps it from being stopped. */
function worthOf(row: FamilyRow, now: number): number {
  const { streak, same, lost, slow, hollow, kinds, at } = COLUMN
  const [pattern, counts, , , parameters] = row
  const evidence = counts[streak] + counts[same] + counts[lost] + 2 * counts[slow] + 2 * counts[hollow]
  const folder = counts[kinds] >= MANY_KINDS && pattern.endsWith('/**') ? 100 : 0
  // So is what is known of parameters that come in several ways.
  const place = parameters !== undefined && parameters[4].length > 2 ? 100 : 0
  return 4 * Math.min(evidence, 30) + folder + place - (now - counts[at])
}
