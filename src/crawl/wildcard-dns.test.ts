import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../testkit/virtual-clock.ts'
import type { Address, Resolve } from '../contracts/exchange.ts'
import { Scripted } from './scripted.test-data.ts'
import { absurdName, isBelowDomain, WildcardDns, watchSiblings } from './wildcard-dns.ts'

const signal = new AbortController().signal

/** Answers for `suffix` and all names below it, unless an exact name has its own. */
function resolver(zones: Record<string, Address[] | 'silent'>) {
  const asked: string[] = []
  const resolve: Resolve = async (host) => {
    asked.push(host)
    const zone = Object.keys(zones).find(
      (name) => host === name || (name.startsWith('*.') && host.endsWith(name.slice(1))),
    )
    const found = zone === undefined ? undefined : zones[zone]
    if (found === 'silent') return { kind: 'failed', failure: { kind: 'dns', detail: 'SERVFAIL' } }
    if (found !== undefined) return { kind: 'addresses', list: found }
    return { kind: 'failed', failure: { kind: 'no-such-name', detail: 'NXDOMAIN' } }
  }
  return { asked, resolve }
}

test('a domain in which any name resolves has a wildcard; it is resolved once', async () => {
  const { asked, resolve } = resolver({ '*.farm.org': [{ ip: '192.0.2.7' }] })
  const book = new WildcardDns(virtualClock(0), resolve)
  const there = { domain: 'farm.org', addresses: ['192.0.2.7'] }
  assert.deepEqual(await book.wildcardOf('a.farm.org', signal), there)
  assert.deepEqual(await book.wildcardOf('b.farm.org', signal), there)
  assert.deepEqual(asked, [absurdName('farm.org')])
})

test('a domain and its www. need no caution, unless their pages name one sibling after the other', () => {
  for (const host of ['farm.org', 'www.farm.org', '192.0.2.1', '[::1]']) assert.equal(isBelowDomain(host), false, host)
  assert.equal(isBelowDomain('a.farm.org'), true)
  let wondered = 0
  const noteHost = watchSiblings('www.farm.org', () => wondered++)
  for (const other of ['a.farm.org', 'a.farm.org', 'b.farm.org', 'farm.org', 'www.farm.org', 'notfarm.org', 'x.org'])
    noteHost(other)
  assert.equal(wondered, 0)
  for (const other of ['c.farm.org', 'd.farm.org', 'e.farm.org', 'f.farm.org']) noteHost(other)
  assert.equal(wondered, 1)
})

test('a site found only at the address of absurd names of its top-level domain is barred', async () => {
  const { resolve } = resolver({ '*.com': [{ ip: '192.0.2.9' }] })
  const book = new WildcardDns(virtualClock(0), resolve)
  const there = { ip: '192.0.2.9' }
  assert.deepEqual(await book.barredBy('typo.com', [there], signal), { suffix: 'com', ip: '192.0.2.9' })
  assert.equal(await book.barredBy('good.com', [there, { ip: '192.0.2.10' }], signal), undefined)
  assert.equal(await book.barredBy('mine.com', [{ ...there, named: true }], signal), undefined)
})

test('a failed resolution proves nothing: it is tried again', async () => {
  const zones: Record<string, Address[] | 'silent'> = { '*.farm.org': 'silent' }
  const { resolve } = resolver(zones)
  const book = new WildcardDns(virtualClock(0), resolve)
  assert.equal(await book.wildcardOf('a.farm.org', signal), undefined)
  zones['*.farm.org'] = [{ ip: '192.0.2.7' }]
  assert.notEqual(await book.wildcardOf('a.farm.org', signal), undefined)
})

test('an absurd name is a valid label that differs by domain', () => {
  assert.match(absurdName('example.org'), /^[a-z]{20}\.example\.org$/)
  assert.notEqual(absurdName('a.org').split('.')[0], absurdName('b.org').split('.')[0])
})

test('a visit to a site of a top-level wildcard requests nothing and says why', async () => {
  const script = new Scripted({ 'http://typo.com/': { body: 'buy this name' } }, { trusts: () => false })
  script.addresses.set('typo.com', '192.0.2.9').set(absurdName('com'), '192.0.2.9')
  const { parts } = await script.visit({ agenda: ['http://typo.com/'] })
  assert.deepEqual(script.asked, [])
  assert.equal(parts[0].findings[0].rule, 'tld-wildcard')
})
