import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { href, html, visible } from './html.ts'

test('whatever is interpolated is text, in elements and in attributes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const { text: made } = html`<p title="${text}">${text}</p>${visible(text, 20)}`
      const inside = made.replace(/^<p title="|">|<\/p><bdi>|<\/bdi>(?: <small>\([\d,]+ characters\)<\/small>)?$/g, '')
      assert.doesNotMatch(inside, /[<>"']/)
      assert.doesNotMatch(inside, /&(?!(?:amp|lt|gt|quot|#39);)/)
      assert.doesNotMatch(inside, /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u)
    }),
  )
})

test('mark-up stays, lists are joined, nothing is nothing', () => {
  assert.equal(html`<b>${[html`<i>1</i>`, 2, 'x<']}${false}${undefined}${null}${0}</b>`.text, '<b><i>1</i>2x&lt;0</b>')
})

test('bidi, zero width and control characters are written out', () => {
  assert.equal(html`${'a\u202eb\u200bc\u0007d\u{e0041}'}`.text, 'a⟨202E⟩b⟨200B⟩c⟨0007⟩d⟨E0041⟩')
})

test('two million characters become three hundred', () => {
  const { text } = visible(`http://a.test/${'x'.repeat(2_000_000)}`)
  assert.ok(text.length < 400)
  assert.match(text, /2,000,014 characters/)
})

test('a query is encoded, and what is undefined left out', () => {
  assert.equal(href('/crawl', '/site', { name: 'a&b=c', page: undefined, n: 2 }), '/crawl/site?name=a%26b%3Dc&n=2')
})
