import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hostileUrl } from './hostile.test-data.ts'
import { parseSeed, submittedSeed } from './seed.ts'

const read = (text: string) => {
  const seed = submittedSeed(text)
  return seed.kind === 'seed' ? (seed.isCorrected ? `corrected: ${seed.url.href}` : seed.url.href) : `bad: ${seed.why}`
}

test('what is right is left alone', () => {
  for (const [text, href] of [
    ['http://example.org/', 'http://example.org/'],
    ['example.org', 'http://example.org/'],
    ['https://en.example.org/wiki/Mercury_(planet)', 'https://en.example.org/wiki/Mercury_(planet)'],
    ['[::1]:8080/x', 'http://[::1]:8080/x'],
    ['https://example.org/a,b', 'https://example.org/a,b'],
    ['wwwhatsnew.com', 'http://wwwhatsnew.com/'],
    ['http://intranet/a', 'http://intranet/a'],
    ['example.org.', 'http://example.org/'],
  ]) {
    assert.equal(read(text), href)
  }
})

test('slips are put right, and that is said', () => {
  for (const [text, expected] of [
    ['htp://example.org', `http://example.org/`],
    ['hhtps://example.org/a', `https://example.org/a`],
    ['http//example.org', `http://example.org/`],
    ['http:/example.org', `http://example.org/`],
    ['https:example.org', `https://example.org/`],
    ['http;//example.org', `http://example.org/`],
    ['http.//example.org', `http://example.org/`],
    ['://example.org', `http://example.org/`],
    ['http://http://example.org/', `http://example.org/`],
    ['http://https://example.org/', `https://example.org/`],
    ['http:\\\\example.org\\a', `http://example.org/a`],
    ['http:\\example.org', `http://example.org/`],
    ['www,example.org', `http://www.example.org/`],
    ['www..example..org/a..b', `http://www.example.org/a..b`],
    ['http://www,example,org', `http://www.example.org/`],
    ['www. example.org', 'http://www.example.org/'],
    ['http : // www.example.org', 'http://www.example.org/'],
    ['www example org', 'http://www.example.org/'],
    ['http://example.org/a,', `http://example.org/a`],
    ['"http://example.org/"', `http://example.org/`],
    ['<URL:http://example.org/>', `http://example.org/`],
    ['(http://example.org/a)', `http://example.org/a`],
    ['[http://example.org/]', `http://example.org/`],
    ['“example.org”;', `http://example.org/`],
    ['\u200bhttp://exam\u00adple.org/', 'http://example.org/'],
    ['"htp//www,example,org",', `http://www.example.org/`],
  ]) {
    assert.equal(read(text), `corrected: ${expected}`, text)
  }
})

test('what is in doubt is refused with the reason', () => {
  for (const [text, why] of [
    ['', /empty/],
    ['http://a.test,http://b.test', /two URLs/],
    ['""', /empty/],
    ['exa mple.org', /not a valid URL/],
    ['mailto:a@example.org', /only http/],
    ['a@example.org', /e-mail/],
    ['http://a:b@example.org/', /passwords/],
    ['example', /full host name/],
    ['telecom', /full host name/],
    ['http://a.test/ http://b.test/', /two URLs/],
    ['ftp://example.org/', /only http/],
    ['x'.repeat(1_000_000), /longer than/],
  ] as const) {
    assert.match(read(text), why, text.slice(0, 50))
  }
})

test('whatever is submitted, it ends as a seed that an operator could have written, or with a reason', () => {
  const slips = fc.constantFrom(
    'http',
    'htp',
    ':',
    '/',
    '//',
    '\\',
    ',',
    '.',
    'www',
    'example',
    'org',
    'com',
    ' ',
    '"',
    '<',
    ')',
    '[',
    '@',
    ';',
    'é',
    '\u200b',
    '%',
    '?',
    '#',
  )
  const text = fc.oneof(
    fc.array(slips, { maxLength: 14 }).map((words) => words.join('')),
    fc.string({ unit: 'binary' }),
    hostileUrl,
  )
  fc.assert(
    fc.property(text, (submitted) => {
      const seed = submittedSeed(submitted)
      if (seed.kind === 'bad') return seed.why !== ''
      return parseSeed(seed.url.href).kind === 'seed'
    }),
    { numRuns: 20_000 },
  )
})

test('long runs of slips take no long time', () => {
  for (const run of [
    'http://',
    'htp:',
    ',',
    '.',
    ' ',
    '"',
    '(',
    ')',
    '[',
    '\\',
    'www',
    '://',
    ' .',
    'http;//',
    '\u200b',
    '<url:',
    ')]}',
  ]) {
    const text = run.repeat(Math.ceil(16_000 / run.length))
    assert.ok(['seed', 'bad'].includes(submittedSeed(text).kind))
  }
  // Half of each took minutes when every bracket was taken off by a search of its own.
  const halves = `a.test/${'"'.repeat(8000)}x${')'.repeat(8000)}`
  assert.equal(submittedSeed(halves).kind, 'bad')
})

test('brackets at the end belong to a URL that opens them', () => {
  const href = (text: string) => {
    const seed = submittedSeed(text)
    return seed.kind === 'seed' ? seed.url.href : seed.why
  }
  assert.equal(href('(http://a.test/b_(c))'), 'http://a.test/b_(c)')
  assert.equal(href('http://a.test/b)],"'), 'http://a.test/b')
  assert.equal(href('http://[2001:db8::1]'), 'http://[2001:db8::1]/')
  assert.equal(href('[2001:db8::1]'), 'http://[2001:db8::1]/')
})
