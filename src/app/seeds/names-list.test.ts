import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { firstGuess, namesOf, namesReader } from './names-list.ts'
import { all, brief, chunksOf, line } from './sources.test-data.ts'

const read = async (text: string | Uint8Array) => (await all(namesOf(chunksOf(text)))).found.map(brief)

test('one name per line, with comments, capitals, other scripts and trailing dots', async () => {
  assert.deepEqual(await read('# names\nExample.ORG\n\nbücher.example.  # a shop\nhttps://www.a.test/\n  b.test\n'), [
    '2 N https://example.org/',
    '4 N https://xn--bcher-kva.example/',
    '5 N https://www.a.test/',
    '6 N https://b.test/',
  ])
})

test('in ranked lists and tables the first column that is not a number is the name', async () => {
  assert.deepEqual(await read('1,google.com\r\n2,"facebook.com"\r\n'), [
    '1 N https://google.com/',
    '2 N https://facebook.com/',
  ])
  assert.deepEqual(await read('GlobalRank,TldRank,Domain,TLD\n1,1,facebook.com,com,10\n'), [
    '2 N https://facebook.com/',
  ])
  assert.deepEqual(await read('domain;registrar\na.test;x.test\nb.test\ty.test\n'), [
    '2 N https://a.test/',
    '3 N https://b.test/',
  ])
  assert.deepEqual(await read(gzipSync('1,a.test\n2,b.test\n')), ['1 N https://a.test/', '2 N https://b.test/'])
})

test('zone files: owners of delegations, relative to the origin, without the signatures', async () => {
  const zone = `; zone of test
$ORIGIN test.
$TTL 86400
@ IN SOA ns.nic.test. host.nic.test. (
    1 ; serial
    7200 )
example 86400 IN NS ns1.example.net.
        86400 IN NS ns2.example.net.
EXAMPLE NS ns3.example.net.
other.test. 3600 in ns ns1.other.net.
abc123def.test. IN NSEC3 1 0 10 AB CD NS
example IN DS 1 2 3 AB
_dmarc.example IN A 192.0.2.1
deep.example IN A 192.0.2.1
`
  assert.deepEqual(await read(zone), [
    '7 N https://example.test/',
    '9 N https://example.test/',
    '10 N https://other.test/',
    '13 refused _dmarc.example.test: a name with _ is not a host name',
    '14 N https://deep.example.test/',
  ])
})

test('a line that is not a name is refused with a reason', () => {
  for (const [text, why] of [
    ['localhost', /full name/],
    ['192.0.2.1', /address/],
    ['[::1]', /address/],
    ['0x7f.1', /reads as the address 127/],
    ['*.example.org', /pattern/],
    ['a@example.org', /e-mail/],
    ['example.org/page', /--seeds/],
    ['example.org:8080', /port/],
    ['exa mple.org', /not a host name/],
    ['a..b', /not a host name/],
    [`${'a'.repeat(64)}.org`, /not a host name/],
    ['x'.repeat(1000), /too long/],
    ['_sip.example.org', /not a host name/],
  ] as const) {
    const guess = firstGuess(text)
    assert.ok(typeof guess === 'string', text)
    assert.match(guess, why, text)
  }
})

test('any line yields a name, a refusal or nothing, in the order of the lines', () => {
  const words = fc.constantFrom(
    'example.org',
    'IN',
    'NS',
    '$ORIGIN',
    '(',
    ')',
    ';',
    '@',
    '1',
    ',',
    '"',
    '\t',
    ' ',
    'a.test.',
    '\u0000',
    'ü.de',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.array(words, { maxLength: 12 }).map((list) => list.join('')),
    fc.array(words, { maxLength: 12 }).map((list) => list.join(' ')),
  )
  fc.assert(
    fc.property(fc.array(text, { maxLength: 10 }), (lines) => {
      const reader = namesReader()
      for (const [i, text] of lines.entries()) {
        const found = reader(line(text, i + 1))
        assert.ok(found.length <= 1)
        for (const one of found) {
          assert.ok(one.kind !== 'note' && one.at === i + 1)
          if (one.kind === 'refused') assert.ok(one.text.length <= 80 && one.why !== '')
          else
            assert.ok(
              one.kind === 'seed' &&
                one.path === 'N' &&
                one.url.href === `https://${one.url.host}/` &&
                one.url.host.includes('.'),
            )
        }
      }
    }),
    { numRuns: 5000 },
  )
})

test('time grows with the length of a line and no faster', () => {
  // Steps cannot be counted here, so every pattern that could be tried from every place gets a line on which it would be.
  for (const hostile of [
    ' '.repeat(60_000),
    '; '.repeat(30_000),
    '1,'.repeat(30_000),
    '"'.repeat(60_000),
    'a.'.repeat(30_000),
    '('.repeat(60_000),
    '\t#'.repeat(30_000),
  ]) {
    assert.ok(namesReader()(line(hostile)).length <= 1)
  }
})
