import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { addressGuard } from './guard.ts'

const guard = addressGuard({ allowPrivate: false, allow: new Set() })

const REFUSED_V4 = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
]
const PUBLIC_V4 = [
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.0',
  '168.63.129.15',
  '168.63.129.17',
  '172.15.0.1',
  '172.32.0.1',
  '193.0.0.1',
  '223.255.255.254',
]

/** Every way in which an IPv4 address hides in an IPv6 one. */
function disguises(v4: string): string[] {
  const [a, b, c, d] = v4.split('.').map(Number)
  const high = ((a << 8) | b).toString(16)
  const low = ((c << 8) | d).toString(16)
  return [
    `::ffff:${v4}`,
    `::ffff:${high}:${low}`,
    `0:0:0:0:0:ffff:${v4}`,
    `0000:0000:0000:0000:0000:FFFF:${high}:${low}`,
    `64:ff9b::${v4}`,
    `64:ff9b::${high}:${low}`,
    `2002:${high}:${low}::1`,
  ]
}

test('addresses that are not public are refused, in every spelling', () => {
  for (const ip of REFUSED_V4) {
    assert.equal(guard(ip), false, ip)
    for (const hidden of disguises(ip)) assert.equal(guard(hidden), false, hidden)
    assert.equal(guard(`::${ip}`), false, 'IPv4-compatible')
  }
  for (const ip of [
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    'fe80::1',
    'febf::1',
    'fec0::1',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '2001:db8::1',
    '3fff::1',
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:10::1',
    '64:ff9b:1::1',
    '100::1',
    '5f00::1',
    '::ffff:0:8.8.8.8',
    '4000::1',
  ]) {
    assert.equal(guard(ip), false, ip)
  }
})

test('what is no plain address is refused', () => {
  for (const text of [
    '',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '8.8.8',
    '8.8.8.8.',
    ' 8.8.8.8',
    '[2606:4700::1]',
    '2606:4700::1%eth0',
    'fe80::1%lo',
    '8.8.8.8:80',
    '٨.8.8.8',
    '1.1.1.256',
  ]) {
    assert.equal(guard(text), false, text)
  }
})

test('public addresses pass, also through the gateways that lead to them', () => {
  for (const ip of PUBLIC_V4) {
    assert.equal(guard(ip), true, ip)
    for (const hidden of disguises(ip)) assert.equal(guard(hidden), true, hidden)
  }
  for (const ip of ['2606:4700:4700::1111', '2a00:1450:4001:81b::200e', '2001:200::1', '2001:4860:4860::8888']) {
    assert.equal(guard(ip), true, ip)
  }
})

test('what the operator names passes: all that is private, or one address in any spelling', () => {
  const all = addressGuard({ allowPrivate: true, allow: new Set() })
  for (const ip of [...REFUSED_V4, '::1', 'fd00::1']) assert.equal(all(ip), true, ip)
  assert.equal(all('localhost'), false)
  const one = addressGuard({ allowPrivate: false, allow: new Set(['127.0.0.1', '::1', 'nonsense']) })
  for (const ip of ['127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::1', '0:0::1']) assert.equal(one(ip), true, ip)
  for (const ip of ['127.0.0.2', '10.0.0.1', '::2']) assert.equal(one(ip), false, ip)
})

const bitsOf = (ip: string) => ip.split('.').reduce((bits, octet) => bits * 256 + Number(octet), 0)

test('agrees with plain arithmetic on every IPv4 address and its disguises', () => {
  const refused = [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '168.63.129.16/32',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ].map((net) => {
    const [base, bits] = net.split('/')
    return { base: bitsOf(base), size: 2 ** (32 - Number(bits)) }
  })
  const octet = fc.oneof(fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203), fc.nat(255))
  fc.assert(
    fc.property(fc.tuple(octet, fc.nat(255), fc.nat(255), fc.nat(255)), (octets) => {
      const ip = octets.join('.')
      const expected = !refused.some(({ base, size }) => bitsOf(ip) >= base && bitsOf(ip) < base + size)
      assert.equal(guard(ip), expected, ip)
      for (const hidden of disguises(ip)) assert.equal(guard(hidden), expected, hidden)
    }),
    { numRuns: 1_000 },
  )
})

test('no text makes it throw, and only addresses pass', () => {
  const text = fc.oneof(fc.string(), fc.ipV6(), fc.ipV4(), fc.ipV4Extended(), fc.stringMatching(/^[0-9a-f:.%]{0,40}$/))
  fc.assert(
    fc.property(text, (ip) => {
      if (guard(ip)) assert.ok(isIP(ip) !== 0)
    }),
    { numRuns: 1_000 },
  )
})
