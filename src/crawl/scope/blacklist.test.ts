import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../base/errors.ts'
import { parseUrl } from '../../web/url/web-url.ts'
import { emptyBlacklist, parseBlacklist, withLines } from './blacklist.ts'

const TEXT = `\ufeff# what experts found
spam.example        # with all its hosts
*.trap.test
http://www.site.test/spider/
site.test/%7Ejoe
port.test:8080
192.0.2.0/24
2001:db8::/32
198.51.100.7
010.0.0.7
[2001:db9::]/64
[2001:dba::1]
[2001:dbb::1]:8080
::ffff:203.0.113.0/120
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
  assert.equal(list.refusesAddress('10.0.0.7'), 'blacklist: 010.0.0.7')
  assert.equal(list.refusesAddress('2001:db9::7'), 'blacklist: [2001:db9::]/64')
  assert.equal(refused('http://[2001:dba::1]/x'), 'blacklist: [2001:dba::1]')
  assert.equal(refused('http://[2001:dbb::1]:8080/x'), 'blacklist: [2001:dbb::1]:8080/')
  assert.equal(refused('http://[2001:dbb::1]/x'), undefined)
  assert.equal(list.refusesAddress('203.0.113.9'), 'blacklist: ::ffff:203.0.113.0/120')
  for (const ip of ['192.0.3.0', '203.0.114.0', '2001:dbc::1', '198.51.100.8', 'nonsense', ''])
    assert.equal(list.refusesAddress(ip), undefined)
})

test('a mistake names file and line', () => {
  const ranges = ['300.1.1.1/8', '1.2.3.4/33', '1.2.3.0004', '1.2.3.4/0008', '[1.2.3.4]']
  const ipv6 = ['[2001:db8::/32]', '[2001:db8::]/129', '[2001:db8::', '::ffff:192.0.2.0/24', '[::ffff:c000:200]/24']
  for (const line of ['not a host', 'ftp://x.test/', 'a..b', '1234', ...ranges, ...ipv6]) {
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

test('of many thousand networks the first line that refuses an address is named, at once', () => {
  const networks = Array.from({ length: 20_000 }, (_, i) => `10.${i >> 8}.${i & 255}.0/24`)
  const list = parseBlacklist([{ name: 'f', text: [...networks, '10.0.0.0/8'].join('\n') }])
  const began = process.cpuUsage()
  for (let i = 0; i < networks.length; i += 999)
    assert.equal(list.refusesAddress(`10.${i >> 8}.${i & 255}.7`), `blacklist: ${networks[i]}`)
  assert.equal(list.refusesAddress('10.200.0.1'), 'blacklist: 10.0.0.0/8')
  assert.equal(list.refusesAddress('11.0.0.1'), undefined)
  // A set for each line took 3 s.
  assert.ok(process.cpuUsage(began).user < 1_500_000)
  for (let i = 0; i < 20_000; i++) list.refusesAddress('10.77.255.7')
  // Longer still without the memory of refused addresses.
  assert.ok(process.cpuUsage(began).user < 2_000_000)
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
