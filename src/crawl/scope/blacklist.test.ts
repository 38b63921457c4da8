import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../../base/errors.ts'
import { parseUrl } from '../../web/url/web-url.ts'
import { emptyBlacklist, inRange, parseBlacklist, parseRange, withLines } from './blacklist.ts'

const TEXT = `\ufeff# what experts found
spam.example        # with all its hosts
*.trap.test
http://www.site.test/spider/
site.test/%7Ejoe
port.test:8080
192.0.2.0/24
2001:db8::/32
198.51.100.7
`

test('URLs, domains and addresses (V15)', () => {
  const list = parseBlacklist([{ name: 'black.txt', text: TEXT }])
  const refused = (text: string) => list.refusesUrl(parseUrl(text)!)
  assert.equal(refused('http://spam.example/'), 'blacklist: spam.example')
  assert.equal(refused('https://a.b.spam.example/x'), 'blacklist: spam.example')
  assert.equal(refused('http://notspam.example/'), undefined)
  assert.equal(refused('http://x.trap.test/'), 'blacklist: trap.test')
  assert.equal(refused('https://www.site.test/spider/spider/'), 'blacklist: www.site.test/spider/')
  assert.equal(refused('http://www.site.test/spiders'), undefined)
  assert.equal(refused('http://site.test/~joe/x'), 'blacklist: site.test/~joe')
  assert.equal(refused('http://port.test:8080/x'), 'blacklist: port.test:8080/')
  assert.equal(refused('http://port.test/x'), undefined)
  assert.equal(refused('http://192.0.2.9/'), 'blacklist: 192.0.2.0/24')
  assert.equal(refused('http://[2001:db8:1::9]/'), 'blacklist: 2001:db8::/32')
  assert.equal(list.refusesAddress('192.0.2.255'), 'blacklist: 192.0.2.0/24')
  assert.equal(list.refusesAddress('::ffff:192.0.2.1'), 'blacklist: 192.0.2.0/24')
  assert.equal(list.refusesAddress('2001:DB8::1'), 'blacklist: 2001:db8::/32')
  assert.equal(list.refusesAddress('198.51.100.7'), 'blacklist: 198.51.100.7')
  for (const ip of ['192.0.3.0', '2001:db9::1', '198.51.100.8', 'nonsense', ''])
    assert.equal(list.refusesAddress(ip), undefined)
})

test('a mistake names file and line', () => {
  for (const line of ['not a host', 'ftp://x.test/', '300.1.1.1/8', '1.2.3.4/33', 'a..b', '1234']) {
    assert.throws(
      () => parseBlacklist([{ name: 'black.txt', text: `ok.test\n${line}` }]),
      (error) => {
        assert.ok(error instanceof Problem, line)
        assert.match(error.message, /^black\.txt, line 2: /)
        return true
      },
    )
  }
})

test('an address is in its own network, whatever its length', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat(128), (ip, length) => {
      const whole = parseRange(ip)!
      const range = parseRange(`${ip}/${Math.min(length, whole.bits)}`)
      return range === undefined ? whole.bits === 32 && ip.includes(':') : inRange(range, ip) && inRange(whole, ip)
    }),
  )
  assert.equal(inRange(parseRange('10.0.0.0/8')!, '11.0.0.0'), false)
  assert.equal(inRange(parseRange('0.0.0.0/0')!, '255.1.2.3'), true)
  assert.equal(inRange(parseRange('0.0.0.0/0')!, '::1'), false)
})

test("an operator's lines count beside the files, and the list is made again only when either changes", () => {
  let files = parseBlacklist([{ name: 'f', text: 'a.test' }])
  let lines: readonly string[] = []
  const list = withLines(
    () => files,
    () => lines,
  )
  const refused = (text: string) => list().refusesUrl(parseUrl(text)!) !== undefined
  assert.equal(list(), files)
  assert.deepEqual([refused('http://a.test/'), refused('http://b.test/')], [true, false])
  lines = ['b.test', '192.0.2.0/24']
  assert.deepEqual([refused('http://a.test/'), refused('http://b.test/')], [true, true])
  assert.notEqual(list().refusesAddress('192.0.2.7'), undefined)
  assert.equal(list(), list())
  files = emptyBlacklist
  assert.deepEqual([refused('http://a.test/'), refused('http://b.test/')], [false, true])
  lines = []
  assert.equal(list(), files)
})
