import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeUnreserved, normalise, PARSER_RULES, RULES, upperHex } from './normalise.ts'
import { parseUrl } from './web-url.ts'

const tangled = fc.string({
  unit: fc.constantFrom('%', '2', '5', 'e', 'E', '4', '1', '/', '.', '?', 'z', '&', '7', 'F', 'a', '0'),
  maxLength: 30,
})

const key = (text: string) => parseUrl(text)?.normalised

test('each rule by its name', () => {
  const examples: Record<string, [string, string]> = {
    'hex-case': ['http://h.test/a%c3%a9%3f', 'http://h.test/a%C3%A9%3F'],
    unreserved: ['http://h.test/%7Euser/%41%2d%2E%5f?%61=%62', 'http://h.test/~user/A-._?a=b'],
    'host-case': ['HTTP://WWW.Example.TEST/A', 'http://www.example.test/A'],
    'dot-segments': ['http://h.test/a/./b/../c/%2e%2E/d', 'http://h.test/a/d'],
    'default-port': ['https://h.test:443/a', 'https://h.test/a'],
    'empty-path': ['http://h.test?q', 'http://h.test/?q'],
    fragment: ['http://user:pw@h.test/a?b#c', 'http://h.test/a?b'],
  }
  const names = [...RULES, ...PARSER_RULES].map((rule) => rule.name)
  assert.deepEqual(names.sort(), Object.keys(examples).sort(), 'every rule has an example')
  for (const [name, [from, to]] of Object.entries(examples)) assert.equal(key(from), to, name)
})

test('a rule that says it is not concerned would change nothing', () => {
  fc.assert(
    fc.property(tangled, (href) => {
      return RULES.every((rule) => rule.concerns(href) || rule.act(href) === href)
    }),
  )
  for (let code = 0; code < 256; code++) {
    const href = `http://h.test/%${code.toString(16).padStart(2, '0')}`
    for (const rule of RULES) assert.equal(rule.concerns(href), rule.act(href) !== href, `${rule.name} ${href}`)
  }
})

test('what differs stays different', () => {
  for (const [one, other] of [
    ['http://h.test/a%2Fb', 'http://h.test/a/b'],
    ['http://h.test/a', 'http://h.test/a/'],
    ['http://h.test/a', 'https://h.test/a'],
    ['http://h.test/a?', 'http://h.test/a'],
    ['http://h.test/A', 'http://h.test/a'],
    ['http://h.test/?a=1&b=2', 'http://h.test/?b=2&a=1'],
    ['http://h.test/%26', 'http://h.test/&'],
  ]) {
    assert.notEqual(key(one), key(other), one)
  }
})

test('stray percent signs never become escapes', () => {
  assert.equal(decodeUnreserved('%%32e'), '%%32e')
  assert.equal(decodeUnreserved('%4%31'), '%4%31')
  assert.equal(decodeUnreserved('%%41'), '%%41')
  assert.equal(decodeUnreserved('%%5A'), '%Z', 'Z is no hex digit')
  assert.equal(decodeUnreserved('100%'), '100%')
  assert.equal(upperHex('%zz%a%af'), '%zz%a%AF')
})

test('n(n(u)) = n(u)', () => {
  const anyUrl = fc.oneof(
    tangled.map((path) => `http://h.test/${path}`),
    fc.string({ maxLength: 40 }).map((path) => `https://h.test/${path}`),
    fc.string({ maxLength: 40, unit: 'binary' }).map((text) => `http://${text}`),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
  )
  fc.assert(
    fc.property(anyUrl, (text) => {
      const once = parseUrl(text)
      if (once === undefined) return true
      assert.equal(normalise(once.normalised), once.normalised)
      const again = parseUrl(once.normalised)
      assert.equal(again?.href, once.normalised, 'the parser has nothing left to do')
      assert.equal(again?.key, once.key)
      return true
    }),
    { numRuns: 3000 },
  )
})
