import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseDoctype } from './doctype.test-data.ts'
import { TOKEN, Tokenizer } from './tokenizer.ts'

/** `<a x=1>` as ['<a', {x: '1'}], `</a>` as ['</a'], text and comments as they are. */
function tokensOf(input: string, prepare?: (tokens: Tokenizer) => void): unknown[] {
  const tokens = new Tokenizer(input)
  prepare?.(tokens)
  const found: unknown[] = []
  for (;;) {
    const token = tokens.next()
    if (token === TOKEN.end) return found
    if (token === TOKEN.text) found.push(tokens.text())
    else if (token === TOKEN.comment) found.push(['!', tokens.comment])
    else if (token === TOKEN.doctype) found.push(['doctype', parseDoctype(tokens.comment, tokens.isClosedComment)])
    else if (token === TOKEN.endTag) found.push([`</${tokens.name}`])
    else found.push([`<${tokens.name}`, Object.fromEntries(tokens.attributes())])
  }
}

test('tags: names and attribute names in lower case, the first of two equal attributes counts', () => {
  assert.deepEqual(tokensOf('<A HREF="x" Href=y>t</A >'), [['<a', { href: 'x' }], 't', ['</a']])
  assert.deepEqual(tokensOf("<p a=1/ b='2'c = 3 d e=>"), [['<p', { a: '1/', b: '2', c: '3', d: '', e: '' }]])
  assert.deepEqual(tokensOf('<x-y =a=b //z>'), [['<x-y', { '=a': 'b', z: '' }]])
  assert.deepEqual(tokensOf('<a\r\nhref=x\r>'), [['<a', { href: 'x' }]])
})

test('attribute() finds what attributes() lists', () => {
  const tokens = new Tokenizer('<a CLASS=k href="/?a=1&amp;b=2&copy=3&lt" href=no disabled>')
  assert.equal(tokens.next(), TOKEN.startTag)
  assert.equal(tokens.attribute('class'), 'k')
  assert.equal(tokens.attribute('href'), '/?a=1&b=2&copy=3<')
  assert.equal(tokens.attribute('disabled'), '')
  assert.equal(tokens.attribute('hre'), undefined)
})

test('references: with and without semicolon, in text and in attributes', () => {
  assert.deepEqual(tokensOf('&amp;&lt&#x41;&#66&nope; &notit; &#128; &#0;'), ['&<AB&nope; ¬it; € \ufffd'])
  assert.deepEqual(tokensOf('<a b="&notit; &not= &amp">'), [['<a', { b: '&notit; &not= &' }]])
})

test('what looks like mark-up and is none', () => {
  assert.deepEqual(tokensOf('a < b <3 <'), ['a < b <3 <'])
  assert.deepEqual(tokensOf('a</>b</'), ['a', 'b</'])
  assert.deepEqual(tokensOf('</ x>y<?php z>'), [['!', ' x'], 'y', ['!', '?php z']])
  assert.deepEqual(tokensOf('<a href="never closed>text'), [])
  assert.deepEqual(tokensOf('<a href'), [])
})

test('comments end where the standard says', () => {
  assert.deepEqual(tokensOf('<!-->a<!--->b<!-- x --!>c<!--!>d-->e<!--'), [
    ['!', ''],
    'a',
    ['!', ''],
    'b',
    ['!', ' x '],
    'c',
    ['!', '!>d'],
    'e',
    ['!', ''],
  ])
  assert.deepEqual(tokensOf('<![CDATA[x]]>'), [['!', '[CDATA[x]]']])
})

test('CDATA is text where it is allowed', () => {
  const allow = (tokens: Tokenizer) => {
    tokens.cdataAllowed = true
  }
  assert.deepEqual(tokensOf('<![CDATA[a<b&amp;]]>c', allow), ['a<b&amp;', 'c'])
  assert.deepEqual(tokensOf('<![CDATA[]]>'.repeat(50_000), allow), [], 'and many empty ones overflow no stack')
})

test('doctypes', () => {
  const correct = { name: 'html', publicId: null, systemId: null, correct: true }
  assert.deepEqual(tokensOf('<!doctype HTML>'), [['doctype', correct]])
  const [old] = tokensOf('<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" \'x.dtd\'>')
  assert.deepEqual(old, ['doctype', { ...correct, publicId: '-//W3C//DTD HTML 4.01//EN', systemId: 'x.dtd' }])
})

test('raw text: only its own end tag ends it', () => {
  const enter = (state: 'rcdata' | 'rawtext' | 'script', name: string) => (tokens: Tokenizer) =>
    tokens.enter(state, name)
  const wholeTitle = ['a <b> & </titl </titlex ', ['</title'], 'x']
  assert.deepEqual(tokensOf('a <b> &amp; </titl </titlex </TITLE\n>x', enter('rcdata', 'title')), wholeTitle)
  assert.deepEqual(tokensOf('a &amp; <!--</style>-->', enter('rawtext', 'style')), ['a &amp; <!--', ['</style'], '-->'])
  assert.deepEqual(tokensOf('if (a<b) "</scrip>"</script>x', enter('script', 'script')), [
    'if (a<b) "</scrip>"',
    ['</script'],
    'x',
  ])
})

test('scripts: a script inside an escaped part of a script does not end it', () => {
  const script = (input: string) => tokensOf(input, (tokens) => tokens.enter('script', 'script'))
  assert.deepEqual(script('<!--<script></script>--></script>'), ['<!--<script></script>-->', ['</script']])
  assert.deepEqual(script('<!--</script>x'), ['<!--', ['</script'], 'x'])
  assert.deepEqual(script('<!--><script></script>'), ['<!--><script>', ['</script']])
  assert.deepEqual(script('<!--<scripty></script>'), ['<!--<scripty>', ['</script']])
})

test('any text is tokenized to its end, with tokens in order and inside the input', () => {
  const bits = fc.constantFrom(
    '<',
    '</',
    '>',
    '<!--',
    '-->',
    '"',
    "'",
    '=',
    '&',
    '&#x',
    ' ',
    '\0',
    '\r',
    'a',
    'script',
    '<![CDATA[',
    '/',
    '?',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(bits, fc.string({ unit: 'grapheme', maxLength: 3 })), { maxLength: 60 }), (parts) => {
      const tokens = new Tokenizer(parts.join(''))
      let before = 0
      for (let token = tokens.next(); token !== TOKEN.end; token = tokens.next()) {
        if (token !== TOKEN.text && token !== TOKEN.comment) continue
        assert.ok(tokens.from >= before && tokens.to >= tokens.from && tokens.to <= tokens.input.length)
        before = tokens.to
      }
    }),
  )
})
