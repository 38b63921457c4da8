/** What RFC 9309 and Google's published reading say of one file after the other, by cases of our own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRobots } from './robots.ts'

type Expected = Readonly<Record<string, boolean>>

/** Paths and whether `weaver` (or the name before a blank: `other /path`) may ask for them. */
function check(text: string | Uint8Array, expected: Expected): void {
  for (const [asked, may] of Object.entries(expected)) {
    const space = asked.indexOf(' ')
    const token = space < 0 ? 'weaver' : asked.slice(0, space)
    const path = asked.slice(space + 1)
    const said = parseRobots(text, token).permits(path)
    assert.equal(said.allowed, may, `${JSON.stringify(String(text).slice(0, 80))}: ${asked}, by "${said.rule}"`)
  }
}

const lines = (...all: string[]) => `${all.join('\n')}\n`
const ours = (...rules: string[]) => lines('User-agent: weaver', ...rules)

test('names: any case, up to the first letter that no name has', () => {
  for (const name of ['weaver', 'WEAVER', 'Weaver/1.0', 'weaver*', 'weaver 2 (see example.org)', 'weaver\tx']) {
    check(lines(`User-agent: ${name}`, 'Disallow: /'), { 'weaver /x': false, 'Weaver /x': false, 'weave /x': true })
  }
  for (const name of ['weavers', 'orb-weaver', '"weaver"', '/weaver', 'my weaver', '']) {
    check(lines(`User-agent: ${name}`, 'Disallow: /'), { 'weaver /x': true })
  }
})

test('names: a group of our own takes the place of that for all, wherever it stands', () => {
  const all = ['User-agent: *', 'Disallow: /all']
  const own = ['User-agent: weaver', 'Disallow: /own']
  for (const text of [lines(...all, ...own), lines(...own, ...all), lines(...all, '', ...own, '', ...all)]) {
    check(text, { '/all': true, '/own': false, 'other /all': false, 'other /own': true })
  }
  check(lines(...all, 'User-agent: weaver', 'Disallow:'), { '/all': true })
  check(lines(...all, 'User-agent: weaver'), { '/all': true })
  check(lines('User-agent: *x', 'Disallow: /'), { '/x': true })
  check(lines('User-agent: * x', 'Disallow: /'), { '/x': false })
})

test('groups: what stands before the first name is nobody’s, lists end with a rule, equal names add up', () => {
  check(
    lines(
      'Disallow: /early',
      'User-agent: a',
      'User-agent: weaver',
      'Crawl-delay: 1',
      'User-agent: b',
      'Disallow: /abw',
      'User-agent: b',
      'Disallow: /b',
      'unknown: thing',
      'User-agent: weaver',
      'User-agent: c',
      'Sitemap: http://example.org/s.xml',
      '',
      '',
      'Disallow: /wc',
    ),
    {
      '/early': true,
      '/abw': false,
      '/b': true,
      '/wc': false,
      'a /abw': false,
      'a /b': true,
      'b /b': false,
      'b /abw': false,
      'c /wc': false,
      'c /abw': true,
      'stranger /abw': true,
    },
  )
})

test('paths: from the beginning, with their case, whatever follows', () => {
  check(ours('Disallow: /', 'Allow: /fox'), {
    '/': false,
    '/fox': true,
    '/foxes': true,
    '/fox/den.html?x=1': true,
    '/Fox': false,
    '/a/fox': false,
    '/?id=fox': false,
  })
  check(ours('Disallow: /', 'Allow: /fox/'), { '/fox/': true, '/fox/a': true, '/fox': false, '/fox.html': false })
  check(ours('Disallow: fox'), { '/fox': true })
  check(ours('Disallow:'), { '/fox': true, '/': true })
  check(ours('Disallow: /'), { '': false, '/': false })
})

test('wildcards: anything or nothing, the end only at the end', () => {
  check(ours('Disallow: /', 'Allow: /*.asp'), {
    '/a.asp': true,
    '/b/a.asp?x': true,
    '/a.aspx/b': true,
    '/a.ASP': false,
    '/asp': false,
  })
  check(ours('Disallow: /', 'Allow: /*.asp$'), {
    '/a.asp': true,
    '/a.asp?x': false,
    '/a.asp/': false,
    '/a.aspx': false,
  })
  check(ours('Disallow: /', 'Allow: /den*.asp'), { '/den.asp': true, '/dens/1.asp?x': true, '/Den.asp': false })
  check(ours('Disallow: /$'), { '/': false, '/a': true })
  check(ours('Disallow: /*$'), { '/': false, '/a': false })
  check(ours('Disallow: *'), { '/': false, '/a': false })
  check(ours('Disallow: /a$$'), { '/a': true, '/a$': false })
  check(ours('Disallow: /*/*/*/z'), { '/a/b/c/z': false, '/a/b/z': true, '////z': false })
  check(ours('Disallow: /*?*='), { '/a?b=c': false, '/a?b': true, '/a=b?': true })
})

test('the longest rule decides, and a tie is for us', () => {
  check(ours('Allow: /p', 'Disallow: /'), { '/page': true, '/q': false })
  check(ours('Disallow: /den', 'Allow: /den'), { '/den/a': true })
  check(ours('Allow: /page', 'Disallow: /*.htm'), { '/page.htm': false, '/page': true })
  check(ours('Allow: /$', 'Disallow: /'), { '/': true, '/page': false })
  check(ours('Disallow: /a/b/c', 'Allow: /a/b', 'Disallow: /a'), { '/a': false, '/a/b': true, '/a/b/c': false })
  check(ours('Disallow: /a*', 'Allow: /a'), { '/ab': false })
  check(ours('Allow: /a/index.html', 'Disallow: /'), { '/a/': true, '/a/index.html': true, '/a/b': false, '/a': false })
  check(ours('Allow: /a/index.php', 'Disallow: /'), { '/a/': false })
})

test('octets: escapes in rule or path are one and the same, but for reserved characters', () => {
  check(ours('Disallow: /%E2%82%AC'), { '/%e2%82%ac': false, '/\u00e2\u0082\u00ac': false, '/%E2%82': true })
  check(new TextEncoder().encode(ours('Disallow: /€/')), { '/%E2%82%AC/x': false })
  check(ours('Disallow: /%7Ejoe/'), { '/~joe/x': false, '/%7ejoe/': false })
  check(ours('Disallow: /a%3fb'), { '/a%3Fb': false, '/a?b': true })
  check(ours('Disallow: /a?b=http://c.d?e&f'), { '/a?b=http://c.d?e&f': false })
  check(ours('Disallow: /100%'), { '/100%': false, '/100': true })
  check(ours('Disallow: /%zz'), { '/%zz': false })
})

test('lines: every kind of end, blanks and comments anywhere, marks at the beginning', () => {
  for (const end of ['\n', '\r', '\r\n', '\n\r', '\n\n\n']) {
    check(['User-agent: weaver', 'Disallow: /a', '# b', 'Disallow: /c', ''].join(end), { '/a': false, '/c': false })
  }
  check('User-agent:weaver\r\nDisallow:/a\nDisallow:/b\rDisallow:/c', { '/a': false, '/b': false, '/c': false })
  check('\tUser-agent :  weaver\t# us\n  Disallow\t:\t/a # not this\n', { '/a': false, '/a#': false })
  check(ours('Disallow: /a#b'), { '/a': false })
  check(ours('#Disallow: /a', '# Disallow: /b'), { '/a': true, '/b': true })
  const text = new TextEncoder().encode(ours('Disallow: /a'))
  for (const mark of [[], [0xef], [0xef, 0xbb], [0xef, 0xbb, 0xbf]]) {
    check(Uint8Array.from([...mark, ...text]), { '/a': false })
  }
  check(Uint8Array.from([0xbb, 0xbf, ...text]), { '/a': true })
})

test('spelling: what authors often write is understood, the rest is left aside', () => {
  for (const [agent, rule] of [
    ['user agent', 'disalow'],
    ['useragent', 'dissallow'],
    ['User-Agents', 'Dissalow'],
    ['USER-AGENT', 'DISALLOWED'],
    ['user-agent', 'diasllow'],
    ['User-agent', 'disallaw'],
  ]) {
    check(lines(`${agent}: weaver`, `${rule}: /a`), { '/a': false, '/b': true })
  }
  check(lines('User-agent weaver', 'Disallow /a'), { '/a': false })
  check(lines('User-agent weaver', 'Disallow /a and more'), { '/a': true })
  check(ours('Noindex: /a', 'Host: example.org', 'Clean-param: s', 'Disallow: /b'), { '/a': true, '/b': false })
  check(ours('Dis allow: /a', 'Forbid: /b', ': /c', 'Disallow'), { '/a': true, '/b': true, '/c': true })
})

test('other things in its place: no rules, and it is said', () => {
  const state = (bytes: string | Uint8Array) => parseRobots(bytes, 'weaver').state
  const asText = (text: string) => Buffer.from(text)
  for (const page of [
    '<!doctype html><title>404</title>',
    '\ufeff\n <HTML><body>User-agent: *',
    '<?xml version="1.0"?><error/>',
    '<div>not found</div>',
    '{"error": "not found"}',
    'Not Found',
  ]) {
    assert.equal(state(page), 'uninterpretable', page)
  }
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52])
  const zip = Uint8Array.from([0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0])
  for (const bytes of [png, zip, new Uint8Array(600)]) assert.equal(state(bytes), 'uninterpretable')
  for (const empty of ['', '\n', '\ufeff', ' \t\r\n']) assert.equal(state(empty), 'uninterpretable')
  for (const comment of ['# nothing here', '#\r#\r']) assert.equal(state(comment), 'none')
  for (const rules of ['User-agent: a', 'Sitemap: http://a.test/s.xml']) assert.equal(state(asText(rules)), 'rules')
})
