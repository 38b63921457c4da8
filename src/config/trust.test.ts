import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trust, trustOf } from './trust.ts'

test('a site is trusted with all rules or with those named', () => {
  const trusts = trustOf([trust('www.a.test'), trust('*.B.test=calendar,site-urls')])
  assert.equal(trusts('www.a.test', 'soft-404'), true)
  assert.equal(trusts('a.test', 'soft-404'), false)
  assert.equal(trusts('x.b.test', 'calendar'), true)
  assert.equal(trusts('x.b.test', 'site-urls>=5000'), true)
  assert.equal(trusts('x.b.test', 'soft-404'), false)
})

test('everything is trusted with *, nothing with nothing', () => {
  assert.equal(trustOf([trust('*')])('a.test:8080', 'tarpit'), true)
  assert.equal(trustOf([trust('*=tarpit')])('a.test', 'calendar'), false)
  assert.equal(trustOf([])('a.test', 'tarpit'), false)
})

test('what is no site with rules is refused with an example', () => {
  for (const text of ['', '=calendar', 'a.test=', 'a.test=Calendar!', 'a b', 'a=b=c']) {
    assert.throws(() => trust(text), /write www\.example\.org/, text)
  }
})
