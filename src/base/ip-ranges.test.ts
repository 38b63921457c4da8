import assert from 'node:assert/strict'
import { isIPv4 } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { IpRanges } from './ip-ranges.ts'

test('an address is in its own network, whatever its length', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat(128), (ip, length) => {
      const ranges = new IpRanges()
      const isMapped = !isIPv4(ip) && new IpRanges(['0.0.0.0/0']).has(ip)
      const bits = isIPv4(ip) ? Math.min(length, 32) : Math.max(length, isMapped ? 96 : 0)
      assert.ok(ranges.add(`${ip}/${bits}`))
      assert.ok(ranges.has(ip) && new IpRanges([ip]).has(ip))
    }),
  )
})

test('a network has its addresses in every spelling, and no others', () => {
  const has = (range: string, ip: string) => new IpRanges([range]).has(ip)
  assert.ok(has('192.0.2.0/24', '192.0.2.255') && has('192.0.2.0/24', '::ffff:c000:201'))
  assert.ok(
    has('::ffff:192.0.2.7', '192.0.2.7') && has('2001:db8::/32', '2001:DB8::1') && has('0.0.0.0/0', '255.1.2.3'),
  )
  assert.ok(!has('10.0.0.0/8', '11.0.0.0') && !has('2001:db8::/32', '2001:db9::1'))
  for (const range of ['::/0', '::/64', '::1'])
    assert.ok(!has(range, '1.2.3.4') && !has(range, '::ffff:1.2.3.4'), range)
  assert.ok(!has('0.0.0.0/0', '::1'))
})

test('an IPv4 network may be written as IPv6, with the length that it has there', () => {
  const ranges = new IpRanges(['::ffff:192.0.2.0/120', '::ffff:a00:0/104'])
  for (const ip of ['192.0.2.255', '::ffff:192.0.2.1', '10.255.0.1', '::ffff:a01:203']) assert.ok(ranges.has(ip), ip)
  for (const ip of ['192.0.3.0', '::ffff:192.0.1.255', '11.0.0.1', '::1']) assert.ok(!ranges.has(ip), ip)
  assert.ok(new IpRanges(['::ffff:0:0/96']).has('1.2.3.4'))
  for (const text of ['::ffff:192.0.2.0/24', '::ffff:0:0/95', '::ffff:1.2.3.4/0'])
    assert.deepEqual([ranges.add(text), ranges.has('1.2.3.4')], [false, false], text)
})

test('anything else is neither added nor found', () => {
  const ranges = new IpRanges(['0.0.0.0/0', '::/0'])
  for (const text of [
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '0177.0.0.1',
    '[::1]',
    'fe80::1%lo',
    '1.2.3.4.',
    '1.1.1.256',
  ])
    assert.deepEqual([ranges.add(text), ranges.has(text)], [false, false], text)
  for (const text of ['1.2.3.4/33', '::1/129', '1.2.3.4/', '1.2.3.4/8/8', '1.2.3.4/-1'])
    assert.ok(!ranges.add(text), text)
})
