/**
 * What a worker thread is reading right now, in memory that the house can see while the thread is stuck in it. The house
 * looks once a second: the same reading, still under way after ten seconds, is a page that will never end (V6).
 */
import type { ReadingWatch } from '../../visit/ports.ts'
import type { AgendaItem, SiteName, VisitId } from '../../visit/visit.ts'

/** Two URLs of the longest kind and what stands beside them, in UTF-16: that needs no encoder, four times a page. */
const LETTERS = 20_000
const COUNT = 0
const BUSY = 1
const LENGTH = 2
const TEXT_AT = 16
const LINE_END = 0x0a

export interface NowReading {
  /** Tells this reading from the one before. */
  count: number
  visit: VisitId
  fence: number
  site: SiteName
  item: Pick<AgendaItem, 'url' | 'depth' | 'via' | 'path' | 'tries'>
}

export function readingSlot(): SharedArrayBuffer {
  return new SharedArrayBuffer(TEXT_AT + 2 * LETTERS)
}

export function watchInto(slot: SharedArrayBuffer): ReadingWatch {
  const state = new Int32Array(slot, 0, 4)
  const letters = new Uint16Array(slot, TEXT_AT)
  let at = 0
  const write = (line: string) => {
    const end = Math.min(at + line.length, LETTERS - 1)
    for (let from = 0; at < end; from++, at++) letters[at] = line.charCodeAt(from)
    letters[at++] = LINE_END
  }
  return {
    begin(visit, { url, depth, via, path, tries }) {
      at = 0
      write(visit.id)
      write(String(visit.fence))
      write(visit.site)
      write(String(depth))
      write(String(tries))
      write(path)
      write(url)
      write(via ?? '')
      state[LENGTH] = at
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
  const copy = new Uint16Array(slot, TEXT_AT).slice(0, state[LENGTH])
  const [visit = '', fence, site = '', depth, tries, path = '', url = '', via] = Buffer.from(copy.buffer)
    .toString('utf16le')
    .split('\n')
  const item = { url, depth: Number(depth), via: via || undefined, path, tries: Number(tries) }
  return { count, visit, fence: Number(fence), site, item }
}
