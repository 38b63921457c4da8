import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { conformanceTest } from '../../base/conformance.test-data.ts'
import { surt } from './surt.ts'

/** What the Python package `surt` 0.3.1 answered. */
const KNOWN: readonly [url: string, key: string][] = [
  ['', '-'],
  ['http://example.org', 'org,example)/'],
  ['http://www.example.org/', 'org,example)/'],
  ['https://www34.Example.ORG:443/A/B/?', 'org,example)/a/b'],
  ['http://example.org:8080/x', 'org,example:8080)/x'],
  ['https://example.org:80/x', 'org,example:80)/x'],
  ['http://user:pw@example.org/x#part', 'org,example)/x'],
  ['http://www.com/', 'com)/'],
  ['http://127.0.0.1/x', '1,0,0,127)/x'],
  ['http://[::1]:8000/x', '::1:8000)/x'],
  ['http://xn--bcher-kva.de/', 'de,xn--bcher-kva)/'],
  ['http://Bücher.de:8080', 'de,xn--bcher-kva:8080)/'],
  ['http://example.org/a//b/./c/../d/', 'org,example)/a/b/d'],
  ['http://example.org/../a', 'org,example)/../a'],
  ['http://example.org/%2541%20%C3%A9é', 'org,example)/a%20%c3%a9%c3%a9'],
  ['http://example.org/%25252541%%34%31', 'org,example)/aa'],
  ['http://example.org/?b=2&a=1&a&a=', 'org,example)/?a&a=&a=1&b=2'],
  ['http://example.org/?Q=A%26B', 'org,example)/?b&q=a'],
  ['http://example.org/x?sid=9682993c8daa2c5497996114facdc805&x=y', 'org,example)/x?x=y'],
  ['http://example.org/x?JSESSIONID=0123456789abcdef0123456789ABCDEF', 'org,example)/x'],
  ['http://example.org/x?a=1&CFID=1169580&CFTOKEN=48630702&dtstamp=22', 'org,example)/x?a=1&dtstamp=22'],
  ['http://example.org/(S(4hqa0555fwsecu455xqckv45))/m.aspx', 'org,example)/m.aspx'],
  ['http://http://example.org/', 'org,example)/'],
  ['http:////////www.example.org/a', 'org,example)/a'],
  ['http://.../a', 'http:/a'],
]

for (const [url, key] of KNOWN) test(`key of ${url || 'nothing'}`, () => assert.equal(surt(url), key))

test('a key never changes its URL into two fields or two lines, and is always an answer', () => {
  fc.assert(fc.property(fc.webUrl({ withQueryParameters: true }), (url) => !/[^\x21-\x7e]/.test(surt(url))))
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => typeof surt(text) === 'string'))
})

conformanceTest('the published cases of surt', (folder) => {
  const published = JSON.parse(readFileSync(join(folder, 'url/urlcanon/surt.json'), 'utf8')) as {
    defaultIASurt: Record<string, string>
  }
  for (const [url, key] of Object.entries(published.defaultIASurt)) assert.equal(surt(url), key, url)
})
