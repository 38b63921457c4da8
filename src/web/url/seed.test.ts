import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseSeed } from './seed.ts'

const read = (text: string) => {
  const seed = parseSeed(text)
  return seed.kind === 'seed' ? seed.url.href : `bad: ${seed.why}`
}

test('seeds as people write them', () => {
  assert.equal(read('http://example.org/'), 'http://example.org/')
  assert.equal(read('HTTPS://Example.org'), 'https://example.org/')
  assert.equal(read('  example.org/x y '), 'http://example.org/x%20y')
  assert.equal(read('www.example.org:8080/x'), 'http://www.example.org:8080/x')
  assert.equal(read('//example.org/a'), 'http://example.org/a')
  assert.equal(read('localhost'), 'http://localhost/')
  assert.equal(read('localhost:3000'), 'http://localhost:3000/')
  assert.equal(read('127.0.0.1:81/a'), 'http://127.0.0.1:81/a')
  assert.equal(read('[::1]:8080/x'), 'http://[::1]:8080/x')
  assert.equal(read('bücher.example'), 'http://xn--bcher-kva.example/')
  assert.equal(read('example.org/a#b'), 'http://example.org/a')
  assert.equal(read('example.org/~a:b@c'), 'http://example.org/~a:b@c')
  assert.equal(read('https://example.org/list.txt'), 'https://example.org/list.txt')
})

test('typing mistakes are named', () => {
  for (const [text, why] of [
    ['', /empty/],
    ['htp://example.org', /did you mean http:/],
    ['htttps://example.org', /did you mean https:/],
    ['http:/example.org', /is missing after "http:"/],
    ['http:example.org', /is missing after "http:"/],
    ['mailto:a@example.org', /only http/],
    ['ftp://example.org/', /only http/],
    ['a@example.org', /e-mail/],
    ['http://a:b@example.org/', /passwords/],
    ['example', /full host name/],
    ['intranet', /full host name/],
    ['http://http://example.org/', /two schemes/],
    ['http//example.org/', /a colon is missing after "http"/],
    ['www,example,org', /characters that no name has/],
    ['/a/b.html', /no host name/],
    ['example.org:http', /port/],
    ['example.org:99999', /not a valid URL/],
    ['::1', /brackets/],
    ['2001:db8::1', /brackets/],
    ['1234', /would be the IP address/],
    ['seeds.txt', /--seeds/],
    ['http://a.test/ http://b.test/', /two URLs/],
    ['exa mple.org', /not a valid URL/],
  ] as const) {
    assert.match(read(text), why, text)
    assert.match(read(text), /^bad/, text)
  }
})

test('anything is a seed or a mistake', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.ipV6(), fc.emailAddress()), (text) => {
      const seed = parseSeed(text)
      return seed.kind === 'bad' || seed.url.href.startsWith('http')
    }),
    { numRuns: 2000 },
  )
})
