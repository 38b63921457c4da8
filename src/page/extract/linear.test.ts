/** Reading takes steps in proportion to the page, whatever the page: counted, not timed. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runThrough } from '../../base/stretches.ts'
import { gather } from './gather.ts'

/** Stands for the page's text and counts every character that is looked at, searched or cut out. */
class CountingText {
  steps = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  get length(): number {
    return this.#text.length
  }

  charCodeAt(at: number): number {
    assert.ok(at < this.#text.length, 'looked at beyond the end')
    this.steps++
    return this.#text.charCodeAt(at)
  }

  indexOf(what: string, from: number): number {
    const found = this.#text.indexOf(what, from)
    this.steps += (found < 0 ? this.#text.length : found) - from + 1
    return found
  }

  slice(from: number, to: number): string {
    this.steps += to - from
    return this.#text.slice(from, to)
  }
}

function steps(html: string): number {
  const text = new CountingText(html)
  gather(text as unknown as string, false)
  return text.steps
}

const UNCLOSED = [
  '<!--',
  '<a href="',
  "<a href='",
  '<a ',
  '<title>',
  '<script>',
  '<script><!--',
  '<!doctype ',
  '<?',
  '<svg><![CDATA[',
  '<template>',
  '<plaintext>',
  '<textarea>',
  '<iframe>',
  '<p a=',
  "<script>'",
  '<script>`',
  '<script>/*',
  '<script>//',
  '<script>=/[',
  '<script>location="',
]
const REPEATED = [
  '<',
  '</',
  '</>',
  '<!',
  '<!-',
  '--',
  '--!',
  '<!-->',
  '<a b=c ',
  '<a>',
  '<div>',
  '</div>',
  '&',
  '&#',
  '&#x1',
  '&amp',
  'a ',
  '"',
  '=',
  '/',
  '<!--<script>',
  '</script',
  '</titl',
  ']]',
  ']]>',
  '<![CDATA[]]>',
  '<a href=x>',
  '<title>x</title>',
  '<iframe/>',
  '<iframe/></iframe>',
  '<noembed></iframe',
  '<svg><p>',
  '<meta name=robots content=noindex>',
  '&a<b>',
  '你',
  "'x.html' ",
  "'x.html'+",
  '`\\`',
  '=/[',
  '=/\\',
  '/*',
  "'\\",
  'http://a.test/b"',
  '<script>/*</script>',
  '<script>`</script>',
  '<script>=/[</script>',
  '<p onclick="\'x.html\'">',
  '<a href="javascript:\'x.html\'">',
  'abc1 may ',
  'longlonglonglonglonglonglonglonglong',
]

test('twice the page, twice the steps', () => {
  for (const opening of ['', ...UNCLOSED]) {
    for (const part of [...REPEATED, ...UNCLOSED]) {
      const once = steps(opening + part.repeat(500))
      const twice = steps(opening + part.repeat(1000))
      const size = part.length * 1000
      assert.ok(twice <= 2 * once + 500, `${opening} ${part}: ${once} steps, then ${twice}`)
      assert.ok(twice <= 25 * size + 1000, `${opening} ${part}: ${twice} steps for ${size} characters`)
    }
  }
})

test('any mixture of them, nested and repeated, takes steps in proportion too', (t) => {
  const piece = fc.tuple(fc.constantFrom('', ...UNCLOSED, ...REPEATED), fc.integer({ min: 1, max: 60 }))
  let inputs = 0
  let max = 0
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 8 }), (pieces, times) => {
      const html = pieces
        .map(([part, count]) => part.repeat(count))
        .join('')
        .repeat(times)
      const taken = steps(html)
      inputs++
      if (html.length > 1000) max = Math.max(max, taken / html.length)
      assert.ok(taken <= 40 * html.length + 1000, `${taken} steps for ${html.length} characters`)
    }),
    { numRuns: 2000 },
  )
  t.diagnostic(`${inputs} inputs, at most ${max.toFixed(1)} steps a character`)
})

test('deep nesting and many of everything overflow nothing', () => {
  for (const part of ['<div>', '</>', '<svg>', '<template>', '<![CDATA[]]>', '<a x=', '<!---->']) {
    assert.deepEqual(runThrough(gather(part.repeat(100_000), true)).links, [])
  }
  const attributes = Array.from({ length: 50_000 }, (_, i) => `a${i}=1`).join(' ')
  assert.equal(
    runThrough(gather(`<a ${attributes} href=late>`, false)).links.length,
    0,
    'attributes after the first 1,000',
  )
  assert.equal(runThrough(gather(`<a href=early ${attributes}>`, false)).links.length, 1)
})
