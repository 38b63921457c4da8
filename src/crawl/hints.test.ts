import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { freshMemory } from '../contracts/site-memory.ts'
import { formatHttpDate } from '../web/http/http-date.ts'
import { Scripted } from './scripted.test-data.ts'
import { judgeHint } from './visit-page.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 0, 1)
const HTML = ['Content-Type', 'text/html'] as const

test("a hint holds within a day of the server's date; a page made just now proves nothing", () => {
  const judged = (hint: number, lastModified: number) =>
    judgeHint(freshMemory(), { hint, lastModified, now: NOW }).hints
  assert.deepEqual(judged(NOW - 40 * DAY, NOW - 39.5 * DAY), { checked: 1, held: 1 })
  assert.deepEqual(judged(NOW - 40 * DAY, NOW - 38 * DAY), { checked: 1, held: 0 })
  assert.equal(judged(NOW - 40 * DAY, NOW - 1000), undefined)
})

test('hints held never exceed hints checked', () => {
  const look = fc.record({ hint: fc.integer(), lastModified: fc.integer({ max: NOW - 60_001 }), now: fc.constant(NOW) })
  fc.assert(
    fc.property(fc.array(look, { minLength: 1 }), (looks) => {
      const { checked, held } = looks.reduce(judgeHint, freshMemory()).hints!
      return checked === looks.length && held <= checked && held >= 0
    }),
  )
})

test('a visit compares the pages that a sitemap dated', async () => {
  const modified = ['Last-Modified', formatHttpDate(NOW - 10 * DAY)] as const
  const web = new Scripted({
    'http://a.test/1': { body: 'one', headers: [HTML, modified] },
    'http://a.test/2': { body: 'two', headers: [HTML, modified] },
    'http://a.test/3': { body: 'three' },
    'http://a.test/4': { body: 'four', headers: [HTML, modified] },
  })
  const { parts } = await web.visit({
    agenda: [
      { url: 'http://a.test/1', hint: NOW - 10 * DAY }, // true
      { url: 'http://a.test/2', hint: NOW - 30 * DAY }, // false
      { url: 'http://a.test/3', hint: NOW - DAY }, // the server says nothing
      { url: 'http://a.test/4' }, // the sitemap says nothing
    ],
  })
  assert.deepEqual(parts.at(-1)!.memory.hints, { checked: 2, held: 1 })
})
