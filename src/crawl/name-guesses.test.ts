import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FailureKind } from '../contracts/outcome.ts'
import { guessesFor, isNameGuess, nextGuess } from './site-names.ts'

/** Follows a chain as the crawl does: what is known is not tried again, what is of a dead site is gone unasked. */
function tried(name: string, failure: (url: string) => FailureKind): string[] {
  const asked: string[] = []
  const known = new Set<string>()
  const out = new Set<string>()
  let item: { url: string; path: string } | undefined = { url: guessesFor(name)[0], path: 'N' }
  while (item !== undefined && !known.has(item.url)) {
    known.add(item.url)
    const { host } = new URL(item.url)
    if (out.has(host)) break
    asked.push(item.url)
    const why = failure(item.url)
    if (why === 'no-such-name') out.add(host)
    item = nextGuess(item, why)
  }
  return asked
}

test('a bare domain: https, with www., http, with www.', () => {
  assert.deepEqual(
    tried('example.org', () => 'robots-unreachable'),
    ['https://example.org/', 'https://www.example.org/', 'http://example.org/', 'http://www.example.org/'],
  )
})

test('a name with www. comes as it is, then bare; a name of several labels gets no www.', () => {
  assert.deepEqual(
    tried('www.example.org', () => 'connect'),
    ['https://www.example.org/', 'http://www.example.org/', 'https://example.org/', 'http://example.org/'],
  )
  assert.deepEqual(
    tried('shop.example.co.uk', () => 'status-404'),
    ['https://shop.example.co.uk/', 'http://shop.example.co.uk/'],
  )
  assert.deepEqual(
    tried('www.shop.example.org', () => 'tls'),
    [
      'https://www.shop.example.org/',
      'http://www.shop.example.org/',
      'https://shop.example.org/',
      'http://shop.example.org/',
    ],
  )
  assert.deepEqual(tried('example.co.uk', () => 'tls')[1], 'https://www.example.co.uk/')
})

test('a name that does not exist is tried once, and the other name with both schemes', () => {
  const missing = (host: string) => (url: string) => (new URL(url).host === host ? 'no-such-name' : 'connect')
  assert.deepEqual(tried('example.org', missing('example.org')), [
    'https://example.org/',
    'https://www.example.org/',
    'http://www.example.org/',
  ])
  assert.deepEqual(tried('example.org', missing('www.example.org')), [
    'https://example.org/',
    'https://www.example.org/',
    'http://example.org/',
  ])
  assert.deepEqual(tried('www.example.org', missing('www.example.org')), [
    'https://www.example.org/',
    'https://example.org/',
    'http://example.org/',
  ])
  assert.deepEqual(
    tried('example.org', () => 'no-such-name'),
    ['https://example.org/', 'https://www.example.org/'],
  )
})

test('a URL that is not a guess, or answered, has no next guess', () => {
  assert.equal(nextGuess({ url: 'https://example.org/', path: '' }, 'connect'), undefined)
  assert.equal(nextGuess({ url: 'https://example.org/', path: 'NR' }, 'connect'), undefined)
  assert.equal(nextGuess({ url: 'https://example.org/', path: 'N' }, 'reading'), undefined)
  assert.equal(nextGuess({ url: 'https://example.org/a', path: 'N' }, 'connect'), undefined)
  assert.equal(nextGuess({ url: 'https://example.org:8443/', path: 'N' }, 'connect'), undefined)
  assert.equal(nextGuess({ url: 'nonsense', path: 'N' }, 'connect'), undefined)
  assert.equal(isNameGuess('NNNNN'), false)
})

test('every chain tries each scheme of each name at most once, and never a host that failed', () => {
  const label = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/)
  const name = fc.tuple(
    fc.boolean(),
    fc.array(label, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('org', 'co.uk', 'test'),
  )
  const why = fc.constantFrom<FailureKind>('no-such-name', 'connect', 'tls', 'status-404', 'robots-unreachable')
  fc.assert(
    fc.property(name, fc.array(why, { minLength: 4, maxLength: 4 }), ([www, labels, suffix], failures) => {
      const host = `${www ? 'www.' : ''}${labels.join('.')}.${suffix}`
      const byHost = new Map<string, FailureKind>()
      let at = 0
      const asked = tried(host, (url) => {
        const failure = byHost.get(new URL(url).host) === 'no-such-name' ? 'no-such-name' : failures[at++]
        byHost.set(new URL(url).host, failure)
        return failure
      })
      assert.equal(new Set(asked).size, asked.length)
      for (const url of asked) assert.ok(guessesFor(host).includes(url))
      // A host that is not out has had both its schemes tried.
      for (const url of guessesFor(host)) {
        if (byHost.get(new URL(url).host) !== 'no-such-name') assert.ok(asked.includes(url), `${url} after ${failures}`)
      }
    }),
    { numRuns: 3000 },
  )
})
