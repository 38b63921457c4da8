import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { diffPages } from '../../page/change/diff.ts'
import { displayWidth } from '../../report/text-table.ts'
import type { PageVersion, Versions } from '../reader/versions.ts'
import { diffPage } from './diff-html.ts'
import { diffLines, summaryOf } from './diff-text.ts'
import { plain, plainJson } from './text.ts'

const diff = (before: string, after: string) => diffPages({ as: 'html', text: before }, { as: 'html', text: after })
const NO_BYTES = new Uint8Array(0)
const VERSION: PageVersion = {
  ...{ url: 'http://a.test/', at: 0, status: 200, mediaType: 'text/html', charset: 'utf-8', volume: 'v', offset: 0 },
  ...{ head: NO_BYTES, payload: NO_BYTES, body: NO_BYTES, text: NO_BYTES, digest: 'sha1:A', as: 'html' },
}
const HEADING: Versions = {
  ...{ url: 'http://a.test/', before: VERSION, after: { ...VERSION, digest: 'sha1:B' } },
  ...{ whole: { count: 2, first: 0 }, others: 0, withoutCapture: 0 },
}

/** Words of many scripts, marks, emoji, and characters that would control a terminal or turn the text round. */
const word = fc.constantFrom(
  ...[
    'one',
    'two',
    'three',
    'a-very-long-word-that-does-not-fit-into-any-column-of-a-terminal',
    '日本語',
    '한국어',
    'e\u0301',
  ],
  ...[
    '👩‍👩‍👧',
    '🙂',
    'ｆｕｌｌ',
    'שלום',
    '\u202eabc\u202c',
    '\x1b[31m',
    '\x9b31m',
    '\u2028',
    '\ud800',
    '\u200b',
    '\u0085',
    '\x07',
  ],
)
const page = fc
  .array(fc.tuple(fc.constantFrom('<p>', '<li>', '<b>', ' ', '<pre>', '<img src=x alt=\x1b>'), word), { maxLength: 40 })
  .map((parts) => parts.flat().join(''))

test('columns of a terminal: wide letters take two, marks none', () => {
  assert.equal(displayWidth('abc'), 3)
  assert.equal(displayWidth('日本'), 4)
  assert.equal(displayWidth('한글'), 4)
  assert.equal(displayWidth('e\u0301'), 1)
  assert.equal(displayWidth('🙂'), 2)
  assert.equal(displayWidth('│…→'), 3)
})

test('any page fits the terminal, and nothing of it gets there raw', () => {
  const width = fc.constantFrom(20, 40, 80, 200)
  fc.assert(
    fc.property(page, page, width, fc.boolean(), (before, after, columns, colour) => {
      const found = diff(before, after)
      for (const line of diffLines(found, { width: columns, colour })) {
        const text = line.replace(/\x1b\[(31|32|2|0)m/g, '')
        assert.equal(colour ? text : line, text, 'no colours unless asked for')
        assert.equal(plain(text), text)
        assert.ok(displayWidth(text) <= Math.max(columns, 27), `${displayWidth(text)} columns: ${text}`)
      }
      for (const line of summaryOf(found)) assert.equal(plain(line), line)
    }),
  )
})

test('the web page escapes all of it, needs nothing else and runs nothing', () => {
  fc.assert(
    fc.property(page, page, (before, after) => {
      const html = diffPage({ ...HEADING, url: `http://a.test/"><script>${after}` }, diff(before, after))
      assert.doesNotMatch(html, /<script|<img|\son\w+=/i)
      assert.doesNotMatch(html, /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069\u200e\u200f]/u)
    }),
  )
  const html = diffPage(HEADING, diff('<p>one two three four', '<p>one two five four<p><b>new & <i>bold'))
  assert.match(html, /one two <del>three<\/del> four/)
  assert.match(html, /one two <ins>five<\/ins> four/)
  assert.match(html, /<ins>new &amp; bold<\/ins>/)
  const [, style] = /<style>([^<]*)<\/style>/.exec(html)!
  assert.ok(html.includes(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`))
})

test('long unchanged parts of a changed block are shortened to what is beside the change', () => {
  const long = 'word '.repeat(100)
  const lines = diffLines(diff(`<p>${long}old ${long}`, `<p>${long}new ${long}`), { width: 80, colour: false })
  assert.ok(lines.length < 10, lines.join('\n'))
  assert.match(lines.join('\n'), /word \[-old-\] word/)
})

test('JSON is the same value, without a character that could control a terminal', () => {
  const value = { text: '\x1b[31m\u009b\u202e\u2028\u{e0041}\ud800"\\\n日本' }
  const json = plainJson(JSON.stringify(value, undefined, 2))
  assert.deepEqual(JSON.parse(json), value)
  assert.equal(plain(json.replaceAll('\n', ' ')), json.replaceAll('\n', ' '))
})
