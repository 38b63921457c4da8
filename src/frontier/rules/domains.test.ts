import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { domainOf, isOwnSite } from './domains.ts'
import { deferralOf, NOT_DEFERRED } from './site.ts'

test('the deferral is 0 for the first hundred, and one more each time the number doubles', () => {
  const places = [1, NOT_DEFERRED, NOT_DEFERRED + 1, 199, 200, 399, 400, 1_000_000]
  assert.deepEqual(places.map(deferralOf), [0, 0, 1, 1, 2, 2, 3, 14])
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (place) => {
      assert.ok(deferralOf(place) <= deferralOf(place + 1))
      if (place > NOT_DEFERRED) assert.equal(deferralOf(2 * place), deferralOf(place) + 1)
    }),
  )
})

test('a site belongs to its registrable domain, whatever its port; what has none belongs to itself', () => {
  const cases = {
    'www.example.co.uk': 'example.co.uk',
    'example.co.uk:8080': 'example.co.uk',
    'a.b.blogspot.com': 'blogspot.com',
    'co.uk': 'co.uk',
    localhost: 'localhost',
    '192.0.2.1:8080': '192.0.2.1',
    '[2001:db8::1]': '[2001:db8::1]',
    '[2001:db8::1]:8080': '[2001:db8::1]',
    'x.nowhere.test': 'nowhere.test',
  }
  for (const [site, domain] of Object.entries(cases)) assert.equal(domainOf(site), domain, site)
})

test('only the domain itself and its www are its own', () => {
  assert.deepEqual(
    ['x.test', 'www.x.test', 'y.x.test', 'www.y.x.test'].map((site) => isOwnSite(site, 'x.test')),
    [true, true, false, false],
  )
})
