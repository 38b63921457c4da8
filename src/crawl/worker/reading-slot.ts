/**
 * What a worker thread is reading, in memory that the coordinator can see while the thread is stuck. The coordinator
 * looks once a second: a page that is still being read after ten seconds will never end (V6).
 */
import type { NowReading } from '../../contracts/calls.ts'
import type { ReadingWatch } from '../../contracts/ports.ts'

/** Two URLs of the greatest length and the rest of an item. */
const BYTES = 20_000
const COUNT = 0
const BUSY = 1
const LENGTH = 2
const TEXT_AT = 16

export function readingSlot(): SharedArrayBuffer {
  return new SharedArrayBuffer(BYTES)
}

export function watchInto(slot: SharedArrayBuffer): ReadingWatch {
  const state = new Int32Array(slot, 0, 4)
  const text = Buffer.from(slot, TEXT_AT)
  return {
    begin(visit, { url, depth, via, path, tries }) {
      const item = `${visit.id}\n${visit.fence}\n${visit.site}\n${depth}\n${tries}\n${path}\n${url}\n${via ?? ''}`
      // Writes text into shared memory in one call, and cuts what does not fit.
      state[LENGTH] = text.write(item)
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
  const [visit = '', fence, site = '', depth, tries, path = '', url = '', via] = Buffer.from(slot, TEXT_AT)
    .toString('utf8', 0, state[LENGTH])
    .split('\n')
  const item = { url, depth: Number(depth), via: via || undefined, path, tries: Number(tries) }
  return { count, visit, fence: Number(fence), site, item }
}
