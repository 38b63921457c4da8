import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hash64 } from '../../base/digest.ts'
import { hostilePath, hostileUrl } from './hostile.test-data.ts'
import { homeOf, LONGEST_URL, parseUrl, type Resolved, resolver, siteKey } from './web-url.ts'

const BASE = 'https://www.example.org/dir/page.html?q=1'
const shown = (read: Resolved) => {
  if (read.kind === 'url') return read.url.href
  return read.kind === 'unwanted'
    ? `unwanted ${read.scheme}`
    : read.kind === 'malformed'
      ? `malformed: ${read.why}`
      : read.kind
}
const from = (href: string, base = BASE) => shown(resolver(base)(href))

test('the parts of a URL', () => {
  const url = parseUrl(' HTTP://User:pw@WWW.Example.ORG:8080/a%7eb/../c?d=%41#e ')
  assert.deepEqual(url, {
    href: 'http://www.example.org:8080/c?d=%41',
    key: hash64('http://www.example.org:8080/c?d=A'),
    normalised: 'http://www.example.org:8080/c?d=A',
    lossy: false,
    scheme: 'http',
    host: 'www.example.org',
    port: 8080,
    site: 'www.example.org:8080',
    path: '/c?d=%41',
  })
  const parts = (text: string) => {
    const { host, port, site, path } = parseUrl(text)!
    return [host, port, site, path]
  }
  assert.deepEqual(parts('https://münchen.example'), ['xn--mnchen-3ya.example', 443, 'xn--mnchen-3ya.example', '/'])
  assert.deepEqual(parts('http://[2001:DB8::1]:81/'), ['[2001:db8::1]', 81, '[2001:db8::1]:81', '/'])
  assert.deepEqual(parts('http://0x7f.1/'), ['127.0.0.1', 80, '127.0.0.1', '/'])
  assert.deepEqual(parts('http://h.test.:81/a'), ['h.test', 81, 'h.test:81', '/a'])
  assert.equal(parseUrl('http://h.test./a')?.href, 'http://h.test/a')
})

test('http and https of a host are one site, and two keys', () => {
  const sites = ['http://h.test/', 'https://h.test/', 'http://h.test:443/', 'https://h.test:80/'].map(
    (u) => parseUrl(u)!,
  )
  assert.deepEqual(new Set(sites.map((url) => url.site)), new Set(['h.test']))
  assert.equal(new Set(sites.map((url) => url.key)).size, 4)
  assert.equal(siteKey('h.test'), hash64('h.test'))
})

test('home pages', () => {
  assert.equal(homeOf(parseUrl('https://h.test:8443/a/b?c')!).href, 'https://h.test:8443/')
  const home = parseUrl('http://h.test/')!
  assert.equal(homeOf(home), home)
  assert.equal(homeOf(parseUrl('http://h.test/?x')!).path, '/')
})

test('references, plain and otherwise', () => {
  assert.equal(from('/a/b.html#c'), 'https://www.example.org/a/b.html')
  assert.equal(from('b.html'), 'https://www.example.org/dir/b.html')
  assert.equal(from('?x=1'), 'https://www.example.org/dir/page.html?x=1')
  assert.equal(from('../up'), 'https://www.example.org/up')
  assert.equal(from('//other.test/x'), 'https://other.test/x')
  assert.equal(from('http://other.test'), 'http://other.test/')
  assert.equal(from('https://www.example.org/a'), 'https://www.example.org/a')
  assert.equal(from('https://www.example.org.evil.test/a'), 'https://www.example.org.evil.test/a')
  assert.equal(from('a:b'), 'unwanted other-scheme')
  assert.equal(from('./a:b'), 'https://www.example.org/dir/a:b')
  assert.equal(from('é?ü'), 'https://www.example.org/dir/%C3%A9?%C3%BC')
  assert.equal(from('\\a\\b'), 'https://www.example.org/a/b')
  assert.equal(from('http:x'), 'http://x/')
})

test('nothing, other schemes, malformed ones', () => {
  for (const href of ['', '  ', '#', '#top', ' #x']) assert.equal(from(href), 'empty', href)
  assert.equal(from('mailto:a@b.c'), 'unwanted mailto')
  assert.equal(from('JavaScript:void(0)'), 'unwanted javascript')
  assert.equal(from('java\nscript:void(0)'), 'unwanted javascript')
  assert.equal(from(`data:text/html,${'x'.repeat(100_000)}`), 'unwanted data')
  assert.equal(from('weird+scheme:x'), 'unwanted other-scheme')
  assert.equal(from('http://h.test:0/'), 'malformed: port 0')
  assert.equal(from('http://h.test:99999/'), 'malformed: unreadable')
  assert.equal(from('http://h.test../'), 'malformed: host with an empty label')
  assert.equal(from('http://./'), 'malformed: no host')
  assert.equal(from('http://a..test/'), 'malformed: host with an empty label')
  assert.equal(from(`http://${'a'.repeat(64)}.test/`), 'malformed: host with a label too long')
  assert.equal(from(`http://${'abcdefg.'.repeat(32)}test/`), 'malformed: host too long')
  assert.equal(from('http://a,b.test/'), 'malformed: host with characters that no name has')
  assert.equal(from('http://'), 'malformed: unreadable')
  assert.equal(from(`/${'x'.repeat(LONGEST_URL)}`), 'malformed: too long')
  assert.equal(from(`/${'é'.repeat(LONGEST_URL / 4)}`), 'malformed: too long')
  assert.equal(from(`/a#${'x'.repeat(LONGEST_URL)}`), 'https://www.example.org/a')
})

test('spaces are repaired (V29)', () => {
  assert.equal(from(' /a b/c d.html '), 'https://www.example.org/a%20b/c%20d.html')
  assert.equal(from('http:// other.test /a'), 'http://other.test/a')
  assert.equal(from('\u00a0/a\u00a0'), 'https://www.example.org/a')
  assert.equal(from('/a\n b'), 'https://www.example.org/a%20b')
  assert.equal(from('http://oth er.test/'), 'malformed: unreadable')
})

test('letters of a query are written in the encoding of the page, those of a path never', () => {
  const inCharset = (href: string, charset: string) => shown(resolver(BASE, charset)(href))
  assert.equal(inCharset('/é?é=1#é', 'iso-8859-1'), 'https://www.example.org/%C3%A9?%E9=1')
  assert.equal(inCharset('/a?q=привет', 'windows-1251'), 'https://www.example.org/a?q=%EF%F0%E8%E2%E5%F2')
  assert.equal(inCharset('/a?q=€', 'latin1'), 'https://www.example.org/a?q=%80')
  assert.equal(inCharset('/a?q=日', 'latin1'), 'https://www.example.org/a?q=%26%2326085%3B')
  assert.equal(inCharset('/a?q=😀', 'koi8-r'), 'https://www.example.org/a?q=%26%23128512%3B')
  assert.equal(inCharset('/a#é?é', 'latin1'), 'https://www.example.org/a')
  for (const charset of ['utf-8', 'utf-16le', 'shift_jis', 'no-such', '', 'x'.repeat(1000)])
    assert.equal(inCharset('/a?q=é', charset), 'https://www.example.org/a?q=%C3%A9', charset)
})

test('a base that is no http URL leaves only absolute references', () => {
  assert.equal(from('/a', 'file:///c:/x'), 'unwanted file')
  assert.equal(from('/a', 'not a base'), 'malformed: relative, and no base')
  assert.equal(from('http://h.test/a', 'not a base'), 'http://h.test/a')
  assert.equal(from('a', 'mailto:x'), 'malformed: unreadable')
})

/** What our answer must be when the parser of the platform has read the same. */
function expected(href: string, base: string): string | undefined {
  const read = URL.parse(href, base)
  if (read === null || !read.protocol.startsWith('http')) return undefined
  read.hash = ''
  read.username = ''
  read.password = ''
  // The one dot at the end of a host that we leave out.
  return read.href.replace(/^(https?:\/\/[^/]*[^./])\.(?=[:/])/, '$1')
}

const BASES = [BASE, 'http://h.test/', 'http://h.test:8080/a//b/', 'https://h.test/a%2fb/c|d?x/y', 'http://[::1]/x/y']
const piece = fc.constantFrom(
  ...[
    '/',
    '//',
    'a',
    'B',
    '.',
    '..',
    './',
    '../',
    '%',
    '%2e',
    '%41',
    '?',
    '#',
    ':',
    '@',
    '&',
    '=',
    "'",
    '"',
    ' ',
    '\t',
    '\\',
  ],
  ...[
    '~',
    '|',
    '^',
    '`',
    '{',
    '<',
    '[',
    ']',
    ';',
    ',',
    '!',
    '*',
    '+',
    '$',
    '(',
    'é',
    '日',
    '\u0000',
    '\u007f',
    '9',
    '-',
    '_',
  ],
  ...[
    'http:',
    'https://',
    'http://h.test',
    'https://www.example.org',
    'xn--',
    'xn--a',
    '.test',
    '.1',
    '0x1',
    'ß',
    '。',
    '127.0.0.1',
  ],
)

test('the fast path reads as the URL parser does', () => {
  const reference = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(reference, fc.constantFrom(...BASES), (href, base) => {
      const ours = resolver(base)(href)
      if (ours.kind !== 'url') return true
      const theirs = expected(href.trim(), base)
      if (theirs === undefined) assert.match(href, /\/\/.*\s/s, 'only spaces are repaired')
      else assert.equal(ours.url.href, theirs)
      const again = parseUrl(ours.url.href)
      assert.deepEqual(again, ours.url)
      return true
    }),
    { numRuns: 20_000 },
  )
})

test('steps up and escapes on the fast path, from any folder, as the URL parser has them', () => {
  const step = fc.constantFrom(
    './',
    '../',
    '.',
    '..',
    '/',
    'a',
    'b.html',
    '%7e',
    '%2e',
    '%2E/',
    '%',
    '?q=%41',
    '#f',
    ';x',
    '.a',
  )
  const folder = fc
    .array(fc.constantFrom('a/', 'b%20c/', '/', '.x/', '%2f/'), { maxLength: 5 })
    .map((names) => `http://h.test/${names.join('')}page?x=/y/`)
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), folder, (steps, base) => {
      const href = steps.join('')
      const ours = resolver(base)(href)
      if (ours.kind === 'empty') assert.match(href, /^#/)
      else if (href.startsWith('//')) assert.notEqual(ours.kind, 'empty')
      else assert.equal(shown(ours), expected(href, base), `${href} from ${base}`)
    }),
    { numRuns: 10_000 },
  )
})

test('below a base element, in any encoding, plain letters are read as the URL parser reads them', () => {
  const letters = fc.stringMatching(/^[a-zA-Z0-9%./~;&=?#-]{1,12}$/)
  const element = fc.oneof(letters, fc.constantFrom('/', '/b/', '../', 'http://other.test/x/', '//other.test/y', '?q'))
  const charset = fc.constantFrom(undefined, 'utf-8', 'windows-1251', 'iso-8859-1', 'shift_jis', 'x')
  fc.assert(
    fc.property(letters, element, fc.constantFrom(...BASES), charset, (href, base, page, of) => {
      const below = resolver(page)(base)
      if (below.kind !== 'url' || href.startsWith('//')) return
      const ours = resolver(below.url.href, of)(href)
      if (ours.kind === 'empty') assert.match(href, /^#/)
      else assert.equal(shown(ours), expected(href, expected(base, page) ?? ''), `${href} below ${base} on ${page}`)
    }),
    { numRuns: 5000 },
  )
})

test('what the URL parser reads is either read or malformed for a reason of ours', () => {
  const reference = fc.oneof(
    fc.array(piece, { maxLength: 6 }).map((p) => p.join('')),
    fc.string(),
    fc.webUrl(),
  )
  fc.assert(
    fc.property(reference, fc.constantFrom(...BASES), (href, base) => {
      const ours = resolver(base)(href)
      if (ours.kind !== 'malformed' || expected(href, base) === undefined) return true
      return /^(no host|host|port)/.test(ours.why)
    }),
    { numRuns: 5000 },
  )
})

test('whatever a page holds is read or told apart, and never longer than it may be', () => {
  const reference = fc.oneof(hostileUrl, hostilePath, fc.string({ unit: 'binary' }), fc.string())
  const charset = fc.constantFrom(undefined, 'utf-8', 'windows-1251', 'shift_jis', 'x')
  fc.assert(
    fc.property(reference, fc.oneof(reference, fc.constantFrom(...BASES)), charset, (href, base, of) => {
      const read = resolver(base, of)(href)
      assert.ok(['url', 'unwanted', 'malformed', 'empty'].includes(read.kind))
      if (read.kind !== 'url') return
      assert.ok(read.url.href.length <= LONGEST_URL && read.url.normalised.length <= read.url.href.length)
      assert.match(read.url.href, /^https?:\/\/[^/\s#@]+\/[^\s#]*$/)
      assert.equal(parseUrl(read.url.href)?.key, read.url.key)
    }),
    { numRuns: 30_000 },
  )
})
