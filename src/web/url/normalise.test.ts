import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeUnreserved, upperHex } from './escapes.ts'
import { hostileUrl, LONG_RUNS } from './hostile.test-data.ts'
import { PARSER_RULES, RULE_NAMES, RULES, type RuleName, USUAL_RULES } from './rules.ts'
import { LONGEST_URL, parseUrl, urlReader } from './web-url.ts'

const key = (text: string) => parseUrl(text)?.normalised
const HEX = '0123456789abcdef0123456789abcdef'
const GUID = '0e984725-c51c-4bf4-9960-e1c80e27aba0'

/** What stands behind http://h.test, and what alone the rule makes of it. */
const EXAMPLES: Record<RuleName, readonly (readonly [string, string])[]> = {
  'hex-case': [['/a%c3%a9%3f', '/a%C3%A9%3F']],
  unreserved: [['/%7Euser/%41%2d%2E%5f?%61=%62', '/~user/A-._?a=b']],
  'nested-escapes': [
    ['/a?u=%252526', '/a?u=%2526'],
    ['/a?u=%25252525252526', '/a?u=%2526'],
    ['/a?u=%2526', '/a?u=%2526'],
    ['/a?u=%26', '/a?u=%26'],
    ['/100%2525', '/100%2525'],
  ],
  entities: [
    ['/a?b=1&amp;c=2', '/a?b=1&c=2'],
    ['/a?b=1&amp;amp;amp;c=2', '/a?b=1&c=2'],
    ['/a?u=x%26amp%3Bc=2', '/a?u=x%26c=2'],
    ['/a?u=x%26amp;amp%3Bc=2', '/a?u=x%26c=2'],
    ['/a?u=x%2526amp%253Bc=2', '/a?u=x%2526c=2'],
    ['/a?u=x%26%2338%3Bamp%3Bc', '/a?u=x%26c'],
    ['/AT&amp;amp;T', '/AT&T'],
    ['/a?b=1&ampere=2', '/a?b=1&ampere=2'],
    ['/a?b=&lt;', '/a?b=&lt;'],
  ],
  'session-paths': [
    ['/a;jsessionid=1A2B!3', '/a'],
    ['/a;jsessionid=1A/b;x=1;JSESSIONID=2C?q', '/a/b;x=1?q'],
    ['/a%3Bjsessionid%3D1A2B', '/a'],
    ['/(S(lit3py55t21z5v55vlm25s55))/a.aspx', '/a.aspx'],
    ['/app/(X(1)S(lit3py55t21z5v55vlm25s55))/a/', '/app/a/'],
    ['/(lit3py55t21z5v55vlm25s55)/a.aspx', '/a.aspx'],
    ['/wiki/(S(lit3py55t21z5v55vlm25s55))', '/wiki/(S(lit3py55t21z5v55vlm25s55))'],
    ['/Mercury_(planet)/a', '/Mercury_(planet)/a'],
    ['/a;sid=7', '/a;sid=7'],
    ['/..;jsessionid=1/a', '/..;jsessionid=1/a'],
    ['/a?u=;jsessionid=1', '/a?u=;jsessionid=1'],
  ],
  'session-ids': [
    ['/a?id=5&PHPSESSID=abc', '/a?id=5'],
    ['/a?PHPSESSID=abc', '/a'],
    ['/a?jsessionid=1&ASPSESSIONIDQABBCCDD=X&osCsid=1&zenid=2&b', '/a?b'],
    ['/a?CFID=123&CFTOKEN=456&b', '/a?b'],
    ['/a?cfid=123', '/a?cfid=123'],
    [`/a?sid=${HEX}`, '/a'],
    [`/a?s=${HEX}&t=5`, '/a?t=5'],
    ['/article.php?sid=123', '/article.php?sid=123'],
    ['/?s=words', '/?s=words'],
    ['/a?sessionid=a1b2c3d4e5f6&x', '/a?x'],
    ['/program?session_id=12', '/program?session_id=12'],
    ['/program?session_id=keynote-2024-intro', '/program?session_id=keynote-2024-intro'],
    ['/program?sessionid=2024-05-12', '/program?sessionid=2024-05-12'],
    ['/a?session_id=1700000000-48151623', '/a'],
    ['/a?s=4hr09kp2pmqk5tj0q8v1l7c3d2', '/a'],
    ['/a?sid=Xk29LmQ0pRz81TbVc73d', '/a'],
    ['/?s=internationalisation2024', '/?s=internationalisation2024'],
    ['/?session=InternationalConference2024', '/?session=InternationalConference2024'],
    ['/?s=two+words+of+2024', '/?s=two+words+of+2024'],
    ['/status?sid=1234567890123456789', '/status?sid=1234567890123456789'],
    ['/a?ref=main;v=1.2', '/a?ref=main;v=1.2'],
    [`/a?id=${HEX}`, `/a?id=${HEX}`],
    [`/a?doc=${GUID}`, `/a?doc=${GUID}`],
    [`/a?x=${HEX}`, `/a?x=${HEX}`],
    ['/a?b=1;PHPSESSID=x;c=2', '/a?b=1;c=2'],
    ['/a?u=/b%3Bjsessionid=1A&c', '/a?u=/b&c'],
  ],
  'session-shape': [
    [`/a?x=${HEX}&b=1`, '/a?b=1'],
    [`/a?visit=${GUID}&b=1`, '/a?b=1'],
    [`/a?b=1&visit=%7B${GUID}%7D`, '/a?b=1'],
    [`/a?visit=${GUID}`, `/a?visit=${GUID}`],
    [`/watch?v=${HEX}`, `/watch?v=${HEX}`],
    [`/item.php?id=5&v=${GUID}`, '/item.php?id=5'],
    [`/a?visit=${GUID}&x=${HEX}`, `/a?visit=${GUID}&x=${HEX}`],
    [`/a?b=1;visit=${GUID}&c=2`, '/a?b=1&c=2'],
    [`/a?id=${HEX}&doc=${GUID}`, `/a?id=${HEX}&doc=${GUID}`],
    ['/a?x=0123456789abcdef', '/a?x=0123456789abcdef'],
  ],
  tracking: [
    ['/a?utm_source=x&id=5&UTM_Medium=y&fbclid=1', '/a?id=5'],
    ['/a?gclid=1', '/a'],
    ['/a?mc_cid=1&mc_eid=2&_ga=3&_gl=4&igshid=5&yclid=6&msclkid=7&dclid=8&ref_src=9', '/a'],
    ['/a?ref=9&utm=1', '/a?ref=9&utm=1'],
  ],
  'empty-parameters': [
    ['/a?', '/a'],
    ['/a?&&?', '/a'],
    ['/a?&b=1&&c&', '/a?b=1&c'],
    ['/a??b.js,c.js', '/a??b.js,c.js'],
    ['/a?b=', '/a?b='],
  ],
  'params-sorted': [
    ['/a?c=1&b=2&a', '/a?a&b=2&c=1'],
    ['/a?b=2&a=2&b=1', '/a?a=2&b=2&b=1'],
  ],
  'repeated-parameters': [
    ['/a?b=1&b=1&b=1', '/a?b=1'],
    ['/a?b=1&b=2&b=1', '/a?b=1&b=2&b=1'],
  ],
  'listing-order': [
    ['/d/?C=M;O=A', '/d/'],
    ['/d/?C=N&O=D', '/d/'],
    ['/d/?N=D', '/d/'],
    ['/d/?O=D&C=S', '/d/'],
    ['/d/?C=S;O=A;F=2;V=1', '/d/'],
    ['/d?N=D', '/d?N=D'],
    ['/d/?V=1', '/d/?V=1'],
    ['/d/?C=N;O=D&x=1', '/d/?C=N;O=D&x=1'],
  ],
  'index-files': [
    ['/a/index.html', '/a/'],
    ['/index.htm?b', '/?b'],
    ['/index.shtml', '/'],
    ['/default.html', '/'],
    ['/Default.htm', '/'],
    ['/index.php', '/index.php'],
    ['/index.html/index.html', '/index.html/'],
    ['/myindex.html', '/myindex.html'],
    ['/index.html5', '/index.html5'],
  ],
  'index-scripts': [
    ['/a/index.php?b', '/a/?b'],
    ['/default.aspx', '/'],
    ['/index.html', '/index.html'],
  ],
}

test('each rule alone', () => {
  assert.deepEqual(Object.keys(EXAMPLES), RULE_NAMES, 'every rule has examples, in the order of the table')
  for (const { name, lossy } of RULES) {
    const { parse } = urlReader([name])
    for (const [from, to] of EXAMPLES[name]) {
      const url = parse(`http://h.test${from}`)
      assert.equal(url?.normalised, `http://h.test${to}`, name)
      assert.equal(url?.href, `http://h.test${from}`, 'what is asked for stays as it was')
      assert.equal(url?.lossy, lossy && from !== to, `${name} ${from}`)
    }
  }
})

test('each rule of the parser', () => {
  const examples: Record<string, [string, string]> = {
    'host-case': ['HTTP://WWW.Example.TEST/A', 'http://www.example.test/A'],
    'host-dot': ['http://example.test./', 'http://example.test/'],
    'dot-segments': ['http://h.test/a/./b/../c/%2e%2E/d', 'http://h.test/a/d'],
    'default-port': ['https://h.test:443/a', 'https://h.test/a'],
    'empty-path': ['http://h.test?q', 'http://h.test/?q'],
    fragment: ['http://user:pw@h.test/a?b#c', 'http://h.test/a?b'],
  }
  assert.deepEqual(
    Object.keys(examples),
    PARSER_RULES.map((rule) => rule.name),
    'every rule has an example',
  )
  const { parse } = urlReader([])
  for (const [name, [from, to]] of Object.entries(examples)) {
    assert.equal(parse(from)?.href, to, name)
    assert.equal(parse(from)?.normalised, to, name)
  }
})

test('the rules together', () => {
  for (const [from, to] of [
    ['/index.html;jsessionid=1?utm_source=x', '/'],
    ['/d/index.html?C=N;O=D&PHPSESSID=1&', '/d/'],
    ['/%69ndex.html?', '/'],
    ['/a?b=1&amp;PHPSESSID=2&amp;amp;b=1', '/a?b=1'],
    ['/a?b=2&%61=1&&%61=1', '/a?a=1&b=2'],
    ['/a?u=%25252526amp%2525253Bb', '/a?u=%2526b'],
    [`/index.php?sid=${HEX}&id=7`, '/index.php?id=7'],
  ]) {
    assert.equal(key(`http://h.test${from}`), `http://h.test${to}`)
  }
})

test('endless writing of & as an entity ends in one key', () => {
  const keys = (grow: (n: number) => string) => new Set([1, 2, 3, 10, 100].map((n) => key(`http://h.test${grow(n)}`)))
  assert.equal(keys((n) => `/a?b=1&${'amp;'.repeat(n)}c=2`).size, 1)
  assert.equal(keys((n) => `/a?b=1%26${'amp%3B'.repeat(n)}c=2`).size, 1)
  assert.equal(keys((n) => `/a?b=%${'25'.repeat(n)}26c=2`).size, 1)
  assert.equal(keys((n) => `/a?b=%${'25'.repeat(n)}26amp%${'25'.repeat(n)}3Bc=2`).size, 1)
})

test('what differs stays different', () => {
  for (const [one, other] of [
    ['/a%2Fb', '/a/b'],
    ['/a', '/a/'],
    ['/A', '/a'],
    ['/%26', '/&'],
    ['/?a=%26b', '/?a=&b'],
    ['/?a=1&a=2', '/?a=2&a=1'],
    ['/?a', '/?a='],
    ['/a?id=1', '/a?id=2'],
    [`/a?id=${HEX}`, '/a?id=0'],
    ['/?sid=1', '/?sid=2'],
    ['/a?u=%2526', '/a?u=%26'],
    ['/index.php', '/'],
  ]) {
    assert.notEqual(key(`http://h.test${one}`), key(`http://h.test${other}`), one)
  }
  assert.notEqual(key('http://h.test/a'), key('https://h.test/a'))
  assert.notEqual(key('http://www.h.test/a'), key('http://h.test/a'), 'www. is learnt, not assumed')
})

test('stray percent signs never become escapes', () => {
  assert.equal(decodeUnreserved('%%32e'), '%%32e')
  assert.equal(decodeUnreserved('%4%31'), '%4%31')
  assert.equal(decodeUnreserved('%%41'), '%%41')
  assert.equal(decodeUnreserved('%%5A'), '%Z', 'Z is no hex digit')
  assert.equal(decodeUnreserved('100%'), '100%')
  assert.equal(upperHex('%zz%a%af'), '%zz%a%AF')
})

test('n(n(u)) = n(u) for every set of rules, and nothing grows', () => {
  const withShape = urlReader(['session-shape', 'empty-parameters'])
  assert.equal(
    withShape.normalise('http://h.test/?x=0e984725-c51c-4bf4-9960-e1c80e27aba0;&AMP;'),
    'http://h.test/?AMP;',
    'nothing empty is left of an id with a semicolon',
  )
  fc.assert(
    fc.property(hostileUrl, fc.subarray([...RULE_NAMES]), (text, rules) => {
      const reader = urlReader(rules)
      const once = reader.parse(text)
      if (once === undefined) return
      assert.equal(reader.normalise(once.normalised), once.normalised)
      assert.equal(reader.normalise(once.href), once.normalised)
      assert.ok(once.normalised.length <= once.href.length)
      const again = reader.parse(once.normalised)
      assert.equal(again?.href, once.normalised, 'the parser has nothing left to do')
      assert.equal(again?.key, once.key)
      assert.equal(again?.lossy, false)
      assert.equal(again?.site, once.site)
    }),
    { numRuns: 60_000 },
  )
})

test('a set of rules is a set', () => {
  fc.assert(
    fc.property(hostileUrl, fc.shuffledSubarray([...RULE_NAMES]), (text, rules) => {
      const sorted = urlReader(RULE_NAMES.filter((name) => rules.includes(name)))
      assert.equal(urlReader([...rules, ...rules]).parse(text)?.normalised, sorted.parse(text)?.normalised)
      assert.deepEqual(urlReader(rules).rules, sorted.rules)
    }),
    { numRuns: 2000 },
  )
})

test('rules that lose nothing are not lossy', () => {
  const { parse } = urlReader(RULES.filter(({ lossy }) => !lossy).map(({ name }) => name))
  fc.assert(fc.property(hostileUrl, (text) => parse(text)?.lossy !== true))
})

test('the longest URLs of every kind, with all rules', () => {
  const { parse, normalise } = urlReader(RULE_NAMES)
  for (const run of LONG_RUNS) {
    for (const start of ['/', '/?', '/a?b=', '/&', '/%']) {
      const head = `http://h.test${start}`
      const text = head + run.repeat(Math.floor((LONGEST_URL - head.length) / run.length))
      const url = parse(text)
      if (url !== undefined) assert.equal(normalise(url.normalised), url.normalised, run)
    }
  }
})

test('a folder and the names of its index have one key, and each a key of its own', () => {
  const usual = urlReader(USUAL_RULES)
  const at = (name: string) => `http://h.test/a/${name}`
  const two = (one: string, other: string) => {
    const said = usual.areTwoIndexes(at(one), at(other))
    assert.equal(usual.areTwoIndexes(at(other), at(one)), said, 'in either order')
    return said
  }
  assert.equal(two('index.html', 'default.html'), true)
  assert.equal(two('index.html', 'index.htm'), true)
  assert.equal(two('', 'default.html'), true)
  assert.equal(two('', 'index.html'), true)
  assert.equal(two('index.html', 'Index.html'), true, 'a file of its own where names are case-sensitive')
  assert.equal(two('index.html', 'index.html;jsessionid=1A2B'), false)
  assert.equal(two('index.html?b=1&a=2', 'index.html?a=2&b=1'), false)
  assert.equal(two('index.html', 'index.php'), true, 'another URL, by the usual rules')
  const several = (...names: string[]) => usual.mayBeSeveral(names.map(at))
  assert.equal(several('', 'index.html'), false)
  assert.equal(several('index.htm'), false)
  assert.equal(several('default.html'), false)
  assert.equal(several('index.html', 'index.htm'), true)
  assert.equal(several('', 'index.html', 'index.htm'), true)
  assert.equal(several('default.htm', ''), true, 'the folder is its index.html, most likely')
  assert.equal(several('', 'Index.html'), true, 'an index of terms beside index.html')
  assert.equal(several('Index.html'), false)
  assert.equal(usual.keyApart(at('b.html')), undefined)
  assert.equal(usual.keyApart(at('index.php')), undefined)
  const names = ['', 'index.html', 'default.html', 'index.htm']
  const own = names.map((name) => usual.keyApart(at(name)))
  assert.equal(new Set([...own, usual.parse(at(''))?.key]).size, 5)
  assert.equal(usual.keyApart(at('default.html?b=1&a=2')), usual.keyApart(at('default.html?a=2&b=1')))
  assert.equal(usual.keyApart(at('?b=1&a=2')), usual.keyApart(at('?a=2&b=1')))
  assert.equal(usual.keyApart(at(';jsessionid=1A2B')), usual.keyApart(at('')), 'a folder, too')
  assert.equal(urlReader([]).keyApart(at('')), undefined, 'a rule that is off folds nothing')
})
