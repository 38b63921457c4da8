import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { AgendaItem, Visit } from '../../contracts/visit.ts'
import { nowReading, readingSlot, watchInto } from './watchdog.ts'

const line = (longest: number) => fc.string({ unit: 'grapheme', maxLength: longest }).map((s) => s.replaceAll('\n', ''))

test('the coordinator sees what is being read, and nothing when nothing is', () => {
  const slot = readingSlot()
  const watch = watchInto(slot)
  let count = 0
  fc.assert(
    fc.property(
      line(30),
      fc.nat(),
      line(60),
      line(300),
      fc.option(line(300), { nil: undefined }),
      fc.nat(50),
      (id, fence, site, url, via, n) => {
        const item = { url, depth: n, via: via === '' ? undefined : via, path: 'L'.repeat(n), tries: n }
        watch.begin({ id, fence, site } as Visit, item as AgendaItem)
        assert.deepEqual(nowReading(slot), { count: ++count, visit: id, fence, site, item })
        watch.end()
        assert.equal(nowReading(slot), undefined)
      },
    ),
  )
})

test('two URLs of the greatest length fit, and more is cut', () => {
  const slot = readingSlot()
  const watch = watchInto(slot)
  const long = (letters: number) => `http://h.test/${'x'.repeat(letters - 14)}`
  const begin = (url: string, via: string) =>
    watch.begin(
      { id: 'v', fence: 1, site: 'h.test' } as Visit,
      { url, via, depth: 1, path: 'L', tries: 0 } as AgendaItem,
    )
  begin(long(8192), long(8192))
  assert.deepEqual([nowReading(slot)?.item.url, nowReading(slot)?.item.via], [long(8192), long(8192)])
  begin(long(8192), long(100_000))
  assert.equal(nowReading(slot)?.item.url, long(8192))
  begin(long(100_000), 'http://h.test/')
  assert.match(nowReading(slot)?.item.url ?? '', /^http:\/\/h\.test\/x{19000,20000}$/)
})
