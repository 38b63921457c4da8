import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  hostMatches,
  ownHost,
  pauseFor,
  pauseForHost,
  regionRulesOf,
  resolveAs,
  siteRegion,
  trust,
  trustOf,
} from './hosts.ts'
import { Unfit } from './setting.ts'

test("a shorter pause is allowed for the user's own servers", () => {
  for (const own of [
    'example.org',
    'www.example.org',
    '*.example.org',
    '*.www.example.co.uk',
    'me.github.io',
    '192.0.2.7',
    '2001:db8::1',
    '*.test',
    '.test',
    'a.b.test',
    'localhost',
    '*.localhost',
    'x.example',
    'nothing.invalid',
    'server.lan',
    'bücher.example.org',
  ]) {
    assert.doesNotThrow(() => ownHost(own), own)
  }
})

test("a pattern that covers other people's servers is refused", () => {
  for (const foreign of [
    '*',
    '*.com',
    'com',
    'co.uk',
    '*.co.uk',
    '.org',
    '*.*',
    '*.github.io',
    'github.io',
    'intranet',
    '*.lan',
  ]) {
    assert.throws(() => ownHost(foreign), Unfit, foreign)
  }
  for (const wrong of [
    '',
    'a b',
    'www.*.org',
    'http://example.org',
    'example.org/path',
    'example.org:80',
    '*example.org',
  ]) {
    assert.throws(() => ownHost(wrong), Unfit, wrong)
  }
})

test('no pattern covers a public suffix', () => {
  const label = fc.constantFrom('*', 'com', 'co', 'uk', 'br', 'org', 'github', 'io', 'example', 'www')
  fc.assert(
    fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), (labels) => {
      const text = labels.join('.')
      let pattern: string
      try {
        pattern = ownHost(text)
      } catch (error) {
        assert.ok(error instanceof Unfit)
        return
      }
      for (const unendorsedSite of [
        'stranger-a.com',
        'stranger-b.co.uk',
        'stranger-c.github.io',
        'stranger-d.org',
        'stranger-e.com.br',
      ])
        assert.ok(!hostMatches(pattern, unendorsedSite), `${text} names ${unendorsedSite}`)
    }),
  )
})

test('HOST=DURATION', () => {
  assert.deepEqual(pauseFor('*.Example.ORG=0.1s'), { host: '*.example.org', pauseMs: 100 })
  assert.deepEqual(pauseFor('127.0.0.1=0s'), { host: '127.0.0.1', pauseMs: 0 })
  for (const wrong of ['example.org', 'example.org=', '=1s', 'example.org=soon', '*=1s'])
    assert.throws(() => pauseFor(wrong), Unfit, wrong)
})

test('the most specific pattern decides the pause', () => {
  const rules = ['*.test=1s', '*.slow.test=5s', 'a.slow.test=3s', '127.0.0.1=200ms'].map(pauseFor)
  assert.equal(pauseForHost(rules, 'www.test'), 1000)
  assert.equal(pauseForHost(rules, 'b.slow.test'), 5000)
  assert.equal(pauseForHost(rules, 'a.slow.test'), 3000)
  assert.equal(pauseForHost(rules, 'www.example.org'), undefined)
  assert.equal(pauseForHost(rules, 'www.example.org', '127.0.0.1'), 200)
})

test('*.domain names what is under it, not itself, and not its namesakes', () => {
  assert.ok(hostMatches('*.example.org', 'www.example.org'))
  assert.ok(!hostMatches('*.example.org', 'example.org'))
  assert.ok(!hostMatches('*.example.org', 'badexample.org'))
  assert.ok(hostMatches('*', 'anything'))
})

test('HOST=IP[:PORT]', () => {
  assert.deepEqual(resolveAs('*.test=127.0.0.1:8080'), { host: '*.test', ip: '127.0.0.1', port: 8080 })
  assert.deepEqual(resolveAs('a.example.org=10.0.0.1'), { host: 'a.example.org', ip: '10.0.0.1' })
  assert.deepEqual(resolveAs('a.test=[::1]:8080'), { host: 'a.test', ip: '::1', port: 8080 })
  assert.deepEqual(resolveAs('*=::1'), { host: '*', ip: '::1' })
  for (const wrong of ['a.test', 'a.test=b.test', 'a.test=127.0.0.1:0', 'a.test=127.0.0.1:70000', 'a.test=1.2.3'])
    assert.throws(() => resolveAs(wrong), Unfit, wrong)
})

test("other people's hosts under a nested public suffix keep the usual pause", () => {
  const rules = ['*.amazonaws.com=0s', '*.example.org=0.1s', '*.test=0s'].map(pauseFor)
  assert.equal(pauseForHost(rules, 'alice.s3.amazonaws.com'), undefined)
  assert.equal(pauseForHost(rules, 'a.b.example.org'), 100)
  assert.equal(pauseForHost(rules, 'a.b.test'), 0)
})

test('a site is trusted with all rules, or with the named ones', () => {
  const trusts = trustOf([trust('www.a.test'), trust('*.B.test=drip-feed,site-urls')])
  assert.equal(trusts('www.a.test', 'soft-404'), true)
  assert.equal(trusts('a.test', 'soft-404'), false)
  assert.equal(trusts('x.b.test', 'drip-feed'), true)
  assert.equal(trusts('x.b.test', 'site-urls>=5000'), true)
  assert.equal(trusts('x.b.test', 'soft-404'), false)
})

test('* trusts every site; without --trust no site is trusted', () => {
  assert.equal(trustOf([trust('*')])('a.test:8080', 'tarpit'), true)
  assert.equal(trustOf([trust('*=maze')])('a.test', 'drip-feed'), false)
  assert.equal(trustOf([])('a.test', 'tarpit'), false)
})

test('a value that is not a site with rules is refused with an example', () => {
  for (const text of ['', '=maze', 'a.test=', 'a.test=Maze!', 'a b', 'a=b=c']) {
    assert.throws(() => trust(text), /write www\.example\.org/, text)
  }
})

test('an unknown rule is refused with the nearest known one', () => {
  assert.throws(() => trust('a.test=soft-40'), /'soft-40' is not a hazard rule; did you mean soft-404\?/)
  assert.throws(() => trust('a.test=xyzzyxyzzy'), /the rules are site-urls, /)
})

test('parts of pages that are ignored or watched', () => {
  const read = siteRegion
  assert.deepEqual(read('#clock'), { site: '*', kind: 'selector', text: '#clock' })
  assert.deepEqual(read('www.Example.org=div.ad'), { site: 'www.example.org', kind: 'selector', text: 'div.ad' })
  assert.deepEqual(read('*.example.org:8080=/a=\\d+/'), { site: '*.example.org:8080', kind: 'pattern', text: 'a=\\d+' })
  assert.deepEqual(read('a[href="x=y"]'), { site: '*', kind: 'selector', text: 'a[href="x=y"]' })
  for (const wrong of ['', 'li:hover', '/(/', 'www.example.org='])
    assert.throws(() => read(wrong), /names no part of a page .*write a CSS selector or a \/pattern\//, wrong)
  const rulesOf = regionRulesOf([read('www.example.org=.ad'), read('/x/')], [read('*.net=#a')])
  assert.equal(rulesOf('www.example.org')?.withoutIgnored('axb'), 'ab')
  const ad = { name: 'p', attribute: () => 'ad' }
  assert.equal(rulesOf('www.example.org')?.enter(ad, undefined).isIgnored, true)
  assert.equal(rulesOf('other.org:81')?.enter(ad, undefined).isIgnored, false)
  assert.equal(regionRulesOf([], [])('www.example.org'), undefined)
})
