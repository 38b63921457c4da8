/**
 * What a worker thread is reading right now, in memory that the house can see while the thread is stuck in it. The house
 * looks once a second: the same reading, still under way after ten seconds, is a page that will never end (V6).
 */
import type { ReadingWatch } from '../../visit/ports.ts'
import type { AgendaItem, SiteName, VisitId } from '../../visit/visit.ts'

/** Two URLs of the longest kind and what stands beside them. */
const BYTES = 20_000
const COUNT = 0
const BUSY = 1
const LENGTH = 2
const TEXT_AT = 16

export interface NowReading {
  /** Tells this reading from the one before. */
  count: number
  visit: VisitId
  fence: number
  site: SiteName
  item: Pick<AgendaItem, 'url' | 'depth' | 'via' | 'path' | 'tries'>
}

export function readingSlot(): SharedArrayBuffer {
  return new SharedArrayBuffer(BYTES)
}

export function watchInto(slot: SharedArrayBuffer): ReadingWatch {
  const state = new Int32Array(slot, 0, 4)
  const text = new Uint8Array(slot, TEXT_AT)
  const encoder = new TextEncoder()
  // encodeInto refuses shared memory: through a buffer of our own.
  const scratch = new Uint8Array(text.length)
  return {
    begin(visit, { url, depth, via, path, tries }) {
      const told = [visit.id, visit.fence, visit.site, depth, tries, path, url, via ?? ''].join('\n')
      const { written } = encoder.encodeInto(told, scratch)
      text.set(scratch.subarray(0, written))
      state[LENGTH] = written
      Atomics.add(state, COUNT, 1)
      Atomics.store(state, BUSY, 1)
    },
    end() {
      Atomics.store(state, BUSY, 0)
    },
  }
}

export function nowReading(slot: SharedArrayBuffer): NowReading | undefined {
  const state = new Int32Array(slot, 0, 4)
  if (Atomics.load(state, BUSY) === 0) return undefined
  const count = Atomics.load(state, COUNT)
  const copy = new Uint8Array(slot, TEXT_AT).slice(0, state[LENGTH])
  const [visit = '', fence, site = '', depth, tries, path = '', url = '', via] = new TextDecoder()
    .decode(copy)
    .split('\n')
  const item = { url, depth: Number(depth), via: via || undefined, path, tries: Number(tries) }
  return { count, visit, fence: Number(fence), site, item }
}
