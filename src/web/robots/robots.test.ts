import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseRobots, recallRobots } from './robots.ts'

const file = (...lines: string[]) => lines.join('\n')
const permits = (text: string | Uint8Array, path: string, token = 'orbweaver') => parseRobots(text, token).permits(path)

test('groups: our name before the asterisk, all groups of a name are one, only rules end a list of names', () => {
  const text = file(
    'Disallow: /before-any-group',
    'User-agent: *',
    'Disallow: /',
    'User-agent: ORBweaver/2.0 (+http://example.org)',
    'Crawl-delay: 3',
    'User-agent: friend',
    'Disallow: /one',
    'Sitemap: https://example.org/map.xml',
    '',
    'Disallow: /two',
    'User-agent: other',
    'Disallow: /other',
    'User-agent: orbweaver',
    'Disallow: /three',
  )
  const robots = parseRobots(text, 'orbweaver')
  assert.equal(robots.state, 'rules')
  for (const path of ['/one', '/two', '/three']) assert.equal(robots.permits(path).allowed, false, path)
  for (const path of ['/', '/other', '/before-any-group']) assert.equal(robots.permits(path).allowed, true, path)
  assert.equal(robots.crawlDelay, 3000)
  assert.deepEqual(robots.sitemaps, ['https://example.org/map.xml'])
  assert.equal(parseRobots(text, 'friend').permits('/one').allowed, false)
  assert.equal(parseRobots(text, 'friend').crawlDelay, undefined, 'it was not yet addressed')
  assert.equal(parseRobots(text, 'stranger').permits('/x').allowed, false)
})

test('a name is not matched by a longer or a shorter one', () => {
  const text = file('User-agent: orbweaver-news', 'Disallow: /', 'User-agent: orb', 'Disallow: /')
  assert.equal(permits(text, '/').allowed, true)
})

test('the longest rule decides, Allow wins ties, and the deciding line is told', () => {
  const text = file('User-agent: *', 'Disallow: /a', 'Allow: /a/b', 'Disallow: /a/b/c*', 'Allow: /x', 'Disallow: /x')
  const decided = (path: string) => {
    const { allowed, rule } = permits(text, path)
    return [allowed, rule]
  }
  assert.deepEqual(decided('/a/1'), [false, 'Disallow: /a'])
  assert.deepEqual(decided('/a/b/1'), [true, 'Allow: /a/b'])
  assert.deepEqual(decided('/a/b/c'), [false, 'Disallow: /a/b/c*'])
  assert.deepEqual(decided('/x'), [true, 'Allow: /x'])
  assert.deepEqual(decided('/y'), [true, ''])
})

test('the group and the line that decide are told, also from the small text', () => {
  const text = [
    '# for everyone',
    'User-agent: *',
    'Disallow: /',
    '',
    'User-agent: ORBweaver/2.0 (+http://example.org)\t# us',
    'User-agent: friend',
    'Disalow: /one # first',
    'Disallow: /one',
    'User-agent: orbweaver',
    'Crawl-delay: 2',
    'Allow: /one/open',
    'Disallow: /caf\u00e9',
  ]
  for (const lineEnd of ['\n', '\r', '\r\n']) {
    const whole = parseRobots(text.join(lineEnd), 'Orbweaver')
    for (const robots of [whole, recallRobots(whole.text)]) {
      const answer = (path: string) => robots.permits(path)
      const first = 'ORBweaver/2.0 (+http://example.org)'
      assert.deepEqual(answer('/one/1'), { allowed: false, rule: 'Disallow: /one', group: first, line: 7 })
      assert.deepEqual(answer('/one/open'), { allowed: true, rule: 'Allow: /one/open', group: 'orbweaver', line: 11 })
      assert.deepEqual(answer('/caf%c3%a9'), {
        allowed: false,
        rule: 'Disallow: /caf%C3%A9',
        group: 'orbweaver',
        line: 12,
      })
      assert.deepEqual(answer('/two'), { allowed: true, rule: '', group: first, line: 0 })
    }
    const stranger = parseRobots(text.join(lineEnd), 'stranger')
    assert.deepEqual(stranger.permits('/x'), { allowed: false, rule: 'Disallow: /', group: '*', line: 3 })
  }
  const others = parseRobots('User-agent: other\nDisallow: /', 'orbweaver')
  assert.equal(others.state, 'rules')
  assert.deepEqual(others.permits('/'), { allowed: true, rule: '', group: '', line: 0 })
})

test('what the small text says holds whatever we are called by now', () => {
  const { text } = parseRobots('User-agent: orbweaver\nDisallow: /a\nUser-agent: *\nDisallow: /b', 'orbweaver')
  assert.equal(recallRobots(text).permits('/a').allowed, false)
  assert.equal(recallRobots(text).permits('/b').allowed, true)
})

test('a file of forty thousand rules loses none in the small text, only the places of the last ones', () => {
  const rules = Array.from({ length: 46_000 }, (_, i) => `Allow:/${i.toString(36)}`)
  const text = ['User-agent: *', 'Disallow: /', ...rules, 'Disallow: /~'].join('\n')
  assert.ok(text.length > 480 * 1024 && text.length < 512 * 1024)
  const whole = parseRobots(text, 'orbweaver')
  assert.ok(whole.text.length <= 640 * 1024)
  const small = recallRobots(whole.text)
  for (let i = 0; i < rules.length; i += 7) assert.equal(small.permits(rules[i].slice(6)).allowed, true)
  assert.equal(small.permits('/0').line, 3)
  assert.deepEqual(small.permits('/~'), { allowed: false, rule: 'Disallow: /~', group: '*', line: 0 })
  assert.equal(whole.permits('/~').line, 46_003)
  assert.equal(small.text, whole.text)
})

test('wildcards and ends', () => {
  const no = (rule: string, path: string) => permits(file('User-agent: *', `Disallow: ${rule}`), path).allowed === false
  assert.ok(no('/*.pdf$', '/a/b.pdf'))
  assert.ok(!no('/*.pdf$', '/a/b.pdf?x'))
  assert.ok(no('/a*b*c', '/a-b-c-d'))
  assert.ok(!no('/a*b*c', '/a-c-b'))
  assert.ok(no('/a*bb$', '/abbb'), 'the end is looked for at the end')
  assert.ok(no('*/private', '/x/private'))
  assert.ok(!no('private', '/private'), 'a rule begins where the path begins')
  assert.ok(no('/$', '/') && !no('/$', '/a'))
  assert.ok(no('/a$b', '/a$bc'), 'a dollar inside is a dollar')
  assert.ok(no('/a%24$', '/a$') && no('/a%2A', '/a*') && !no('/a%2A', '/ab'))
  assert.ok(no('/**a***', '/za'))
  assert.ok(!no('', '/'))
  assert.ok(no('/?', '/?q=1') && !no('/?', '/index'))
})

test('octets are compared, not their spelling (RFC 9309)', () => {
  const no = (rule: string, path: string) => permits(file('User-agent: *', `Disallow: ${rule}`), path).allowed === false
  assert.ok(no('/foo/%62%61%7A', '/foo/baz') && no('/foo/baz', '/foo/%62%61%7a'))
  assert.ok(no('/ツ', '/%E3%83%84') && no('/%e3%83%84', '/%E3%83%84'))
  assert.ok(no('/a b', '/a%20b') && no('/a|b', '/a%7Cb') && no('/a%7Cb', '/a|b'))
  assert.ok(!no('/a%2Fb', '/a/b'), 'a reserved character differs from its escape')
  const latin1 = Uint8Array.from([...'User-agent: *\nDisallow: /caf'].map((c) => c.charCodeAt(0)).concat(0xe9))
  assert.equal(permits(latin1, '/caf%E9').allowed, false)
})

test("authors' mistakes are forgiven (V16)", () => {
  for (const text of [
    'user agent: *\ndisalow: /',
    'useragent: *\ndissallow: /',
    'USER-AGENT *\nDISALLOW /',
    '\ufeffUser-agent: *\r\rDisallow: /',
    '  User-agent :\t*  # all\r\n\tDisallow\t:  /  # everything',
    'User-agent: * \n\n\nDisallow: /\n',
    '<br>\nUser-agent: *\n<br>\nDisallow: /\n',
  ]) {
    assert.equal(permits(text, '/x').allowed, false, text)
  }
  const wide = new Uint8Array([0xff, 0xfe, ...new Uint8Array(Buffer.from('User-agent: *\nDisallow: /', 'utf16le'))])
  assert.equal(permits(wide, '/x').allowed, false, 'UTF-16')
})

test('what cannot be interpreted restricts nothing', () => {
  const state = (text: string | Uint8Array) => parseRobots(text, 'orbweaver').state
  assert.equal(state(''), 'uninterpretable')
  assert.equal(state('# only a comment\n\n'), 'none')
  assert.equal(state('<!DOCTYPE html><html>\n<p>User-agent: *\n<p>Disallow: /\n</html>'), 'uninterpretable')
  assert.equal(state(new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 1, 2, 3])), 'uninterpretable')
  assert.equal(state('please do not crawl us'), 'uninterpretable')
  assert.equal(permits('<html><body>User-agent: *<br>\nDisallow: /', '/x').allowed, true)
  assert.equal(state('Sitemap: https://example.org/s.xml'), 'rules')
})

test('Crawl-delay: seconds, fractions, bounded; of several the longest', () => {
  const delay = (...values: string[]) =>
    parseRobots(file('User-agent: *', ...values.map((value) => `Crawl-delay: ${value}`)), 'orbweaver').crawlDelay
  assert.equal(delay('10'), 10_000)
  assert.equal(delay('0.5'), 500)
  assert.equal(delay('1,5 s'), 1500)
  assert.equal(delay('.5'), 500)
  assert.equal(delay('0'), 0)
  assert.equal(delay('999999999'), 86_400_000)
  assert.equal(delay('5', '20', '3'), 20_000)
  for (const odd of ['-1', 'soon', '', 'NaN', 'Infinity']) assert.equal(delay(odd), undefined, odd)
})

test('sitemaps: absolute only, each once, at most a hundred', () => {
  const lines = Array.from({ length: 300 }, (_, i) => `Sitemap: http://example.org/${i % 150}.xml`)
  const robots = parseRobots(file('sitemap: /relative.xml', 'Site-map: HTTPS://Example.org/ä.xml', ...lines), 'x')
  assert.equal(robots.sitemaps.length, 100)
  assert.equal(robots.sitemaps[0], 'https://example.org/%C3%A4.xml')
})

test('bounds: 512 KiB up to a line border, long lines cut', () => {
  const start = 'User-agent: *\nDisallow: /a\n'
  const filler = `${'# a comment'.padEnd(512 * 1024 - start.length - 1 - 'Disallow: /'.length)}\n`
  const long = `${start}${filler}Disallow: /b\n`
  assert.equal(long.slice(0, 512 * 1024).slice(-11), 'Disallow: /')
  assert.equal(permits(long, '/a').allowed, false)
  const cut = Buffer.from(long).subarray(0, 512 * 1024)
  for (const text of [long, cut])
    assert.equal(permits(text, '/b').allowed, true, 'a rule cut in two would forbid more than it says')
  assert.equal(permits(`User-agent: *\nDisallow: /${'x'.repeat(600_000)}\nAllow: /`, '/x').allowed, true)
  assert.equal(permits(`#${'x'.repeat(20_000)}\nUser-agent: *\nDisallow: /y`, '/y').allowed, false)
})

test('no pattern makes matching slow', () => {
  const stars = `/${'*a'.repeat(8000)}`
  const text = file('User-agent: *', `Disallow: ${stars}b`, `Disallow: ${'*'.repeat(16_000)}b`, `Disallow: ${stars}$`)
  const robots = parseRobots(text, 'x')
  for (let i = 0; i < 200; i++) assert.equal(robots.permits(`/${'a'.repeat(2000 + i)}`).allowed, true)
  const many = Array.from({ length: 30_000 }, (_, i) => `Disallow: /${i}/`)
  const large = parseRobots(file('User-agent: *', ...many), 'x')
  for (let i = 0; i < 2000; i++) assert.equal(large.permits(`/${i * 10}/x`).allowed, false)
  assert.equal(large.permits('/x').allowed, true)
})

const anyFile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'User-agent: *',
        'User-agent: orbweaver',
        'User-agent: OrbWeaver/2.0 #us',
        'User-agent: other',
        'Crawl-delay: 1.25',
        '',
        '# c',
        '<p>',
      ),
      fc
        .tuple(
          fc.constantFrom('Allow: ', 'Disallow: ', 'disalow ', 'Sitemap: http://a.test/'),
          fc.string({
            unit: fc.constantFrom('/', 'a', 'b', '*', '$', '%', '4', '1', 'é', ' ', '?', '#'),
            maxLength: 8,
          }),
        )
        .map(([key, value]) => `${key}/${value}`),
      fc.string({ maxLength: 20 }),
    ),
    { maxLength: 25 },
  )
  .map((lines) => lines.join('\n'))
const anyPath = fc.string({ unit: fc.constantFrom('/', 'a', 'b', '*', '$', '%', '4', '1', '?'), maxLength: 10 })

test('the small text says the same as the whole file', () => {
  fc.assert(
    fc.property(anyFile, fc.array(anyPath, { minLength: 1, maxLength: 8 }), (text, paths) => {
      const whole = parseRobots(text, 'orbweaver')
      if (whole.state !== 'rules') return whole.text === ''
      const small = recallRobots(whole.text)
      const read = parseRobots(whole.text, 'orbweaver')
      assert.equal(small.text, whole.text)
      assert.equal(small.crawlDelay, whole.crawlDelay)
      assert.deepEqual(small.sitemaps, whole.sitemaps)
      for (const path of paths) {
        const answer = whole.permits(`/${path}`)
        assert.deepEqual(small.permits(`/${path}`), answer)
        assert.equal(read.permits(`/${path}`).rule, answer.rule, 'it is a robots.txt as any other')
      }
      return true
    }),
    { numRuns: 500 },
  )
})

test('any bytes parse', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), anyPath, (bytes, path) => {
      const robots = parseRobots(bytes, 'orbweaver')
      assert.match(robots.text, /^[\n\x20-\x7e]*$/)
      return typeof robots.permits(path).allowed === 'boolean'
    }),
    { numRuns: 1000 },
  )
})

test('a file made to be slow is obeyed, not decided', () => {
  const letters = [...'0123456789abcdefghijklmnopqrstuvwxyz']
  const all = letters.flatMap((a) => letters.map((b) => a + b))
  // Every two letters of every rule stand side by side in the path, and no rule matches it.
  const rules = Array.from({ length: 25_000 }, (_, i) => `Disallow: /*aa${all[i % 1296]}${i.toString(36)}zz`)
  const robots = parseRobots(file('User-agent: *', ...rules), 'orbweaver')
  const hostile = robots.permits(`/${all.join('')}${'a'.repeat(4000)}`)
  assert.equal(hostile.allowed, false)
  assert.equal(hostile.rule, 'Disallow: (too many wildcards to decide)')
  assert.equal(robots.permits('/shop/shoes/red?size=12&colour=blue').allowed, true)
  assert.equal(robots.permits('/shop/aa000zz').rule, 'Disallow: /*aa000zz')
})

/** The meaning of a rule, said the slow way: every place an asterisk may end at is tried. */
function matchesSlowly(pattern: string, path: string): boolean {
  if (pattern === '') return true
  if (pattern === '$') return path === ''
  if (pattern[0] !== '*') return path !== '' && pattern[0] === path[0] && matchesSlowly(pattern.slice(1), path.slice(1))
  for (let at = 0; at <= path.length; at++) if (matchesSlowly(pattern.slice(1), path.slice(at))) return true
  return false
}

test('rules decide as their definition says', () => {
  const pattern = fc.string({ unit: fc.constantFrom('/', 'a', 'b', '*'), maxLength: 6 })
  const rule = fc
    .tuple(fc.boolean(), pattern, fc.boolean())
    .map(([allow, body, end]) => ({ allow, body: `/${body}${end ? '$' : ''}` }))
  const path = fc.string({ unit: fc.constantFrom('/', 'a', 'b'), maxLength: 7 })
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), path, (rules, tail) => {
      const asked = `/${tail}`
      const text = file('User-agent: *', ...rules.map(({ allow, body }) => `${allow ? 'Allow' : 'Disallow'}: ${body}`))
      const longest = (allow: boolean) =>
        Math.max(0, ...rules.filter((r) => r.allow === allow && matchesSlowly(r.body, asked)).map((r) => r.body.length))
      return permits(text, asked).allowed === longest(true) >= longest(false)
    }),
    { numRuns: 2000 },
  )
})

test('lines that parse count, whatever the file begins with', () => {
  const rules = 'User-agent: *\nDisallow: /b\n'
  for (const start of [
    '<!-- our rules\n-->',
    '<html>',
    '<!DOCTYPE html>',
    '<?xml version="1.0"?>',
    '<script>',
    '\x01\x02\x03',
  ]) {
    const robots = parseRobots(`${start}\n${rules}`, 'Orbweaver')
    assert.equal(robots.state, 'rules', start)
    assert.equal(robots.permits('/b').allowed, false, start)
    assert.equal(robots.permits('/c').allowed, true, start)
  }
})

test('NULs are passed over, before, between and inside the lines', () => {
  const rules = 'User-agent: *\nDisallow: /b\n'
  const wide = Buffer.from(rules, 'utf16le').toString('latin1')
  for (const text of [
    `${rules}\0`,
    `# a\0b\n${rules}`,
    '\0'.repeat(300) + rules,
    `\0\n\0${rules}`,
    wide,
    `\0${wide}`,
  ]) {
    const robots = parseRobots(Buffer.from(text, 'latin1'), 'Orbweaver')
    assert.equal(robots.permits('/b').allowed, false, JSON.stringify(text))
  }
})
