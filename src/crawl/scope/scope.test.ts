import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseUrl, type WebUrl } from '../../web/url/web-url.ts'
import { emptyBlacklist, parseBlacklist } from './blacklist.ts'
import { parseScopeMode } from './region.ts'
import { type LinkPolicy, makeScope, type ScopeOptions } from './scope.ts'

const url = (text: string): WebUrl => parseUrl(text)!
const options = (more: Partial<ScopeOptions>): ScopeOptions => ({
  mode: 'host',
  seeds: [url('http://www.example.org/docs/start.html')],
  include: [],
  exclude: [],
  queries: true,
  mediaTypes: ['*/*'],
  maxDepth: 50,
  maxUrlLength: 2000,
  blacklist: emptyBlacklist,
  links: 'combined',
  sizes: [],
  ...more,
})
const ruleOf = (more: Partial<ScopeOptions>, text: string, depth = 1) => {
  const finding = makeScope(options(more)).judge(url(text), depth)
  return finding.yes ? 'yes' : finding.rule
}

test('regions', () => {
  const cases: [string, string[], string[]][] = [
    [
      'page',
      ['https://www.example.org/docs/start.html'],
      ['http://www.example.org/docs/start.html?x', 'http://www.example.org/'],
    ],
    [
      'prefix',
      ['https://www.example.org/docs/', 'http://www.example.org/%64ocs/a/b?c'],
      ['http://www.example.org/', 'http://www.example.org/documents', 'http://example.org/docs/'],
    ],
    [
      'host',
      ['https://www.example.org/'],
      ['http://example.org/', 'http://www.example.org:8080/', 'http://a.www.example.org/'],
    ],
    [
      'domain',
      ['http://example.org:8080/', 'https://a.b.example.org/'],
      ['http://example.com/', 'http://notexample.org/'],
    ],
    ['tld:org', ['http://a.org/', 'http://b.c.org:81/'], ['http://org.example/', 'http://aorg/', 'http://a.com/']],
    ['tld:рф', ['http://пример.рф/'], ['http://xn--p1ai.example/']],
    ['tld:.gov.br,pt', ['http://a.gov.br/', 'http://b.pt/'], ['http://a.com.br/', 'http://gov.br.example/']],
    [
      'surt:org,example,',
      ['http://example.org/', 'https://a.example.org/x'],
      ['http://example.com/', 'http://examples.org/'],
    ],
    [
      'surt:http://(org,example,)/a',
      ['https://example.org/a/b', 'http://example.org/a'],
      ['http://www.example.org/a', 'http://example.org/b', 'http://example.org/A'],
    ],
    ['surt:org,example)/a', ['http://example.org/abc'], ['http://www.example.org/abc']],
    ['surt:(org,example,:8080)/', ['http://example.org:8080/x'], ['http://example.org/x']],
    ['surt:127.0.0.1)/', ['http://127.0.0.1/x'], ['http://127.0.0.2/x']],
  ]
  for (const [text, inside, outside] of cases) {
    const mode = parseScopeMode(text)!
    for (const u of inside) assert.equal(ruleOf({ mode }, u), 'yes', `${text} holds ${u}`)
    for (const u of outside) assert.equal(ruleOf({ mode }, u), `scope ${text}`, `${text} does not hold ${u}`)
  }
  for (const odd of ['', 'hosts', 'tld:', 'surt', 'x:y']) assert.equal(parseScopeMode(odd), undefined, odd)
})

test("one user's part of a shared domain is a domain of its own", () => {
  const mine = { mode: 'domain', seeds: [url('http://me.github.io/')] } as const
  assert.equal(ruleOf(mine, 'http://me.github.io/x'), 'yes')
  assert.equal(ruleOf(mine, 'http://you.github.io/'), 'scope domain')
  const local = {
    mode: 'domain',
    seeds: [url('http://127.0.0.1/'), url('http://localhost/'), url('http://a.b.test/')],
  } as const
  for (const u of ['http://127.0.0.1/x', 'http://localhost:81/', 'http://c.b.test/'])
    assert.equal(ruleOf(local, u), 'yes', u)
  assert.equal(ruleOf(local, 'http://127.0.0.2/'), 'scope domain')
})

test('each refusal names its rule', () => {
  const u = 'http://www.example.org/docs/a?b=c'
  assert.equal(ruleOf({}, u), 'yes')
  assert.equal(ruleOf({ maxDepth: 5 }, u, 5), 'yes')
  assert.equal(ruleOf({ maxDepth: 5 }, u, 6), 'depth>5')
  assert.equal(ruleOf({ maxUrlLength: 30 }, u), 'url-length>30')
  assert.equal(ruleOf({ queries: false }, u), 'query')
  assert.equal(ruleOf({ exclude: [/b=\w/g] }, u), 'exclude b=\\w')
  assert.equal(ruleOf({ include: [/\/news\//] }, u), 'include')
  assert.equal(ruleOf({ include: [/\/news\//, /docs/] }, u), 'yes')
  const blacklist = parseBlacklist([{ name: 'f', text: 'example.org' }])
  assert.equal(ruleOf({ blacklist }, u), 'blacklist: example.org')
})

test('seeds need not match include', () => {
  assert.equal(ruleOf({ include: [/\/news\//] }, 'http://www.example.org/docs/start.html', 0), 'yes')
  assert.equal(ruleOf({ exclude: [/\/admin\//] }, 'http://www.example.org/%61dmin/x'), 'exclude \\/admin\\/')
  assert.equal(ruleOf({ exclude: [/%c3/] }, 'http://www.example.org/%c3%a9'), 'exclude %c3')
  assert.equal(ruleOf({ include: [/\/docs\//] }, 'http://www.example.org/d%6Fcs/x'), 'yes')
  assert.equal(ruleOf({ exclude: [/start/] }, 'http://www.example.org/docs/start.html', 0), 'exclude start')
})

test('patterns with g answer the same twice', () => {
  const scope = makeScope(options({ exclude: [/a/g] }))
  for (let i = 0; i < 3; i++) assert.equal(scope.judge(url('http://www.example.org/a'), 0).yes, false)
})

/** VN's Figure 5: www.mysite.com links to a page of www.othersite.com to which no other page links. */
const FIGURE_5: Record<string, string[]> = {
  'http://www.mysite.com/': ['http://www.mysite.com/a.html', 'http://www.othersite.com/orphan.html'],
  'http://www.mysite.com/a.html': [],
  'http://www.othersite.com/': ['http://www.othersite.com/b.html'],
  'http://www.othersite.com/b.html': ['http://www.mysite.com/hidden.html'],
  'http://www.othersite.com/orphan.html': [],
  'http://www.mysite.com/hidden.html': [],
}

function walk(links: LinkPolicy, seeds: string[]): { asked: string[]; dropped: number } {
  const scope = makeScope(options({ mode: { tld: 'com' }, seeds: seeds.map(url), links }))
  const queue = seeds.map(url)
  const asked = new Set(seeds)
  let dropped = 0
  for (const page of queue) {
    for (const link of (FIGURE_5[page.href] ?? []).map(url)) {
      const found = link.site === page.site ? { admit: [link], dropped: false } : scope.crossSite(link)
      if (found.dropped) dropped++
      for (const next of found.admit) {
        if (asked.has(next.href) || !scope.judge(next, 0).yes) continue
        asked.add(next.href)
        queue.push(next)
      }
    }
  }
  return { asked: [...asked].sort(), dropped }
}

test("external links on the web of VN's Figure 5 (V10)", () => {
  const MY = 'http://www.mysite.com/'
  const OTHER = 'http://www.othersite.com/'
  assert.deepEqual(walk('home-page', [MY]), { asked: [MY, `${MY}a.html`, OTHER, `${OTHER}b.html`], dropped: 1 })
  assert.deepEqual(walk('home-page', [MY, OTHER]), { asked: [MY, `${MY}a.html`, OTHER, `${OTHER}b.html`], dropped: 2 })
  assert.deepEqual(walk('deep', [MY]), { asked: [MY, `${MY}a.html`, `${OTHER}orphan.html`], dropped: 0 })
  const all = Object.keys(FIGURE_5).sort()
  assert.deepEqual(walk('combined', [MY]), { asked: all, dropped: 0 })
})

test('combined admits a home page once', () => {
  const scope = makeScope(options({ links: 'combined' }))
  assert.equal(scope.crossSite(url('http://other.test/')).admit.length, 1)
})

test('http on the port of https is refused, and the other way round', () => {
  const seed = parseUrl('http://a.test/')!
  const scope = makeScope({
    mode: 'host',
    seeds: [seed],
    include: [],
    exclude: [],
    queries: true,
    mediaTypes: ['text/html'],
    maxDepth: 5,
    maxUrlLength: 200,
    blacklist: emptyBlacklist,
    links: 'combined',
    sizes: [],
  })
  for (const url of ['http://a.test:443/x', 'https://a.test:80/x']) {
    assert.deepEqual(scope.judge(parseUrl(url)!, 1), { yes: false, rule: 'port of the other scheme' })
  }
  for (const url of ['http://a.test/x', 'https://a.test/x']) assert.equal(scope.judge(parseUrl(url)!, 1).yes, true)
})

test('a sitemap may lie outside the region, but lists and patterns hold', () => {
  const ruleFor = (more: Partial<ScopeOptions>, text: string) => {
    const finding = makeScope(options(more)).judgeSitemap(url(text))
    return finding.yes ? 'yes' : finding.rule
  }
  const map = 'http://www.example.org/sitemap.php?page=1'
  assert.equal(ruleFor({ mode: 'prefix', include: [/docs/], queries: false, mediaTypes: ['text/html'] }, map), 'yes')
  assert.equal(ruleFor({}, 'http://cdn.example.org/sitemap.xml'), 'yes')
  assert.equal(ruleFor({ mode: 'page' }, map), 'scope page')
  assert.equal(ruleFor({ exclude: [/sitemap/] }, map), 'exclude sitemap')
  assert.equal(ruleFor({ maxUrlLength: 30 }, map), 'url-length>30')
  const blacklist = parseBlacklist([{ name: 'list', text: 'example.org' }])
  assert.match(ruleFor({ blacklist }, map), /^blacklist/)
})
