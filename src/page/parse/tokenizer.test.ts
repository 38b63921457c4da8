import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { conformanceTest } from '../../base/conformance.test-data.ts'
import { DOUBLE_QUOTE, isSpace, reads, SINGLE_QUOTE } from './letters.ts'
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

/** The cases of html5lib-tests, when ORBWEAVER_CONFORMANCE names the folder that holds them. */
interface Case {
  description: string
  input: string
  output: unknown[][]
  initialStates?: string[]
  lastStartTag?: string
  doubleEscaped?: boolean
}

/**
 * What we do otherwise, on purpose: `xmlViolation.json` describes an optional mode that repairs text for XML parsers.
 * Parse errors are not compared: a crawler reads on and tells nobody.
 */
const NOT_OURS = new Set(['xmlViolation.json'])

const STATES = {
  'Data state': 'data',
  'RCDATA state': 'rcdata',
  'RAWTEXT state': 'rawtext',
  'Script data state': 'script',
  'PLAINTEXT state': 'plaintext',
  'CDATA section state': 'cdata',
} as const

function casesTokens(input: string, state: string, lastStartTag: string): unknown[][] {
  const tokens = new Tokenizer(input)
  tokens.enter(STATES[state as keyof typeof STATES], lastStartTag)
  const found: unknown[][] = []
  for (;;) {
    const token = tokens.next()
    if (token === TOKEN.end) return found
    if (token === TOKEN.text) {
      const last = found.at(-1)
      if (last?.[0] === 'Character') last[1] = String(last[1]) + tokens.text()
      else found.push(['Character', tokens.text()])
    } else if (token === TOKEN.comment) {
      found.push(['Comment', tokens.comment])
    } else if (token === TOKEN.doctype) {
      const { name, publicId, systemId, correct } = parseDoctype(tokens.comment, tokens.isClosedComment)
      found.push(['DOCTYPE', name, publicId, systemId, correct])
    } else if (token === TOKEN.endTag) {
      found.push(['EndTag', tokens.name])
    } else {
      const tag: unknown[] = ['StartTag', tokens.name, Object.fromEntries(tokens.attributes())]
      found.push(tokens.selfClosing ? [...tag, true] : tag)
    }
  }
}

const unescapeText = (text: string) =>
  text.replace(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

function unescaped(value: unknown): unknown {
  if (typeof value === 'string') return unescapeText(value)
  if (Array.isArray(value)) return value.map(unescaped)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [unescapeText(name), unescaped(inner)]))
}

conformanceTest('the tokenizer agrees with html5lib-tests', (folder) => {
  const home = join(folder, 'html', 'tokenizer')
  const wrong: string[] = []
  let ran = 0
  for (const file of readdirSync(home).sort()) {
    if (NOT_OURS.has(file)) continue
    const { tests } = JSON.parse(readFileSync(join(home, file), 'utf8')) as { tests: Case[] }
    for (const one of tests) {
      const input = one.doubleEscaped ? unescapeText(one.input) : one.input
      const expected = one.doubleEscaped ? unescaped(one.output) : one.output
      for (const state of one.initialStates ?? ['Data state']) {
        ran++
        const found = casesTokens(input, state, one.lastStartTag ?? '')
        if (JSON.stringify(found) === JSON.stringify(expected)) continue
        const told = `${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`
        wrong.push(`${file} (${state}): ${one.description}: ${JSON.stringify(input)}: ${told}`)
      }
    }
  }
  assert.deepEqual(wrong.slice(0, 20), [], `${wrong.length} of ${ran} differ`)
  assert.ok(ran > 7000, `only ${ran} cases were found`)
})

/** The inside of `<!DOCTYPE …>`, as the standard reads it. */
interface Doctype {
  name: string | null
  publicId: string | null
  systemId: string | null
  /** The standard's force-quirks flag, turned round. */
  correct: boolean
}

/** `text`: what stands between `<!DOCTYPE` and `>`; `closed`: the `>` was there. */
function parseDoctype(text: string, closed: boolean): Doctype {
  const doctype: Doctype = { name: null, publicId: null, systemId: null, correct: closed }
  let at = skipSpace(text, 0)
  const nameFrom = at
  while (at < text.length && !isSpace(text.charCodeAt(at))) at++
  if (at === nameFrom) return { ...doctype, correct: false }
  doctype.name = text.slice(nameFrom, at).replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  at = skipSpace(text, at)
  if (at >= text.length) return doctype
  if (reads(text, at, 'public')) {
    const id = readId(text, skipSpace(text, at + 6))
    if (id === undefined) return { ...doctype, correct: false }
    doctype.publicId = id.value
    if (!id.closed) return { ...doctype, correct: false }
    at = skipSpace(text, id.end)
    if (at >= text.length) return doctype
  } else if (reads(text, at, 'system')) {
    at = skipSpace(text, at + 6)
  } else {
    return { ...doctype, correct: false }
  }
  const id = readId(text, at)
  if (id === undefined) return { ...doctype, correct: false }
  doctype.systemId = id.value
  // What follows the system identifier is a mistake that does not spoil the rest.
  const ended = id.closed && (closed || skipSpace(text, id.end) < text.length)
  return { ...doctype, correct: ended }
}

function readId(text: string, at: number): { value: string; closed: boolean; end: number } | undefined {
  const quote = at < text.length ? text.charCodeAt(at) : 0
  if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) return undefined
  const end = text.indexOf(quote === DOUBLE_QUOTE ? '"' : "'", at + 1)
  if (end < 0) return { value: text.slice(at + 1), closed: false, end: text.length }
  return { value: text.slice(at + 1, end), closed: true, end: end + 1 }
}

function skipSpace(text: string, at: number): number {
  while (at < text.length && isSpace(text.charCodeAt(at))) at++
  return at
}
