/**
 * What a worker thread is reading right now, in memory that the house can see while the thread is stuck in it. The house
 * looks once a second: the same reading, still under way after ten seconds, is a page that will never end (V6).
 */
import type { ReadingWatch } from '../../visit/ports.ts'

const BYTES = 8192
const COUNT = 0
const BUSY = 1
const LENGTH = 2
const TEXT_AT = 16

export interface NowReading {
  count: number
  visit: string
  site: string
  url: string
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
    begin(visit, site, url) {
      const { written } = encoder.encodeInto(`${visit}\n${site}\n${url}`, scratch)
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
  const [visit = '', site = '', url = ''] = new TextDecoder().decode(copy).split('\n')
  return { count, visit, site, url }
}
