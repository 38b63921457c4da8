import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { inert } from './url.ts'

test('a capture has no element that connects anywhere or leads anywhere, however it is written', () => {
  const tag = fc.constantFrom('link', 'META', 'bAse', 'a', 'area', 'iframe', 'FRAME', 'object', 'embed')
  const end = fc.constantFrom(' ', '\t', '\n', '\f', '\r', '/', '>')
  fc.assert(
    fc.property(fc.string(), tag, end, fc.string(), (before, name, after, rest) => {
      const shown = inert(`${before}<${name}${after}href=x>${rest}</${name}>`)
      assert.doesNotMatch(shown, /<\/?(?:link|meta|base|a|area|i?frame|object|embed)[\s/>]/i)
    }),
  )
})

test('the rest of a capture stays as it is', () => {
  const page = '<!doctype html><article><p class="a">a < b, <abbr>link</abbr> <address>base</address></p></article>'
  assert.equal(inert(page), page)
})
