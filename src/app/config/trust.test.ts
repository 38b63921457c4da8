import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trust, trustOf } from './trust.ts'

test('a site is trusted with all rules or with those named', () => {
  const trusts = trustOf([trust('www.a.test'), trust('*.B.test=drip-feed,site-urls')])
  assert.equal(trusts('www.a.test', 'soft-404'), true)
  assert.equal(trusts('a.test', 'soft-404'), false)
  assert.equal(trusts('x.b.test', 'drip-feed'), true)
  assert.equal(trusts('x.b.test', 'site-urls>=5000'), true)
  assert.equal(trusts('x.b.test', 'soft-404'), false)
})

test('everything is trusted with *, nothing with nothing', () => {
  assert.equal(trustOf([trust('*')])('a.test:8080', 'tarpit'), true)
  assert.equal(trustOf([trust('*=maze')])('a.test', 'drip-feed'), false)
  assert.equal(trustOf([])('a.test', 'tarpit'), false)
})

test('what is no site with rules is refused with an example', () => {
  for (const text of ['', '=maze', 'a.test=', 'a.test=Maze!', 'a b', 'a=b=c']) {
    assert.throws(() => trust(text), /write www\.example\.org/, text)
  }
})

test('a rule that is none is refused, with the one that was meant', () => {
  assert.throws(() => trust('a.test=soft-40'), /'soft-40' is no hazard rule; did you mean soft-404\?/)
  assert.throws(() => trust('a.test=xyzzyxyzzy'), /the rules are site-urls, /)
})
