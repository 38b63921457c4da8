import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CookieJar } from './cookies.ts'

const NOW = 1_700_000_000_000

function jarWith(url: string, ...lines: string[]): CookieJar {
  const jar = new CookieJar()
  jar.take(
    url,
    lines.map((line) => ['Set-Cookie', line] as const),
    NOW,
  )
  return jar
}

test('a cookie goes back to where it came from', () => {
  const jar = jarWith('http://www.example.org/a/b', 'id=1; HttpOnly', 'x=y; Path=/')
  assert.equal(jar.headerFor('http://www.example.org/a/c', NOW), 'id=1; x=y')
  assert.equal(jar.headerFor('http://www.example.org/a', NOW), 'id=1; x=y')
  assert.equal(jar.headerFor('http://www.example.org/ab', NOW), 'x=y')
  assert.equal(jar.headerFor('http://other.example.org/a/c', NOW), undefined)
  assert.equal(jar.headerFor('http://sub.www.example.org/a/c', NOW), undefined)
})

test('a domain that is not the host nor above it is refused, and widens nothing', () => {
  for (const domain of ['example.co.uk', '.example.co.uk', 'www.example.co.uk']) {
    const jar = jarWith('http://www.example.co.uk/', `a=1; Domain=${domain}`)
    assert.equal(jar.headerFor('http://www.example.co.uk/', NOW), 'a=1', domain)
    assert.equal(jar.headerFor('http://x.example.co.uk/', NOW), undefined)
    assert.equal(jar.headerFor('http://example.co.uk/', NOW), undefined)
  }
  for (const domain of ['other.co.uk', 'ample.co.uk', 'sub.www.example.co.uk'])
    assert.equal(jarWith('http://www.example.co.uk/', `a=1; Domain=${domain}`).size, 0, domain)
  assert.equal(jarWith('http://10.0.0.1/', 'a=1; Domain=0.0.1').size, 0)
  assert.equal(jarWith('http://10.0.0.1/', 'a=1; Domain=10.0.0.1').headerFor('http://10.0.0.1/', NOW), 'a=1')
})

test('secure cookies stay on TLS', () => {
  assert.equal(jarWith('http://a.test/', 's=1; Secure').size, 0)
  const jar = jarWith(
    'https://a.test/',
    's=1; Secure',
    '__Host-h=1; Secure; Path=/',
    '__Host-h2=1; Path=/',
    '__Secure-z=1',
  )
  assert.equal(jar.headerFor('https://a.test/', NOW), 's=1; __Host-h=1')
  assert.equal(jar.headerFor('http://a.test/', NOW), undefined)
})

test('cookies end: Max-Age before Expires, and a past date deletes', () => {
  const jar = jarWith('http://a.test/', 'a=1; Max-Age=10; Expires=Wed, 21 Oct 2015 07:28:00 GMT', 'b=2')
  assert.equal(jar.headerFor('http://a.test/', NOW + 9_999), 'a=1; b=2')
  assert.equal(jar.headerFor('http://a.test/', NOW + 10_000), 'b=2')
  jar.take('http://a.test/', [['set-cookie', 'b=; Expires=Wed, 21-Oct-2015 07:28:00 GMT']], NOW)
  assert.equal(jar.headerFor('http://a.test/', NOW), undefined)
  assert.equal(jarWith('http://a.test/', 'a=1; max-age=0').size, 0)
  assert.equal(jarWith('http://a.test/', 'a=1; max-age=soon').size, 1)
})

test('the jar is bounded in count and size, and what could forge a header stays out', () => {
  const jar = new CookieJar()
  for (let i = 0; i < 200; i++) jar.take('http://a.test/', [['Set-Cookie', `c${i}=v`]], NOW)
  assert.equal(jar.size, 50)
  assert.ok(jar.headerFor('http://a.test/', NOW)?.endsWith('c199=v'))
  assert.equal(jarWith('http://a.test/', `a=${'x'.repeat(4096)}`).size, 0)
  assert.equal(jarWith('http://a.test/', `a=${'x'.repeat(4095)}`).size, 1)
  assert.equal(jarWith('http://a.test/', 'a=1\r\nX: y', 'b=\0', '', '=', ';').size, 0)
  const full = jarWith('http://a.test/', ...Array.from({ length: 50 }, (_, i) => `k${i}=${'x'.repeat(4000)}`))
  assert.ok((full.headerFor('http://a.test/', NOW) ?? '').length <= 8192)
  assert.equal(jarWith('http://a.test/', ...new Array(500).fill('a=1')).size, 1)
})

test('a line of blanks is read in one pass', () => {
  const blanks = ' \t'.repeat(400)
  const jar = jarWith(
    'http://h.test/',
    `${blanks}a${blanks}=${blanks}b${blanks}c${blanks};${blanks}Path${blanks}=${blanks}/`,
  )
  assert.equal(jar.headerFor('http://h.test/', NOW), `a=b${blanks}c`)
})

test('any line leaves the jar whole', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 100 }), { maxLength: 5 }), (lines) => {
      const header = jarWith('http://www.a.test/x', ...lines).headerFor('http://www.a.test/x', NOW)
      assert.ok(header === undefined || !/[\0\r\n]/.test(header))
    }),
  )
})

test('a past date deletes in whatever form, what is no date does not', () => {
  for (const date of [
    'Wed, 21 Oct 2015 07:28:00 GMT',
    'Wed, 21-Oct-15 07:28:00 GMT',
    'wed 21 october 2015 7:28:0',
    'Wed Oct 21 07:28:00 2015',
    'Thu, 01-Jan-70 00:00:01 GMT',
  ])
    assert.equal(jarWith('http://a.test/', `a=1; Expires=${date}`).size, 0, date)
  for (const date of ['', 'never', '0', '-1', '21 Oct 2015', '32 Oct 2015 00:00:00', 'Fri, 31-Dec-9999 23:59:59 GMT'])
    assert.equal(jarWith('http://a.test/', `a=1; Expires=${date}`).size, 1, date)
})
