import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { freshMemory } from '../visit/site-memory.ts'
import { formatHttpDate } from '../web/http/http-date.ts'
import { judgeFirstHint, judgeHint } from './hints.ts'
import { digestOf, Scripted } from './scripted.test-data.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 0, 1)
const HTML = ['Content-Type', 'text/html'] as const

test('a later look: a hint of change holds when the page changed, and one of none when it did not', () => {
  const judged = (hint: number, changed: boolean) => judgeHint(freshMemory(), { hint, before: NOW, changed }).hints
  assert.deepEqual(judged(NOW + 1, true), { checked: 1, held: 1 })
  assert.deepEqual(judged(NOW + 1, false), { checked: 1, held: 0 })
  assert.deepEqual(judged(NOW - 1, false), { checked: 1, held: 1 })
  assert.deepEqual(judged(NOW - 1, true), { checked: 1, held: 0 })
})

test('a first look: within a day of what the server says; a page made just now says nothing', () => {
  const judged = (hint: number, lastModified: number) =>
    judgeFirstHint(freshMemory(), { hint, lastModified, now: NOW }).hints
  assert.deepEqual(judged(NOW - 40 * DAY, NOW - 39.5 * DAY), { checked: 1, held: 1 })
  assert.deepEqual(judged(NOW - 40 * DAY, NOW - 38 * DAY), { checked: 1, held: 0 })
  assert.equal(judged(NOW - 40 * DAY, NOW - 1000), undefined)
})

test('no more held than checked, whatever comes', () => {
  const look = fc.record({ hint: fc.integer(), before: fc.integer(), changed: fc.boolean() })
  fc.assert(
    fc.property(fc.array(look, { minLength: 1 }), (looks) => {
      const { checked, held } = looks.reduce(judgeHint, freshMemory()).hints!
      return checked === looks.length && held <= checked && held >= 0
    }),
  )
})

test('a visit learns from the pages that a sitemap spoke of', async () => {
  const modified = ['Last-Modified', formatHttpDate(NOW - 10 * DAY)] as const
  const web = new Scripted({
    'http://a.test/1': { body: 'one', headers: [HTML, modified] },
    'http://a.test/2': { body: 'two', headers: [HTML, modified] },
    'http://a.test/3': { body: 'three' },
    'http://a.test/4': { body: 'four' },
    'http://a.test/5': { body: 'five', headers: [HTML, modified] },
  })
  const before = { digest: `sha1:${'A'.repeat(32)}`, textDigest: 0n, simhash: 0n }
  const same = { ...before, digest: digestOf('four') }
  const { parts } = await web.visit({
    agenda: [
      { url: 'http://a.test/1', hint: NOW - 10 * DAY }, // true
      { url: 'http://a.test/2', hint: NOW - 30 * DAY }, // false
      { url: 'http://a.test/3', hint: NOW - DAY, before, lookedAt: NOW - 5 * DAY }, // true: it changed
      { url: 'http://a.test/4', hint: NOW - DAY, before: same, lookedAt: NOW - 5 * DAY }, // false: it did not
      { url: 'http://a.test/5' }, // nothing was said
    ],
  })
  assert.deepEqual(parts.at(-1)!.memory.hints, { checked: 4, held: 2 })
})
