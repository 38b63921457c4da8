/**
 * Pages that change as a Poisson process, as a function of time alone: time is cut into cells of one expected change each;
 * how many changes fall into a cell, and when, are draws. So any instant can be asked in any order, without history.
 */
import type { Instant, Millis } from '../../src/base/clock.ts'
import { draw, unit } from './chance.ts'

export interface Version {
  /** Different for each version of a page; 0 until the first change. */
  id: number
  /** When this version appeared. */
  since: Instant
}

const DAY: Millis = 86_400_000
/** Looking back further finds nothing in one page of 10^17. */
const MAX_CELLS_BACK = 40

/** The version that stands at `at`. `page` is the page's own draw; `rate` in changes a day. */
export function versionAt(page: number, rate: number, epoch: Instant, at: Instant): Version {
  if (rate <= 0 || at < epoch) return { id: 0, since: epoch }
  const cellMs = DAY / rate
  const now = Math.floor((at - epoch) / cellMs)
  for (let cell = now; cell >= 0 && cell > now - MAX_CELLS_BACK; cell--) {
    const changes = changesIn(page, cell).filter((part) => epoch + (cell + part) * cellMs <= at)
    if (changes.length === 0) continue
    const last = Math.max(...changes)
    return { id: draw(page, cell, changes.length, 7) || 1, since: Math.floor(epoch + (cell + last) * cellMs) }
  }
  return { id: 0, since: epoch }
}

/** When the page changed in (from, to], in order. */
export function changesBetween(page: number, rate: number, epoch: Instant, from: Instant, to: Instant): Instant[] {
  if (rate <= 0) return []
  const cellMs = DAY / rate
  const changes: Instant[] = []
  for (let cell = Math.max(0, Math.floor((from - epoch) / cellMs)); epoch + cell * cellMs <= to; cell++) {
    const parts = changesIn(page, cell).sort((a, b) => a - b)
    for (const part of parts) {
      const when = epoch + (cell + part) * cellMs
      if (when > from && when <= to) changes.push(when)
    }
  }
  return changes
}

/** Where in the cell (0 … 1) its changes lie: Poisson(1) many, uniform. */
function changesIn(page: number, cell: number): number[] {
  let left = unit(draw(page, cell, 0, 3))
  let share = Math.exp(-1)
  const places: number[] = []
  for (let k = 1; left >= share && k < 20; k++) {
    left -= share
    share /= k
    places.push(unit(draw(page, cell, k, 5)))
  }
  return places
}
